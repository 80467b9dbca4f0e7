#include "app/window/main_window.h"

#include <QAction>
#include <QButtonGroup>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "app/theme/theme.h"
#include "app/views/cache/cache_page.h"
#include "app/views/kernels/kernels_page.h"
#include "app/views/model/model_page.h"
#include "app/views/play/lane_strip.h"
#include "app/views/play/play_page.h"
#include "app/views/play/prompt_bar.h"
#include "app/views/play/start_page.h"
#include "app/views/runs/runs_page.h"
#include "app/views/serving/serving_page.h"
#include "app/window/status_line.h"

namespace lanescope::app {

namespace {
const QString kGeometryKey = QStringLiteral("window/geometry");
constexpr int kRailWidth = 72;
}  // namespace

MainWindow::MainWindow(AppContext* context, QWidget* parent)
    : QMainWindow(parent), m_context(context) {
    setAcceptDrops(true);
    setMinimumSize(800, 520);
    resize(1440, 900);
    buildPages();
    buildMenus();
    m_status = new StatusLine(this);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(kSpaceS, 0, kSpaceS, 0);
    statusBar()->addWidget(m_status, 1);
    connectContext();
    restoreGeometry(QSettings().value(kGeometryKey).toByteArray());
    refreshRail();
    showPage(0);
    updateTitle();
    setRunning(m_context->controller->running());
    if (const auto run = m_context->controller->snapshot()) showSnapshot(run);
    if (m_context->openedTrace != nullptr) m_kernels->setTrace(m_context->openedTrace);
    if (!m_context->storeError.isEmpty()) {
        m_runs->setStoreError(m_context->storeError);
        m_status->setStoreError(m_context->storeError);
    }
    m_watchdog.start();
    m_status->setWatchdog(&m_watchdog);
}

MainWindow::~MainWindow() = default;

void MainWindow::buildPages() {
    auto* central = new QWidget(this);
    auto* row = new QHBoxLayout(central);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto* rail = new QFrame(central);
    rail->setObjectName(QStringLiteral("rail"));
    rail->setFixedWidth(kRailWidth);
    m_rail = new QVBoxLayout(rail);
    m_rail->setContentsMargins(kSpaceS, kSpace, kSpaceS, kSpace);
    m_rail->setSpacing(kSpaceS);
    m_rail->addStretch();
    m_railButtons = new QButtonGroup(this);
    m_pages = new QStackedWidget(central);
    row->addWidget(rail);
    row->addWidget(m_pages, 1);
    setCentralWidget(central);

    m_play = new PlayPage(&m_context->document, &m_context->models, &m_context->selection, m_pages);
    m_model = new ModelPage(&m_context->document, m_pages);
    m_kernels = new KernelsPage(&m_context->selection, m_pages);
    m_cache = new CachePage({&m_context->document, &m_context->models, &m_context->cache,
                             &m_context->serving, &m_context->divergence},
                            m_pages);
    m_serving = new ServingPage(&m_context->document, &m_context->serving, m_pages);
    m_runs = new RunsPage(m_context->store, m_pages);
    addPage(QStringLiteral("play"), tr("Play"), QStringLiteral("play"), m_play);
    addPage(QStringLiteral("model"), tr("Model"), QStringLiteral("model"), m_model);
    addPage(QStringLiteral("cache"), tr("Cache"), QStringLiteral("cache"), m_cache);
    addPage(QStringLiteral("serving"), tr("Serving"), QStringLiteral("serving"), m_serving);
    addPage(QStringLiteral("kernels"), tr("Kernels"), QStringLiteral("kernels"), m_kernels);
    addPage(QStringLiteral("runs"), tr("Runs"), QStringLiteral("runs"), m_runs);
    connect(m_railButtons, &QButtonGroup::idClicked, this, &MainWindow::showPage);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &MainWindow::refreshRail);
}

void MainWindow::addPage(const QString& key, const QString& name, const QString& icon,
                         QWidget* page) {
    const int index = m_pages->addWidget(page);
    m_pageKeys << key;
    m_pageIcons << icon;
    auto* button = new QToolButton(this);
    button->setText(name);
    button->setAccessibleName(name);
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setIconSize(QSize(22, 22));
    button->setFixedSize(kRailWidth - 2 * kSpaceS, 52);
    button->setFont(uiFont(-1));
    m_railButtons->addButton(button, index);
    m_rail->insertWidget(index, button);
}

