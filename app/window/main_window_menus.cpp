// Menus and the commands behind them; every command is also in the command palette.

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QSettings>

#include "app/report/report_dialog.h"
#include "app/theme/theme.h"
#include "app/views/inspector/inspector.h"
#include "app/views/model/model_page.h"
#include "app/views/open/open_dialog.h"
#include "app/views/play/lane_strip.h"
#include "app/views/play/play_page.h"
#include "app/views/play/prompt_bar.h"
#include "app/window/command_line.h"
#include "app/window/command_palette.h"
#include "app/window/keys_dialog.h"
#include "app/window/language.h"
#include "app/window/main_window.h"

namespace lanescope::app {

namespace {
const QString kInspectorKey = QStringLiteral("play/inspector");
}

QAction* MainWindow::addCommand(QMenu* menu, const QString& text, const QKeySequence& keys,
                                std::function<void()> run) {
    QAction* action = menu->addAction(text);
    if (!keys.isEmpty()) action->setShortcut(keys);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_commands << action;
    return action;
}

void MainWindow::buildMenus() {
    buildFileMenu();
    QUndoStack* undo = m_context->document.undoStack();
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    QAction* undoAction = undo->createUndoAction(this, tr("Undo"));
    QAction* redoAction = undo->createRedoAction(this, tr("Redo"));
    undoAction->setShortcut(QKeySequence(QKeySequence::Undo));
    redoAction->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+Z")));
    edit->addActions({undoAction, redoAction});
    m_commands << undoAction << redoAction;
    edit->addSeparator();
    addCommand(edit, tr("&Add lane…"), QKeySequence(QStringLiteral("Ctrl+Shift+N")),
               [this] { m_play->lanes()->editLane(-1); });
    addCommand(edit, tr("&Unpin baseline"), {}, [this] { m_context->document.setBaseline(-1); });

    QMenu* run = menuBar()->addMenu(tr("&Run"));
    m_runAction = addCommand(run, tr("&Run the prompt"),
                             QKeySequence(QStringLiteral("Ctrl+Return")), [this] { startRun(); });
    m_runAction->setShortcuts(
        {QKeySequence(QStringLiteral("Ctrl+Return")), QKeySequence(QStringLiteral("Ctrl+Enter"))});
    m_stopAction = addCommand(run, tr("&Stop"), {}, [this] { stopRun(); });
    // Not on the menu item: it must work for the selection too.
    auto* escapeAction = new QAction(this);
    escapeAction->setShortcut(QKeySequence(Qt::Key_Escape));
    connect(escapeAction, &QAction::triggered, this, &MainWindow::escape);
    addAction(escapeAction);

    buildViewMenu();
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    addCommand(help, tr("&Commands…"), QKeySequence(QStringLiteral("Ctrl+K")), [this] {
        auto* palette = new CommandPalette(m_commands, this);
        palette->setAttribute(Qt::WA_DeleteOnClose);
        palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, height() / 6)));
        palette->open();
    });
    addCommand(help, tr("&Keys"), QKeySequence(QStringLiteral("?")),
               [this] { showKeysDialog(this); });
    addCommand(help, tr("&About Lanescope"), {}, [this] { showAboutDialog(this); });
}

void MainWindow::buildFileMenu() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    addCommand(file, tr("&Open model…"), QKeySequence(QKeySequence::Open),
               [this] { showOpenDialog(); });
    addCommand(file, tr("Open &plan or run…"), QKeySequence(QStringLiteral("Ctrl+Shift+O")),
               [this] { openPlanOrRun(); });
    addCommand(file, tr("Open &trace…"), QKeySequence(QStringLiteral("Ctrl+Shift+T")),
               [this] { openTrace(); });
    m_recentMenu = file->addMenu(tr("&Recent"));
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    file->addSeparator();
    addCommand(file, tr("&Save plan"), QKeySequence(QKeySequence::Save),
               [this] { savePlan(false); });
    addCommand(file, tr("Save plan &as…"), QKeySequence(QStringLiteral("Ctrl+Shift+S")),
               [this] { savePlan(true); });
    file->addSeparator();
    m_exportAction =
        addCommand(file, tr("&Export run…"), QKeySequence(QStringLiteral("Ctrl+E")), [this] {
            if (const auto snapshot = m_context->controller->snapshot())
                showExportDialog(snapshot, this);
        });
    m_exportAction->setEnabled(false);
    file->addSeparator();
    addCommand(file, tr("&Quit"), QKeySequence(QKeySequence::Quit), [this] { close(); });
}

