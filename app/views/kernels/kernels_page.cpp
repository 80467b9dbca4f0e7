#include "app/views/kernels/kernels_page.h"

#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/bridge/trace_opener.h"
#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/timeline/op_style.h"
#include "app/timeline/timeline_view.h"
#include "app/views/kernels/roofline_chart.h"
#include "app/widgets/data_table.h"
#include "app/widgets/error_banner.h"
#include "engine/base/clock.h"
#include "profiler/export/export.h"

namespace lanescope::app {

namespace {
constexpr std::int64_t kLiveIntervalNs = 400'000'000;
/// While a run streams, adding up takes at most this part of one core's time.
constexpr std::int64_t kLiveCostShare = 20;
}  // namespace

KernelsPage::KernelsPage(Selection* selection, QWidget* parent)
    : QWidget(parent),
      m_selection(selection),
      m_saving(this,
               [this](const std::shared_ptr<Error>& error) {
                   m_save->setEnabled(true);
                   if (error != nullptr)
                       showError(QString::fromStdString(error->message),
                                 QString::fromStdString(error->context));
                   emit traceSaved(error == nullptr);
               }),
      m_timeline(new TimelineView(selection)),
      m_scroll(new QScrollArea),
      m_model(new CellModel(this)),
      m_table(new DataTable),
      m_roofline(new RooflineChart(selection)),
      m_tabs(new QTabBar),
      m_panes(new QStackedWidget),
      m_groups(new QComboBox),
      m_steps(new QComboBox),
      m_follow(new QToolButton),
      m_filter(new QLineEdit),
      m_find(new QLineEdit),
      m_timedBy(new QComboBox),
      m_open(new QPushButton),
      m_save(new QPushButton),
      m_counted(new QLabel),
      m_selectionText(new QLabel),
      m_dropped(new QLabel),
      m_note(new QLabel),
      m_selectionBar(new QWidget),
      m_error(new ErrorBanner),
      m_traceBar(new QWidget),
      m_traceText(new QLabel),
      m_traceProgress(new QProgressBar),
      m_traceClose(new QPushButton) {
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidget(m_timeline);
    m_panes->addWidget(m_scroll);
    m_panes->addWidget(m_roofline);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(m_panes);
    splitter->addWidget(buildTable());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(buildTop());
    layout->addWidget(m_error);
    layout->addWidget(buildTraceBar());
    layout->addWidget(splitter, 1);
    m_error->setClosable(true);
    connectAll();
    retranslate();
    updateSelectionBar();
}

void KernelsPage::showPane(Pane pane) {
    m_tabs->setCurrentIndex(static_cast<int>(pane));
}

profiler::GroupBy KernelsPage::groupBy() const {
    return static_cast<profiler::GroupBy>(m_groups->currentIndex());
}

void KernelsPage::setGroupBy(profiler::GroupBy by) {
    m_groups->setCurrentIndex(static_cast<int>(by));
}

void KernelsPage::toggleOp(int lane, int op) {
    auto state = m_selection->state();
    const bool same = state.op == op && state.lane == lane;
    state.lane = lane;
    state.op = same ? -1 : op;
    m_selection->set(state);
}

void KernelsPage::activateRow(const QVariant& id) {
    for (std::size_t i = 0; i < m_rows.ids.size(); ++i) {
        if (m_rows.ids[i] != id) continue;
        const profiler::GroupStats& group = m_rows.groups[i];
        const auto key = static_cast<int>(group.key);
        auto state = m_selection->state();
        if (m_shown == nullptr) return;
        if (m_shown->imported != nullptr || groupBy() == profiler::GroupBy::Kernel) {
            m_timeline->findNext(groupName(*m_shown, groupBy(), group));
        } else if (groupBy() == profiler::GroupBy::Op) {
            toggleOp(group.lane, key);
        } else if (groupBy() == profiler::GroupBy::Layer) {
            state.lane = group.lane;
            state.layer = state.layer == key ? -1 : key;
            m_selection->set(state);
        } else if (key >= 0) {
            Selection::State token;
            token.lane = group.lane;
            token.request = group.request;
            token.token = key;
            token.tokenEnd = key + 1;
            m_selection->set(token);
        }
        return;
    }
}

void KernelsPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void KernelsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    apply();
}

