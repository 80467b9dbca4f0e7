#include "app/views/serving/serving_page.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <algorithm>

#include "app/bridge/plan_document.h"
#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/views/serving/serving_charts.h"
#include "app/views/serving/serving_form.h"
#include "app/widgets/data_table.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/empty_state.h"
#include "app/widgets/error_banner.h"
#include "engine/base/clock.h"

namespace lanescope::app {

namespace {
/// While requests are served: the next drawing waits so many times as long as the charts of one
/// policy took, about a quarter of all that is drawn. So it takes a fifth of a core at most.
constexpr std::int64_t kCostShare = 20;
constexpr std::int64_t kFrameMs = 33;
}  // namespace

ServingPage::ServingPage(PlanDocument* document, ServingController* controller, QWidget* parent)
    : QWidget(parent),
      m_controller(controller),
      m_form(new ServingForm(document)),
      m_charts(new ServingCharts),
      m_model(new CellModel(this)),
      m_table(new DataTable),
      m_error(new ErrorBanner),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(
          tr("Here many requests share one engine. You will see how they arrive and wait, what "
             "each pass computes, tokens a second over time, how TTFT and ITL are distributed, "
             "and which requests kept the goal; continuous batching beside a static batch and one "
             "request at a time, on the same arrivals."))),
      m_verdict(new QLabel),
      m_progress(new QWidget),
      m_stage(new ElidedLabel),
      m_bar(new QProgressBar) {
    auto* right = new QWidget;
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_error);
    column->addWidget(buildProgress());
    m_empty->button()->setObjectName(QStringLiteral("serveFirst"));
    m_stack->addWidget(m_empty);
    m_stack->addWidget(buildResults());
    column->addWidget(m_stack, 1);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_form);
    auto* line = new QFrame;
    line->setFrameShape(QFrame::VLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Mid);
    row->addWidget(line);
    row->addWidget(right, 1);
    m_error->setClosable(true);
    m_timer.setSingleShot(true);
    connectAll();
    setRunning(m_controller->running());
    refresh();
}

QWidget* ServingPage::buildResults() {
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(m_charts);
    auto* lower = new QWidget;
    auto* column = new QVBoxLayout(lower);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    tools->setSpacing(kSpace);
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    tools->addWidget(m_verdict, 1);
    auto* markdown = new QPushButton(tr("Copy as Markdown"));
    auto* csv = new QPushButton(tr("Copy as CSV"));
    tools->addWidget(markdown, 0, Qt::AlignTop);
    tools->addWidget(csv, 0, Qt::AlignTop);
    connect(markdown, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_table->toMarkdown()); });
    connect(csv, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_table->toCsv(DataTable::Rows::All)); });
    column->addLayout(tools);
    column->addWidget(m_table, 1);
    m_table->setSource(m_model);
    m_table->setAccessibleName(tr("Policies side by side"));
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_table->setMinimumHeight(96);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(scroll);
    splitter->addWidget(lower);
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

QWidget* ServingPage::buildProgress() {
    auto* row = new QHBoxLayout(m_progress);
    row->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceXs);
    row->setSpacing(kSpace);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setMaximumWidth(240);
    m_bar->setMaximumHeight(kSpace);
    m_bar->setAccessibleName(tr("Progress of serving"));
    row->addWidget(m_stage, 1);
    row->addWidget(m_bar);
    m_progress->hide();
    return m_progress;
}

void ServingPage::connectAll() {
    connect(m_form, &ServingForm::runRequested, this, &ServingPage::start);
    connect(m_form, &ServingForm::stopRequested, m_controller, &BackgroundJob::cancel);
    connect(m_form, &ServingForm::goalChanged, this, &ServingPage::schedule);
    connect(m_form, &ServingForm::laneChanged, this, &ServingPage::updateEmpty);
    connect(m_empty->button(), &QPushButton::clicked, this, [this] {
        if (m_form->hasLane())
            m_form->runButton()->click();
        else
            emit openModelRequested();
    });
    connect(m_controller, &ServingController::changed, this, &ServingPage::schedule);
    connect(m_controller, &BackgroundJob::runningChanged, this, &ServingPage::setRunning);
    connect(m_controller, &BackgroundJob::failed, m_error, &ErrorBanner::setError);
    connect(m_controller, &BackgroundJob::progressChanged, this,
            [this](double fraction, qint64 etaMs, const QString& text) {
                m_bar->setValue(static_cast<int>(1000 * fraction));
                m_stage->setText(etaMs > 0 ? text + QStringLiteral(" · ") +
                                                 tr("est. %1 left").arg(clockText(etaMs))
                                           : text);
                if (m_controller->cancelling()) m_form->setRunning(true, true);
            });
    connect(&m_timer, &QTimer::timeout, this, &ServingPage::refresh);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &ServingPage::schedule);
}

void ServingPage::start() {
    if (m_controller->running() || !m_blocked.isEmpty() || !m_form->hasLane()) return;
    m_error->setError({}, {});
    m_controller->start(m_form->spec());
}

void ServingPage::setBlocked(const QString& reason) {
    m_blocked = reason;
    m_form->setBlocked(reason);
    updateEmpty();
}

void ServingPage::setRunning(bool running) {
    m_form->setRunning(running, m_controller->cancelling());
    m_progress->setVisible(running);
    schedule();
}

void ServingPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void ServingPage::schedule() {
    if (m_timer.isActive()) return;
    m_timer.start(static_cast<int>(std::max(kFrameMs, kCostShare * m_costNs / 1'000'000)));
}

void ServingPage::refresh() {
    updateEmpty();
    if (!isVisible() || m_stack->currentIndex() == 0) return;
    const std::int64_t start = nowNs();
    const ServingRun& run = m_controller->run();
    m_charts->setRun(run, m_form->goal());
    m_costNs = nowNs() - start;
    // In an event of its own: a long serving has much to add up.
    QTimer::singleShot(0, this, &ServingPage::refreshTable);
}

void ServingPage::refreshTable() {
    const ServingRun& run = m_controller->run();
    ServingTable table = servingTable(run, m_form->goal(), &m_stats);
    const bool grown = m_model->rowCount() != static_cast<int>(table.cells.size());
    m_model->setHeaders(table.headers, table.headerTips);
    m_model->setRows(std::move(table.cells));
    if (grown || !m_controller->running()) m_table->resizeColumnsToContents();
    m_verdict->setText(servingWords(run));
}

void ServingPage::updateEmpty() {
    const bool some = !m_controller->run().policies.empty();
    m_stack->setCurrentIndex(some ? 1 : 0);
    m_empty->button()->setText(m_form->hasLane() ? tr("Serve on lane %1").arg(m_form->laneText())
                                                 : tr("Open a model…"));
    m_empty->button()->setEnabled(!m_form->hasLane() || m_form->runButton()->isEnabled());
    m_empty->button()->setToolTip(m_form->hasLane() ? m_form->runButton()->toolTip() : QString());
}

QPushButton* ServingPage::emptyButton() const {
    return m_empty->button();
}

QString ServingPage::verdict() const {
    return m_verdict->text();
}

}  // namespace lanescope::app
