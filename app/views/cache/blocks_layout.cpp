// What the blocks tab is made of.

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSlider>
#include <QSplitter>
#include <QToolButton>

#include "app/theme/theme.h"
#include "app/views/cache/block_view.h"
#include "app/views/cache/blocks_tab.h"
#include "app/views/charts/trace_chart.h"
#include "app/widgets/facts_grid.h"
#include "app/widgets/legend_row.h"

namespace lanescope::app {

QLayout* BlocksTab::buildBar() {
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    bar->setSpacing(kSpace);
    m_lane->setAccessibleName(tr("Lane whose blocks are shown"));
    m_lane->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_time->setRange(0, kMoments);
    m_time->setAccessibleName(tr("Moment that is shown"));
    m_follow->setText(tr("Follow"));
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_follow->setToolTip(tr("Show how the blocks stand now"));
    m_timeText->setMinimumWidth(
        m_timeText->fontMetrics().horizontalAdvance(QStringLiteral("000.00 s / 000.00 s ")));
    bar->addWidget(m_source);
    bar->addWidget(m_lane);
    bar->addWidget(m_follow);
    bar->addWidget(m_time, 1);
    bar->addWidget(m_timeText);
    return bar;
}

QWidget* BlocksTab::buildCharts() {
    auto* charts = new QWidget;
    auto* row = new QHBoxLayout(charts);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(1);
    for (const auto& [chart, legend] :
         {std::pair{m_memory, m_memoryLegend}, std::pair{m_blocks, m_blocksLegend}}) {
        chart->setSteps(true);
        chart->setMinimumHeight(110);
        auto* cell = chart == m_blocks ? m_blocksCell : new QWidget;
        auto* column = new QVBoxLayout(cell);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(chart, 1);
        auto* indented = new QHBoxLayout;
        indented->setContentsMargins(kSpaceXl, 0, kSpace, kSpaceXs);
        legend->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        indented->addWidget(legend);
        column->addLayout(indented);
        row->addWidget(cell, 1);
        connect(themeNotifier(), &ThemeNotifier::changed, chart, &TraceChart::applyTheme);
        connect(chart, &TraceChart::hovered, this, [this](double x) {
            m_memory->setCrosshair(x);
            m_blocks->setCrosshair(x);
        });
        connect(chart, &TraceChart::rangeChosen, this, [this](double lo, double hi) {
            m_memory->setXRange(lo, hi);
            m_blocks->setXRange(lo, hi);
        });
    }
    m_memory->setToolTip(tr("Bytes of the blocks in use, keys and values of all layers"));
    m_blocks->setToolTip(
        tr("When each forward pass began: blocks held, those of them that two or more sequences "
           "read, and blocks kept for their known content"));
    return charts;
}

QWidget* BlocksTab::buildContent() {
    m_map->setAccessibleName(tr("Blocks of the KV cache"));
    m_legend->setEntries(BlockView::legend());
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_map, 1);
    auto* legendRow = new QHBoxLayout;
    legendRow->setContentsMargins(kSpace, kSpaceXs, kSpace, kSpaceS);
    legendRow->addWidget(m_legend);
    column->addLayout(legendRow);
    auto* facts = new QWidget;
    auto* factsColumn = new QVBoxLayout(facts);
    factsColumn->setContentsMargins(kSpaceL, kSpace, kSpace, kSpace);
    factsColumn->addWidget(m_facts);
    factsColumn->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(facts);
    scroll->setFixedWidth(280);
    auto* upper = new QWidget;
    auto* row = new QHBoxLayout(upper);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(left, 1);
    row->addWidget(scroll);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(upper);
    splitter->addWidget(buildCharts());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    auto* content = new QWidget;
    auto* all = new QVBoxLayout(content);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(buildBar());
    all->addWidget(splitter, 1);
    return content;
}

}  // namespace lanescope::app