void KernelsPage::setRun(profiler::RunSnapshot run) {
    const bool another = run && (!m_run || m_run->header.id != run->header.id);
    m_run = std::move(run);
    if (another && m_trace != nullptr) closeTrace();
    if (!isVisible() || m_trace != nullptr) return;
    const bool streaming = m_run && m_run->status == trace::RunStatus::Running;
    const std::int64_t interval =
        std::max(kLiveIntervalNs, kLiveCostShare * m_summary.lastCostNs());
    if (streaming && m_shown && m_shown->header.id == m_run->header.id &&
        nowNs() - m_lastApplyNs < interval)
        return;
    apply();
}

void KernelsPage::setTrace(profiler::RunSnapshot trace) {
    m_trace = std::move(trace);
    m_selection->clear();
    m_error->setError({}, {});
    if (isVisible()) apply();
    updateTraceBar();
}

void KernelsPage::closeTrace() {
    if (m_trace == nullptr) return;
    m_trace = nullptr;
    emit traceClosed();
    m_selection->clear();
    if (isVisible()) apply();
    updateTraceBar();
}

void KernelsPage::setTraceProgress(const QString& name, double fraction) {
    m_reading = fraction < 1.0;
    updateTraceBar();
    if (!m_reading) return;
    m_traceText->setText(tr("Reading %1…").arg(name));
    m_traceProgress->setValue(static_cast<int>(1000 * fraction));
}

void KernelsPage::showError(const QString& message, const QString& details) {
    m_error->setError(message, details);
}

void KernelsPage::updateTraceBar() {
    m_traceBar->setVisible(m_reading || m_trace != nullptr);
    m_traceProgress->setVisible(m_reading);
    m_traceClose->setText(m_reading ? tr("Cancel") : tr("Close trace"));
    if (!m_reading && m_trace != nullptr)
        m_traceText->setText(tr("%1, read-only").arg(QString::fromStdString(m_trace->header.name)) +
                             QStringLiteral(" · ") + traceSummary(*m_trace->imported));
    const bool canSave = m_trace == nullptr && m_run != nullptr;
    m_save->setEnabled(canSave && !m_saving.busy());
    m_save->setToolTip(m_trace != nullptr
                           ? tr("An opened trace is a file already")
                           : tr("This run as Chrome trace JSON, for Perfetto and the like"));
}

void KernelsPage::apply() {
    if (m_shown == wanted()) return;
    m_lastApplyNs = nowNs();
    releaseElsewhere(std::move(m_shown));
    m_shown = wanted();
    m_timeline->setRun(m_shown);
    m_steps->setVisible(m_trace == nullptr);
    m_tabs->setTabEnabled(1, m_trace == nullptr);
    if (m_trace != nullptr) showPane(Pane::Timeline);
    rebuildTable();
    updateSelectionBar();
    updateTraceBar();
}

void KernelsPage::rebuildTable() {
    if (m_shown == nullptr) {
        m_summary.clear();
        showRows({});
        return;
    }
    const auto steps = m_trace != nullptr
                           ? profiler::StepKind::All
                           : static_cast<profiler::StepKind>(m_steps->currentIndex());
    const Selection::State state =
        m_follow->isChecked() ? m_selection->state() : Selection::State{};
    m_summary.start(m_shown, groupBy(), filterFor(state, groupBy(), steps));
}

void KernelsPage::showRows(const KernelRows& rows) {
    const bool sameShape = m_rows.headers == rows.headers && m_rows.ids.size() == rows.ids.size();
    if (m_rows.headers != rows.headers || m_rows.headerTips != rows.headerTips)
        m_model->setHeaders(rows.headers, rows.headerTips);
    m_rows = rows;
    m_model->setRows(std::move(m_rows.cells), m_rows.ids);
    m_rows.cells.clear();
    if (!sameShape) m_table->resizeColumnsToContents();
    showRoofline();
    showNotes();
    selectChosenRow();
    emit tableReady();
}

void KernelsPage::showRoofline() {
    const auto timedByDevice = [](const RooflineMark& mark) { return mark.device; };
    const auto& marks = m_rows.marks;
    const bool some = std::any_of(marks.begin(), marks.end(), timedByDevice);
    m_timedBy->setVisible(some && m_tabs->currentIndex() == static_cast<int>(Pane::Roofline));
    // The two clocks are never mixed in one chart.
    const bool device = some && m_timedBy->currentIndex() == 1;
    std::vector<RooflineMark> shown;
    for (const RooflineMark& mark : marks)
        if (mark.device == device) shown.push_back(mark);
    m_roofline->setData(std::move(shown), device ? m_rows.deviceRoofs : m_rows.roofs,
                        m_shown ? tr("No op of this run has both bytes and arithmetic to show: "
                                     "trace ops and run again.")
                                : tr("Run a prompt: every op appears here under what this machine "
                                     "can do at most."));
}

