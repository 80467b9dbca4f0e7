#include "app/views/kernels/kernels_page.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/timeline/op_style.h"
#include "app/timeline/timeline_view.h"
#include "app/views/kernels/op_rows.h"
#include "app/views/kernels/roofline_chart.h"
#include "app/widgets/data_table.h"
#include "engine/base/clock.h"
#include "profiler/analyse/stats.h"

namespace lanescope::app {

namespace {
constexpr std::int64_t kLiveIntervalNs = 400'000'000;
}  // namespace

KernelsPage::KernelsPage(Selection* selection, QWidget* parent)
    : QWidget(parent),
      m_selection(selection),
      m_timeline(new TimelineView(selection)),
      m_model(new CellModel(this)),
      m_table(new DataTable),
      m_roofline(new RooflineChart(selection)),
      m_tabs(new QTabBar),
      m_panes(new QStackedWidget),
      m_steps(new QComboBox),
      m_find(new QLineEdit),
      m_selectionText(new QLabel),
      m_dropped(new QLabel),
      m_note(new QLabel),
      m_selectionBar(new QWidget) {
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(m_timeline);
    m_panes->addWidget(scroll);
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
    layout->addWidget(splitter, 1);
    connectAll();
    retranslate();
    updateSelectionBar();
}

QLayout* KernelsPage::buildTop() {
    auto* top = new QHBoxLayout;
    top->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    top->setSpacing(kSpace);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->addTab(QString());
    m_tabs->addTab(QString());
    top->addWidget(m_tabs);
    for (int i = 0; i < 3; ++i) m_steps->addItem(QString());
    m_steps->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    top->addWidget(m_steps);
    m_find->setClearButtonEnabled(true);
    m_find->setMinimumWidth(120);
    m_find->setMaximumWidth(240);
    top->addWidget(m_find, 1);
    auto* selectionLayout = new QHBoxLayout(m_selectionBar);
    selectionLayout->setContentsMargins(kSpace, 0, 0, 0);
    auto* clear = new QPushButton;
    clear->setObjectName(QStringLiteral("clearSelection"));
    selectionLayout->addWidget(m_selectionText);
    selectionLayout->addWidget(clear);
    connect(clear, &QPushButton::clicked, m_selection, &Selection::clear);
    top->addWidget(m_selectionBar);
    top->addStretch(1);
    top->addWidget(m_dropped);
    return top;
}

QWidget* KernelsPage::buildTable() {
    m_table->setSource(m_model);
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(kSpace, kSpaceXs, kSpace, kSpaceXs);
    auto* lower = new QWidget;
    auto* column = new QVBoxLayout(lower);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_table, 1);
    column->addWidget(m_note);
    return lower;
}

void KernelsPage::connectAll() {
    connect(m_tabs, &QTabBar::currentChanged, m_panes, &QStackedWidget::setCurrentIndex);
    connect(m_steps, &QComboBox::currentIndexChanged, this, [this] { rebuildTable(); });
    connect(m_find, &QLineEdit::returnPressed, this,
            [this] { m_timeline->findNext(m_find->text()); });
    connect(m_find, &QLineEdit::textChanged, m_table, &DataTable::setFilterText);
    auto* findKey = new QShortcut(QKeySequence::Find, this);
    connect(findKey, &QShortcut::activated, this, [this] {
        m_find->setFocus();
        m_find->selectAll();
    });
    connect(m_selection, &Selection::changed, this, &KernelsPage::updateSelectionBar);
    connect(themeNotifier(), &ThemeNotifier::changed, this, [this] {
        rebuildTable();
        m_timeline->update();
    });
    connect(m_table, &DataTable::activatedId, this,
            [this](const QVariant& id) { toggleOp(laneOfRow(id.toInt()), opOfRow(id.toInt())); });
    connect(m_roofline, &RooflineChart::opClicked, this, [this](int lane, int op) {
        m_table->selectId(opRowId(lane, static_cast<trace::Op>(op)));
        toggleOp(lane, op);
    });
}

void KernelsPage::showPane(Pane pane) {
    m_tabs->setCurrentIndex(static_cast<int>(pane));
}

void KernelsPage::toggleOp(int lane, int op) {
    auto state = m_selection->state();
    const bool same = state.op == op && state.lane == lane;
    state.lane = lane;
    state.op = same ? -1 : op;
    m_selection->set(state);
}

void KernelsPage::retranslate() {
    m_tabs->setTabText(0, tr("Timeline"));
    m_tabs->setTabText(1, tr("Roofline"));
    m_tabs->setAccessibleName(tr("What is above the table"));
    m_tabs->setTabToolTip(1, tr("Every op by its arithmetic intensity and speed, under what this "
                                "machine can do at most"));
    m_steps->setItemText(0, tr("All steps"));
    m_steps->setItemText(1, tr("Prefill"));
    m_steps->setItemText(2, tr("Decode"));
    m_steps->setAccessibleName(tr("Steps that count"));
    m_steps->setToolTip(
        tr("Steps that count in the table and the roofline. An op does more "
           "arithmetic for each byte in prefill than in decode."));
    m_find->setPlaceholderText(tr("Find op (Enter: next)"));
    m_find->setAccessibleName(tr("Find op"));
    m_table->setAccessibleName(tr("Time by op"));
    m_roofline->setAccessibleName(tr("Roofline"));
    findChild<QPushButton*>(QStringLiteral("clearSelection"))->setText(tr("Clear"));
    m_model->setHeaders(opColumns(), opColumnTips());
    m_timeline->setToolTip(QString());
    rebuildTable();
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
    m_run = std::move(run);
    if (!isVisible()) return;
    const bool streaming = m_run && m_run->status == trace::RunStatus::Running;
    if (streaming && m_shown && m_shown->header.id == m_run->header.id &&
        nowNs() - m_lastApplyNs < kLiveIntervalNs)
        return;
    apply();
}

void KernelsPage::apply() {
    if (m_shown == m_run) return;
    m_lastApplyNs = nowNs();
    m_shown = m_run;
    m_timeline->setRun(m_shown);
    rebuildTable();
    updateSelectionBar();
}

void KernelsPage::rebuildTable() {
    OpRows ops;
    m_dropped->clear();
    if (m_shown) {
        ops = opRows(*m_shown, static_cast<profiler::StepKind>(m_steps->currentIndex()));
        if (m_shown->droppedSpans > 0) {
            m_dropped->setText(tr("%1 spans were dropped (rings full): totals are too low")
                                   .arg(m_shown->droppedSpans));
        }
    }
    QStringList notes;
    if (ops.roofMissing) notes << roofMissingText();
    if (ops.fromCache)
        notes << tr(
            "Above 100 % of roof: the data came from the caches, which are faster than "
            "memory.");
    if (ops.roofTooLow)
        notes << tr("Above the arithmetic roof: something else ran while the roof was measured.");
    m_note->setText(notes.join(QLatin1Char(' ')));
    m_note->setVisible(!notes.isEmpty());
    const bool sameShape = m_model->rowCount() == static_cast<int>(ops.cells.size());
    m_model->setRows(std::move(ops.cells), std::move(ops.ids));
    if (!sameShape) m_table->resizeColumnsToContents();
    m_roofline->setData(std::move(ops.marks), std::move(ops.roofs),
                        m_shown ? tr("No op of this run has both bytes and arithmetic to show: "
                                     "trace ops and run again.")
                                : tr("Run a prompt: every op appears here under what this machine "
                                     "can do at most."));
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
}

}  // namespace lanescope::app
