#include "app/window/app_shell.h"

#include <QApplication>
#include <QSettings>
#include <QTimer>

#include "app/window/language.h"
#include "app/window/main_window.h"
#include "app/window/screenshots.h"

namespace lanescope::app {

namespace {
const QString kLanguageKey = QStringLiteral("window/language");
const QString kThemeKey = QStringLiteral("window/theme");
}  // namespace

AppShell::AppShell(QApplication& app, const CommandLine& line) : m_app(app), m_line(line) {
    const QSettings settings;
    applyTheme(app,
               line.themeGiven ? line.theme : themeFromName(settings.value(kThemeKey).toString()));
    applyLanguage(
        app, line.language.isEmpty() ? settings.value(kLanguageKey).toString() : line.language);
    m_context = std::make_unique<AppContext>();
    if (line.files.isEmpty()) m_context->restoreSession();
    makeWindow();
    // Through the window, so that what is wrong with a file is shown in it.
    for (const QString& file : line.files) m_context->openPath(file);
    if (line.screenshotDir.isEmpty()) return;
    auto* shots = new Screenshots(m_window.get(), line.screenshotDir, this);
    connect(shots, &Screenshots::finished, this, &AppShell::finished);
    // A stored run is still being read; it is shown before the first picture.
    QTimer::singleShot(500, shots, &Screenshots::start);
}

AppShell::~AppShell() = default;

void AppShell::makeWindow() {
    m_window = std::make_unique<MainWindow>(m_context.get());
    if (m_line.size.isValid()) m_window->resize(m_line.size);
    connect(m_window.get(), &MainWindow::languageRequested, this, &AppShell::setLanguage);
    connect(m_window.get(), &MainWindow::closed, this, [this] { emit finished(0); });
    m_window->show();
}

void AppShell::setLanguage(const QString& language) {
    QSettings().setValue(kLanguageKey, language);
    // Queued: the menu that asked belongs to the window that goes.
    QTimer::singleShot(0, this, [this, language] {
        const QByteArray geometry = m_window->saveGeometry();
        const int page = m_window->currentPage();
        m_window.reset();
        applyLanguage(m_app, language);
        makeWindow();
        m_window->restoreGeometry(geometry);
        m_window->showPage(page);
    });
}

}  // namespace lanescope::app
