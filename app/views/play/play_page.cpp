#include "app/views/play/play_page.h"

#include <QSettings>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>

#include "app/theme/theme.h"
#include "app/views/charts/chart_deck.h"
#include "app/views/inspector/inspector.h"
#include "app/views/play/lane_strip.h"
#include "app/views/play/prompt_bar.h"
#include "app/views/play/start_page.h"
#include "app/views/play/token_columns.h"
#include "app/widgets/error_banner.h"

namespace lanescope::app {

namespace {
const QString kAcrossKey = QStringLiteral("play/splitAcross");
const QString kDownKey = QStringLiteral("play/splitDown");
/// The panes take turns, so that no single event does everything: charts and inspector follow while
/// tokens stream, and soon after the last one.
constexpr int kChartMs = 66, kInspectorMs = 250, kLastMs = 12;
}  // namespace

PlayPage::PlayPage(PlanDocument* document, ModelInfoCache* models, Selection* selection,
                   QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_stack(new QStackedLayout(this)),
      m_start(new StartPage(this)),
      m_work(new QWidget(this)),
      m_error(new ErrorBanner(m_work)),
      m_lanes(new LaneStrip(document, models, m_work)),
      m_prompt(new PromptBar(document, m_work)),
      m_across(new QSplitter(Qt::Horizontal, m_work)) {
    m_down = new QSplitter(Qt::Vertical, m_across);
    m_columns = new TokenColumns(document, selection, m_down);
    m_charts = new ChartDeck(selection, m_down);
    m_inspector = new Inspector(selection, m_across);
    m_down->addWidget(m_columns);
    m_down->addWidget(m_charts);
    m_down->setStretchFactor(0, 3);
    m_down->setStretchFactor(1, 2);
    m_down->setCollapsible(0, false);
    m_across->addWidget(m_down);
    m_across->addWidget(m_inspector);
    m_across->setStretchFactor(0, 1);
    m_across->setStretchFactor(1, 0);
    m_across->setCollapsible(0, false);
    m_across->setSizes({1060, 320});
    m_down->setSizes({380, 260});
    m_across->restoreState(QSettings().value(kAcrossKey).toByteArray());
    m_down->restoreState(QSettings().value(kDownKey).toByteArray());

    auto* column = new QVBoxLayout(m_work);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_lanes);
    column->addWidget(m_prompt);
    auto* banner = new QVBoxLayout;
    banner->setContentsMargins(kSpace, 0, kSpace, kSpaceS);
    banner->addWidget(m_error);
    column->addLayout(banner);
    column->addWidget(m_across, 1);
    m_stack->addWidget(m_start);
    m_stack->addWidget(m_work);
    connect(document, &PlanDocument::lanesChanged, this, &PlayPage::showFitting);
    connect(&m_chartTimer, &QTimer::timeout, this, &PlayPage::updateCharts);
    connect(&m_inspectorTimer, &QTimer::timeout, this, &PlayPage::updateInspector);
    showFitting();
}

void PlayPage::showFitting() {
    const bool empty = m_document->laneCount() == 0 && m_run == nullptr;
    if (empty) m_start->refresh();
    m_stack->setCurrentWidget(empty ? static_cast<QWidget*>(m_start) : m_work);
}

bool PlayPage::showsStart() const {
    return m_stack->currentWidget() == m_start;
}

void PlayPage::setRun(profiler::RunSnapshot run) {
    const bool first = m_run == nullptr;
    m_run = run;
    if (first) showFitting();
    m_lanes->setRun(run);
    m_columns->setRun(run);
    const bool streaming = run && run->status == trace::RunStatus::Running;
    m_chartTimer.setInterval(streaming ? kChartMs : kLastMs);
    m_inspectorTimer.setInterval(streaming ? kInspectorMs : 2 * kLastMs);
    if (!m_chartTimer.isActive()) m_chartTimer.start();
    if (!m_inspectorTimer.isActive()) m_inspectorTimer.start();
}

void PlayPage::updateCharts() {
    m_chartTimer.stop();
    m_charts->setRun(m_run);
}

void PlayPage::updateInspector() {
    m_inspectorTimer.stop();
    m_inspector->setRun(m_run);
}

void PlayPage::setRunning(bool running, bool cancelling) {
    m_lanes->setRunning(running);
    m_prompt->setRunning(running, cancelling);
}

void PlayPage::showError(const QString& message, const QString& details) {
    if (showsStart())
        m_start->setError(message, details);
    else
        m_error->setError(message, details);
}

void PlayPage::setInspectorVisible(bool visible) {
    m_inspector->setVisible(visible);
}

void PlayPage::saveLayout() const {
    QSettings().setValue(kAcrossKey, m_across->saveState());
    QSettings().setValue(kDownKey, m_down->saveState());
}

}  // namespace lanescope::app