void MainWindow::refreshRail() {
    const ThemeColors& c = themeColors();
    for (int i = 0; i < m_pageIcons.size(); ++i)
        m_railButtons->button(i)->setIcon(themeIcon(m_pageIcons[i]));
    centralWidget()->setStyleSheet(
        QStringLiteral("#rail { background: %1; border: none; border-right: 1px solid %2; }"
                       "#rail QToolButton { border: 1px solid transparent; border-radius: 4px; "
                       "background: transparent; color: %3; }"
                       "#rail QToolButton:hover { background: %4; }"
                       "#rail QToolButton:checked { background: %5; color: %6; }"
                       "#rail QToolButton:focus { border-color: %7; }")
            .arg(c.panel.name(), c.border.name(), c.textMuted.name(),
                 blend(c.panel, c.text, 0.06).name(), c.selection.name(), c.text.name(),
                 c.accent.name()));
}

void MainWindow::showPage(int index) {
    if (index < 0 || index >= m_pages->count()) return;
    m_pages->setCurrentIndex(index);
    m_railButtons->button(index)->setChecked(true);
    if (m_pageKeys[index] == QLatin1String("runs")) m_runs->refresh();
}

void MainWindow::showPageOf(const QString& key) {
    showPage(static_cast<int>(m_pageKeys.indexOf(key)));
}

void MainWindow::showModel(const QString& model) {
    showPageOf(QStringLiteral("model"));
    m_model->setModel(model);
}

int MainWindow::currentPage() const {
    return m_pages->currentIndex();
}

void MainWindow::connectContext() {
    RunController* controller = m_context->controller.get();
    connect(controller, &RunController::snapshotChanged, this, &MainWindow::showSnapshot);
    connect(controller, &RunController::runningChanged, this, &MainWindow::setRunning);
    connect(controller, &RunController::progressChanged, m_status, &StatusLine::setProgress);
    connect(controller, &RunController::failed, this, &MainWindow::showProblem);
    connect(m_context, &AppContext::problem, this, &MainWindow::showProblem);
    connect(m_context, &AppContext::runOpened, this, [this] { showPage(0); });
    connectTraces();
    connectMeasurements();
    connect(&m_context->document, &PlanDocument::pathChanged, this, &MainWindow::updateTitle);
    connect(m_context->document.undoStack(), &QUndoStack::cleanChanged, this,
            &MainWindow::updateTitle);
    connect(m_play->prompt(), &PromptBar::runRequested, this, &MainWindow::startRun);
    connect(m_play->prompt(), &PromptBar::stopRequested, this, &MainWindow::stopRun);
    connect(m_status, &StatusLine::cancelRequested, this, &MainWindow::stopRun);
    connect(m_play->start(), &StartPage::openRequested, this, &MainWindow::showOpenDialog);
    connect(m_play->start(), &StartPage::modelChosen, m_context, &AppContext::openModel);
    connect(m_play->lanes(), &LaneStrip::detailsRequested, this, &MainWindow::showModel);
    connect(m_model, &ModelPage::openRequested, this, &MainWindow::showOpenDialog);
    connect(m_runs, &RunsPage::openRunRequested, m_context, &AppContext::openStoredRun);
}

void MainWindow::connectTraces() {
    TraceOpener* traces = &m_context->traces;
    connect(traces, &TraceOpener::progressed, this, [this, traces](double fraction) {
        if (fraction <= 0.0) showPageOf(QStringLiteral("kernels"));
        m_kernels->setTraceProgress(QFileInfo(traces->path()).fileName(), fraction);
    });
    connect(traces, &TraceOpener::opened, this, [this](const profiler::RunSnapshot& trace) {
        m_context->openedTrace = trace;
        m_kernels->setTrace(trace);
    });
    connect(m_kernels, &KernelsPage::traceClosed, this,
            [this] { m_context->openedTrace = nullptr; });
    connect(traces, &TraceOpener::failed, m_kernels, &KernelsPage::showError);
    connect(m_kernels, &KernelsPage::traceReadingCancelled, traces, &TraceOpener::cancel);
    connect(m_kernels, &KernelsPage::traceOpenRequested, this, &MainWindow::openTrace);
}