void MainWindow::buildViewMenu() {
    QMenu* view = menuBar()->addMenu(tr("&View"));
    const QStringList names{tr("&Play"),    tr("&Model"),   tr("&Cache"),
                            tr("&Serving"), tr("&Kernels"), tr("&Runs")};
    for (int i = 0; i < names.size(); ++i)
        addCommand(view, names[i], QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)),
                   [this, i] { showPage(i); });
    const std::vector<std::pair<QString, ModelPage::Tab>> tabs{
        {tr("Model: tensors"), ModelPage::Tab::Tensors},
        {tr("Model: metadata"), ModelPage::Tab::Metadata},
        {tr("Model: tokenizer"), ModelPage::Tab::Tokenizer},
        {tr("Model: chat template"), ModelPage::Tab::Template}};
    for (const auto& [name, tab] : tabs)
        addCommand(view, name, {}, [this, shown = tab] {
            showPageOf(QStringLiteral("model"));
            m_model->showTab(shown);
        });
    view->addSeparator();
    addCommand(view, tr("&Write in the prompt"), QKeySequence(QStringLiteral("Ctrl+L")), [this] {
        showPage(0);
        m_play->prompt()->textEdit()->setFocus();
        m_play->prompt()->textEdit()->selectAll();
    });
    const bool shown = QSettings().value(kInspectorKey, true).toBool();
    QAction* inspector =
        addCommand(view, tr("&Inspector"), QKeySequence(QStringLiteral("Ctrl+I")), [this] {
            const bool visible = !m_play->inspector()->isVisibleTo(m_play);
            m_play->setInspectorVisible(visible);
            QSettings().setValue(kInspectorKey, visible);
        });
    inspector->setCheckable(true);
    inspector->setChecked(shown);
    m_play->setInspectorVisible(shown);
    view->addSeparator();

    QMenu* theme = view->addMenu(tr("&Theme"));
    auto* themes = new QActionGroup(this);
    const std::vector<std::pair<QString, ThemeChoice>> choices{{tr("&System"), ThemeChoice::System},
                                                               {tr("&Light"), ThemeChoice::Light},
                                                               {tr("&Dark"), ThemeChoice::Dark}};
    for (const auto& [name, choice] : choices) {
        QAction* action = addCommand(theme, name, {}, [picked = choice] {
            applyTheme(*qApp, picked);
            QSettings().setValue(QStringLiteral("window/theme"), themeName(picked));
        });
        action->setCheckable(true);
        action->setChecked(themeChoice() == choice);
        themes->addAction(action);
    }
    QMenu* language = view->addMenu(tr("&Language"));
    auto* languages = new QActionGroup(this);
    // Languages are named in themselves.
    const std::vector<std::pair<QString, QString>> known{
        {tr("S&ystem language"), QStringLiteral("system")},
        {QStringLiteral("English"), QStringLiteral("en")},
        {QStringLiteral("简体中文"), QStringLiteral("zh_CN")}};
    for (const auto& [name, code] : known) {
        QAction* action = addCommand(language, name, {},
                                     [this, wanted = code] { emit languageRequested(wanted); });
        action->setCheckable(true);
        action->setChecked(languageChoice() == code);
        languages->addAction(action);
    }
}

void MainWindow::fillRecentMenu() {
    m_recentMenu->clear();
    for (const QString& path : AppContext::recent(QStringLiteral("models")) +
                                   AppContext::recent(QStringLiteral("plans")) +
                                   AppContext::recent(QStringLiteral("traces")))
        m_recentMenu->addAction(path, this, [this, path] { m_context->openPath(path); });
    if (m_recentMenu->isEmpty()) m_recentMenu->addAction(tr("nothing yet"))->setEnabled(false);
}

OpenDialog* MainWindow::showOpenDialog() {
    auto* dialog = new OpenDialog(&m_context->library, &m_context->document, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const OpenChoice choice = dialog->choice();
        m_context->openChosen(choice);
        if (m_pageKeys[currentPage()] == QLatin1String("model"))
            m_model->setModel(choice.model);
        else
            showPage(0);
    });
    dialog->open();
    return dialog;
}

void MainWindow::openPlanOrRun() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open a plan or a stored run"), QString(),
                                     tr("Plans and runs (*.json *.db *.lanescope);;All files (*)"));
    if (!path.isEmpty()) m_context->openPath(path);
}

void MainWindow::openTrace() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a trace"), QString(),
        tr("Chrome and Perfetto traces (*.json *.json.gz *.gz);;All files (*)"));
    if (!path.isEmpty()) m_context->openPath(path);
}

void MainWindow::savePlan(bool askForPath) {
    QString path = m_context->document.path();
    if (askForPath || path.isEmpty())
        path = QFileDialog::getSaveFileName(this, tr("Save the plan"),
                                            path.isEmpty() ? QStringLiteral("plan.json") : path,
                                            tr("Plans (*.json)"));
    if (path.isEmpty()) return;
    const auto saved = m_context->document.save(path);
    if (!saved) {
        showProblem(QString::fromStdString(saved.error().message), errorDetails(saved.error()));
        return;
    }
    AppContext::addRecent(QStringLiteral("plans"), path);
}

}  // namespace lanescope::app