void KernelsPage::showNotes() {
    m_counted->setText(
        m_shown == nullptr
            ? QString()
            : tr("%1 counted").arg(locale().toString(static_cast<qulonglong>(m_rows.items))));
    m_dropped->setVisible(m_shown && m_shown->droppedSpans > 0);
    if (m_shown && m_shown->droppedSpans > 0)
        m_dropped->setText(tr("%1 spans were dropped (rings full): totals are too low")
                               .arg(m_shown->droppedSpans));
    QStringList notes;
    if (m_rows.hidden > 0)
        notes << tr("The %1 longest of %2 rows are shown: select a part of the run to see others.")
                     .arg(m_rows.ids.size())
                     .arg(m_rows.ids.size() + m_rows.hidden);
    if (m_rows.roofMissing) notes << roofMissingText();
    if (m_shown != nullptr) {
        const profiler::DeviceTiming& timing = m_shown->deviceTiming;
        if (!timing.unavailable.empty())
            notes << tr("Kernels of the GPU were not timed one by one: %1.")
                         .arg(QString::fromStdString(timing.unavailable));
        if (timing.droppedRecords > 0)
            notes << tr("%1 records of the GPU were dropped: its totals are too low.")
                         .arg(locale().toString(static_cast<qulonglong>(timing.droppedRecords)));
    }
    if (m_rows.fromCache)
        notes << tr(
            "Above 100 % of roof: the data came from the caches, which are faster than "
            "memory.");
    if (m_rows.roofTooLow)
        notes << tr("Above the arithmetic roof: something else ran while the roof was measured.");
    m_note->setText(notes.join(QLatin1Char(' ')));
    m_note->setVisible(!notes.isEmpty());
}

void KernelsPage::onSelectionChanged() {
    updateSelectionBar();
    if (m_follow->isChecked()) rebuildTable();
    selectChosenRow();
}

void KernelsPage::selectChosenRow() {
    const auto& state = m_selection->state();
    if (groupBy() != profiler::GroupBy::Op || state.op < 0 || state.lane < 0) return;
    const QVariant id = opRowId(state.lane, static_cast<trace::Op>(state.op));
    if (!m_table->selectedIds().contains(id)) m_table->selectId(id);
}

void KernelsPage::askWhereToSave() {
    if (m_run == nullptr) return;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save the trace"), QStringLiteral("trace.json"), tr("Chrome traces (*.json)"));
    if (!path.isEmpty()) saveTrace(path);
}

void KernelsPage::saveTrace(const QString& path) {
    if (m_run == nullptr) return;
    m_error->setError({}, {});
    m_save->setEnabled(false);
    m_saving.start([run = m_run, path]() -> std::shared_ptr<Error> {
        const auto written = profiler::writeTrace(*run, path.toStdString());
        return written ? nullptr : std::make_shared<Error>(written.error());
    });
}

void KernelsPage::updateSelectionBar() {
    const auto& state = m_selection->state();
    m_selectionBar->setVisible(!m_selection->empty());
    if (m_selection->empty()) return;
    QStringList parts;
    if (state.lane >= 0 && m_shown && state.lane < static_cast<int>(m_shown->lanes.size())) {
        parts << tr("lane %1").arg(
            QString::fromStdString(m_shown->lanes[static_cast<std::size_t>(state.lane)].name));
    }
    if (state.token >= 0) parts << tr("token %1").arg(state.token);
    if (state.op >= 0) parts << opLabel(static_cast<trace::Op>(state.op));
    if (state.layer >= 0) parts << tr("layer %1").arg(state.layer);
    if (state.tEndNs > state.tStartNs && state.tStartNs >= 0) {
        parts << tr("from %1, length %2")
                     .arg(durationText(static_cast<double>(state.tStartNs) / 1e6),
                          durationText(static_cast<double>(state.tEndNs - state.tStartNs) / 1e6));
    }
    m_selectionText->setText(parts.join(QStringLiteral(" · ")));
    m_selectionText->setToolTip(m_selectionText->text());
}

}  // namespace lanescope::app