void MainWindow::connectMeasurements() {
    for (BackgroundJob* job :
         std::initializer_list<BackgroundJob*>{&m_context->serving, &m_context->divergence}) {
        connect(job, &BackgroundJob::runningChanged, this, [this] {
            updateBusy();
            endClosing();
        });
        connect(job, &BackgroundJob::progressChanged, m_status, &StatusLine::setProgress);
    }
    connect(m_serving, &ServingPage::openModelRequested, this, &MainWindow::showOpenDialog);
    connect(m_cache, &CachePage::openModelRequested, this, &MainWindow::showOpenDialog);
    connect(m_cache, &CachePage::servingRequested, m_serving, &ServingPage::start);
}

void MainWindow::updateBusy() {
    const bool run = m_context->controller->running();
    const bool measuring = m_context->serving.running() || m_context->divergence.running();
    const bool cancelling = m_context->controller->cancelling() ||
                            m_context->serving.cancelling() || m_context->divergence.cancelling();
    m_status->setRunning(run || measuring, cancelling);
    m_runAction->setEnabled(!run && !measuring);
    m_stopAction->setEnabled((run || measuring) && !cancelling);
    const QString why = run ? tr("A run is in progress: stop it, or wait for its end")
                        : measuring
                            ? tr("A measurement is in progress: stop it, or wait for its end")
                            : QString();
    m_serving->setBlocked(m_context->serving.running() ? QString() : why);
    m_cache->setBlocked(m_context->divergence.running() ? QString() : why);
}

void MainWindow::startRun() {
    if (m_context->controller->running()) return;
    if (m_context->busy()) {
        showProblem(tr("A measurement is in progress"),
                    tr("Stop it, or run the prompt afterwards."));
        return;
    }
    m_play->showError({}, {});
    m_context->selection.clear();
    m_context->controller->setBaseDir(m_context->document.baseDir());
    m_context->saveSession();
    m_context->controller->startRun(m_context->document.plan());
}

void MainWindow::stopRun() {
    if (!m_context->busy()) return;
    m_context->cancelAll();
    if (m_context->controller->running()) m_play->setRunning(true, true);
    updateBusy();
}

void MainWindow::showSnapshot(const profiler::RunSnapshot& run) {
    m_play->setRun(run);
    m_kernels->setRun(run);
    m_cache->setRun(run);
    m_status->setRun(run);
    m_exportAction->setEnabled(run != nullptr);
}

void MainWindow::setRunning(bool running) {
    const bool cancelling = m_context->controller->cancelling();
    m_play->setRunning(running, cancelling);
    updateBusy();
    if (running) return;
    if (m_closing)
        endClosing();
    else if (m_pageKeys[currentPage()] == QLatin1String("runs"))
        m_runs->refresh();
}

void MainWindow::endClosing() {
    if (m_closing && !m_context->busy()) close();
}

void MainWindow::showProblem(const QString& message, const QString& details) {
    if (currentPage() != 0) showPage(0);
    m_play->showError(message, details);
}

void MainWindow::escape() {
    if (m_context->busy())
        stopRun();
    else
        m_context->selection.clear();
}

void MainWindow::updateTitle() {
    const QString path = m_context->document.path();
    setWindowTitle(path.isEmpty() ? tr("Lanescope")
                                  : tr("%1 — Lanescope").arg(QFileInfo(path).fileName()));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    QSettings().setValue(kGeometryKey, saveGeometry());
    m_play->saveLayout();
    m_context->saveSession();
    if (m_context->busy()) {
        // The run ends within a layer or a token; until then the window is only out of sight.
        m_closing = true;
        event->ignore();
        hide();
        m_context->cancelAll();
        return;
    }
    event->accept();
    emit closed();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) m_context->openPath(url.toLocalFile());
}

}  // namespace lanescope::app
