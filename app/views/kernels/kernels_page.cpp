#include "app/views/kernels/kernels_page.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/timeline/op_style.h"
#include "app/timeline/timeline_view.h"
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
      m_find(new QLineEdit),
      m_selectionText(new QLabel),
      m_dropped(new QLabel),
      m_selectionBar(new QWidget) {
    auto* top = new QHBoxLayout;
    top->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    m_find->setClearButtonEnabled(true);
    m_find->setFixedWidth(240);
    top->addWidget(m_find);
    auto* selectionLayout = new QHBoxLayout(m_selectionBar);
    selectionLayout->setContentsMargins(kSpace, 0, 0, 0);
    auto* clear = new QPushButton;
    clear->setObjectName(QStringLiteral("clearSelection"));
    selectionLayout->addWidget(m_selectionText);
    selectionLayout->addWidget(clear);
    top->addWidget(m_selectionBar);
    top->addStretch(1);
    top->addWidget(m_dropped);

    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(m_timeline);

    m_table->setSource(m_model);
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_table->setAccessibleName(tr("Time by op"));
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(scroll);
    splitter->addWidget(m_table);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(splitter, 1);

    connect(clear, &QPushButton::clicked, m_selection, &Selection::clear);
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
    connect(m_table, &DataTable::activatedId, this, [this](const QVariant& id) {
        const int key = id.toInt();
        auto state = m_selection->state();
        state.lane = key / 1000;
        state.op = state.op == key % 1000 ? -1 : key % 1000;
        m_selection->set(state);
    });
    retranslate();
    updateSelectionBar();
}

void KernelsPage::retranslate() {
    m_find->setPlaceholderText(tr("Find op (Enter: next)"));
    m_find->setAccessibleName(tr("Find op"));
    findChild<QPushButton*>(QStringLiteral("clearSelection"))->setText(tr("Clear"));
    m_model->setHeaders(
        {tr("Lane"), tr("Op"), tr("Count"), tr("Total"), tr("Share"), tr("Mean"), tr("p95"),
         tr("GB/s"), tr("GFLOP/s")},
        {tr("Lane of the run"), tr("What the engine was doing"), tr("Spans of the timed requests"),
         tr("Sum of their durations"),
         tr("Part of the sum over all ops of the lane; phases are not ops"), tr("Mean duration"),
         tr("95th percentile of the durations"), tr("Bytes the op must move, divided by its time"),
         tr("Floating-point operations divided by time")});
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
    std::vector<std::vector<Cell>> rows;
    std::vector<QVariant> ids;
    m_dropped->clear();
    if (m_shown) {
        for (const auto& lane : m_shown->lanes) {
            for (const auto& op : profiler::opStats(*m_shown, lane.index)) {
                Cell laneCell;
                laneCell.text = QString::fromStdString(lane.name);
                laneCell.decoration = laneColor(lane.index);
                Cell opCell;
                opCell.text = opLabel(op.op);
                opCell.sortBy = static_cast<int>(op.op);
                opCell.decoration = opColor(op.op);
                const bool phase = profiler::isPhase(op.op);
                rows.push_back(
                    {laneCell, opCell,
                     numberCell(QString::number(op.count), static_cast<double>(op.count)),
                     numberCell(durationText(op.totalMs), op.totalMs),
                     phase ? numberCell(QStringLiteral("–"), -1.0)
                           : numberCell(fixedNumber(op.share * 100, 1) + QStringLiteral(" %"),
                                        op.share),
                     numberCell(durationText(op.meanUs / 1e3), op.meanUs),
                     numberCell(durationText(op.p95Us / 1e3), op.p95Us),
                     op.gbPerS > 0 ? numberCell(fixedNumber(op.gbPerS, 1), op.gbPerS)
                                   : numberCell(QStringLiteral("–"), -1.0),
                     op.gflopPerS > 0 ? numberCell(fixedNumber(op.gflopPerS, 1), op.gflopPerS)
                                      : numberCell(QStringLiteral("–"), -1.0)});
                ids.emplace_back(lane.index * 1000 + static_cast<int>(op.op));
            }
        }
        if (m_shown->droppedSpans > 0) {
            m_dropped->setText(tr("%1 spans were dropped (rings full): totals are too low")
                                   .arg(m_shown->droppedSpans));
        }
    }
    const bool sameShape = m_model->rowCount() == static_cast<int>(rows.size());
    m_model->setRows(std::move(rows), std::move(ids));
    if (!sameShape) m_table->resizeColumnsToContents();
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
