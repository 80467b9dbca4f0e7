#include "app/window/screenshots.h"

#include <QDir>
#include <QPixmap>
#include <QTimer>
#include <cstdio>

#include "app/views/play/play_page.h"
#include "app/window/main_window.h"

namespace lanescope::app {

namespace {
/// Pages follow a snapshot at twice a second at least.
constexpr int kSettleMs = 900;
}  // namespace

Screenshots::Screenshots(MainWindow* window, const QString& dir, QObject* parent)
    : QObject(parent), m_window(window), m_dir(dir) {}

void Screenshots::start() {
    if (!QDir().mkpath(m_dir)) {
        std::fprintf(stderr, "error: cannot make the folder %s\n", qPrintable(m_dir));
        emit finished(1);
        return;
    }
    RunController* controller = m_window->context()->controller.get();
    connect(controller, &RunController::failed, this,
            [this](const QString& message, const QString& details) {
                std::fprintf(stderr, "error: %s (%s)\n", qPrintable(message), qPrintable(details));
                m_failed = true;
            });
    const bool nothingToRun = m_window->context()->document.laneCount() == 0;
    if (nothingToRun || controller->snapshot()) {
        QTimer::singleShot(kSettleMs, this, &Screenshots::runEnded);
        return;
    }
    connect(controller, &RunController::runningChanged, this, [this](bool running) {
        if (!running) QTimer::singleShot(kSettleMs, this, &Screenshots::runEnded);
    });
    m_window->startRun();
}

void Screenshots::runEnded() {
    // A selected token, so that the inspector has something to show.
    if (const auto run = m_window->context()->controller->snapshot()) {
        for (const auto& request : run->requests) {
            if (request.record.warmup || request.tokens.size() < 4) continue;
            Selection::State state;
            state.lane = request.record.lane;
            state.request = request.record.id;
            state.token = 3;
            state.tokenEnd = 4;
            m_window->context()->selection.set(state);
            break;
        }
    }
    m_page = 0;
    m_window->showPage(0);
    QTimer::singleShot(kSettleMs, this, &Screenshots::shootNext);
}

void Screenshots::shootNext() {
    const QString key = m_page == 0 && m_window->play()->showsStart()
                            ? QStringLiteral("start")
                            : m_window->pageKeys()[m_page];
    const QString path = m_dir + QLatin1Char('/') + key + QStringLiteral(".png");
    if (m_window->grab().save(path)) {
        m_written << path;
        std::fprintf(stderr, "%s\n", qPrintable(path));
    } else {
        std::fprintf(stderr, "error: cannot write %s\n", qPrintable(path));
        m_failed = true;
    }
    m_page += 1;
    if (m_page >= m_window->pageKeys().size()) {
        emit finished(m_failed ? 1 : 0);
        return;
    }
    m_window->showPage(m_page);
    QTimer::singleShot(kSettleMs, this, &Screenshots::shootNext);
}

}  // namespace lanescope::app
