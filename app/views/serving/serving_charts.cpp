#include "app/views/serving/serving_charts.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <algorithm>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/views/charts/trace_chart.h"
#include "app/widgets/legend_row.h"
#include "app/widgets/policy_words.h"

namespace lanescope::app {

namespace {

constexpr int kTwoColumns = 560, kThreeColumns = 1020;

PlotLine lineOf(int id, const QString& name, const QColor& color, Points points) {
    PlotLine line;
    line.lane = id;
    line.name = name;
    line.color = color;
    line.x = std::move(points.x);
    line.y = std::move(points.y);
    return line;
}

bool isShare(int chart) {
    return chart == ServingCharts::Ttft || chart == ServingCharts::Itl;
}

}  // namespace

ServingCharts::ServingCharts(QWidget* parent)
    : QWidget(parent), m_policies(new LegendRow), m_policy(new QComboBox), m_grid(new QGridLayout) {
    const std::array<std::pair<QString, QString>, kCharts> titles{
        std::pair{tr("Arrivals and queue"), tr("requests")},
        std::pair{tr("Batch"), tr("requests")},
        std::pair{tr("Computed in a pass"), tr("tokens")},
        std::pair{tr("Throughput"), tr("tok/s")},
        std::pair{tr("TTFT, requests within x"), QStringLiteral("%")},
        std::pair{tr("ITL, gaps within x"), QStringLiteral("%")}};
    for (int i = 0; i < kCharts; ++i) {
        const auto at = static_cast<std::size_t>(i);
        auto* chart = new TraceChart(titles[at].first, titles[at].second,
                                     i == Throughput || isShare(i) ? 1 : 0);
        chart->setSteps(true);
        if (isShare(i)) chart->setYTop(100.0);
        chart->setMinimumHeight(120);
        m_charts[at] = chart;
        auto* cell = new QWidget;
        auto* column = new QVBoxLayout(cell);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(chart, 1);
        if (at < m_legends.size()) {
            m_legends[at] = new LegendRow;
            // One line: wrapped ones would make the height of the page follow its width.
            m_legends[at]->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
            auto* indented = new QHBoxLayout;
            indented->setContentsMargins(kSpaceXl, 0, kSpace, kSpaceXs);
            indented->addWidget(m_legends[at]);
            column->addLayout(indented);
        }
        m_cells[at] = cell;
        connect(themeNotifier(), &ThemeNotifier::changed, chart, &TraceChart::applyTheme);
        const bool share = isShare(i);
        connect(chart, &TraceChart::hovered, this, [this, share, chart](double x) {
            for (int k = 0; k < kCharts; ++k)
                if (share ? m_charts[static_cast<std::size_t>(k)] == chart : !isShare(k))
                    m_charts[static_cast<std::size_t>(k)]->setCrosshair(x);
        });
        connect(chart, &TraceChart::rangeChosen, this, [this, share, chart](double lo, double hi) {
            for (int k = 0; k < kCharts; ++k)
                if (share ? m_charts[static_cast<std::size_t>(k)] == chart : !isShare(k))
                    m_charts[static_cast<std::size_t>(k)]->setXRange(lo, hi);
        });
    }
    m_charts[Tokens]->setToolTip(
        tr("Tokens of prompts and steps of decoding that each forward pass computed"));
    m_charts[Throughput]->setToolTip(
        tr("Tokens given out in stretches of equal length, divided by their length"));
    m_charts[Ttft]->setToolTip(
        tr("Share of the requests whose first token came within x ms of their arrival"));
    m_charts[Itl]->setToolTip(
        tr("Share of the gaps between two tokens of a request that were at most x ms long"));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    bar->setSpacing(kSpace);
    auto* label = new QLabel(tr("Over time:"));
    label->setBuddy(m_policy);
    m_policy->setAccessibleName(tr("Policy whose passes are shown over time"));
    m_policy->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    bar->addWidget(label);
    bar->addWidget(m_policy);
    bar->addSpacing(kSpaceL);
    m_policies->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    bar->addWidget(m_policies, 1);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addLayout(m_grid, 1);
    m_next.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, &ServingCharts::showAll);
    connect(m_policy, &QComboBox::activated, this, [this] {
        m_byHand = true;
        refill();
    });
    connect(themeNotifier(), &ThemeNotifier::changed, this, &ServingCharts::refill);
    arrange();
}

void ServingCharts::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void ServingCharts::arrange() {
    const int columns = width() >= kThreeColumns ? 3 : width() >= kTwoColumns ? 2 : 1;
    if (columns == m_columns) return;
    m_columns = columns;
    for (int i = 0; i < kCharts; ++i) {
        m_grid->removeWidget(m_cells[static_cast<std::size_t>(i)]);
        m_grid->addWidget(m_cells[static_cast<std::size_t>(i)], i / columns, i % columns);
    }
    for (int i = 0; i < 3; ++i) m_grid->setColumnStretch(i, i < columns ? 1 : 0);
    for (int i = 0; i < kCharts; ++i)
        m_grid->setRowStretch(i, i < (kCharts + columns - 1) / columns ? 1 : 0);
}

void ServingCharts::setRun(const ServingRun& run, const profiler::ServingGoal& goal) {
    if (run.arrivalSeconds != m_arrivals) {
        m_arrivals = run.arrivalSeconds;
        m_byHand = false;
        for (TraceChart* chart : m_charts) chart->setXRange(0.0, 0.0);
    }
    m_run = &run;
    m_goal = goal;
    fillPolicies(run);
    refill();
}

void ServingCharts::fillPolicies(const ServingRun& run) {
    QStringList names;
    int running = -1;
    std::vector<LegendEntry> entries;
    for (const PolicyRun& policy : run.policies) {
        if (policy.state == PolicyState::Running) running = static_cast<int>(names.size());
        names << policyName(policy.policy);
        entries.push_back({policyName(policy.policy), policyColor(policy.policy)});
    }
    QStringList before;
    for (int i = 0; i < m_policy->count(); ++i) before << m_policy->itemText(i);
    if (before != names) {
        m_policy->clear();
        m_policy->addItems(names);
        m_policies->setEntries(entries);
    }
    if (m_byHand) return;
    // Once all is over the first one is what others are held against.
    m_policy->setCurrentIndex(running >= 0 ? running : names.isEmpty() ? -1 : 0);
}

void ServingCharts::refill() {
    if (m_run == nullptr) return;
    const int chosen = m_policy->currentIndex();
    if (chosen >= 0 && chosen < static_cast<int>(m_run->policies.size()))
        showPolicy(*m_run, m_run->policies[static_cast<std::size_t>(chosen)]);
    else
        for (const Chart chart : {Arrivals, Batch, Tokens}) m_charts[chart]->setLines({}, {});
    m_next.start(0);
}

ServingCharts::Known ServingCharts::known(std::size_t policy, double window) {
    const PolicyRun& one = m_run->policies[policy];
    if (m_known.size() <= policy) m_known.resize(policy + 1);
    Known& kept = m_known[policy];
    if (one.over() && kept.tStartNs == one.tStartNs) {
        if (kept.window != window) kept.speed = throughput(one, window);
        kept.window = window;
        return kept;
    }
    kept = {one.tStartNs, window, throughput(one, window), cumulativeShare(ttftValues(one)),
            cumulativeShare(itlValues(one))};
    Known fresh = kept;
    if (!one.over()) kept = {};
    return fresh;
}

void ServingCharts::showPolicy(const ServingRun& run, const PolicyRun& policy) {
    const ThemeColors& c = themeColors();
    const QColor strong = policyColor(policy.policy);
    const QString time = tr("time since the start (s)");
    const std::array<std::vector<PlotLine>, 3> lines{
        std::vector{
            lineOf(0, tr("arrived"), c.textMuted, arrivedOverTime(run, policy)),
            lineOf(1, tr("ended"), strong, endedOverTime(policy)),
            lineOf(2, tr("waiting"), c.bad, overPasses(policy, &trace::BatchStep::waiting))},
        std::vector{
            lineOf(0, tr("running"), c.textMuted, overPasses(policy, &trace::BatchStep::running)),
            lineOf(1, tr("in the pass"), strong, overPasses(policy, &trace::BatchStep::sequences)),
            lineOf(2, tr("preempted so far"), c.bad,
                   totalOverPasses(policy, &trace::BatchStep::preemptions))},
        std::vector{
            lineOf(0, tr("prompt"), c.accent, overPasses(policy, &trace::BatchStep::promptTokens)),
            lineOf(1, tr("decoding"), strong,
                   overPasses(policy, &trace::BatchStep::decodeTokens))}};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::vector<LegendEntry> entries;
        for (const PlotLine& line : lines[i]) entries.push_back({line.name, line.color});
        m_legends[i]->setEntries(std::move(entries));
        m_charts[i]->setLines(lines[i], time);
    }
}

void ServingCharts::showAll() {
    if (m_run == nullptr) return;
    const ServingRun& run = *m_run;
    std::vector<PlotLine> speed, ttft, itl;
    const double window = throughputWindow(run);
    for (std::size_t i = 0; i < run.policies.size(); ++i) {
        const PolicyRun& policy = run.policies[i];
        const int id = static_cast<int>(policy.policy);
        const QString name = policyName(policy.policy);
        const QColor color = policyColor(policy.policy);
        Known lines = known(i, window);
        speed.push_back(lineOf(id, name, color, std::move(lines.speed)));
        ttft.push_back(lineOf(id, name, color, std::move(lines.ttft)));
        itl.push_back(lineOf(id, name, color, std::move(lines.itl)));
    }
    const auto addGoal = [](std::vector<PlotLine>& lines, double at) {
        // Only where it does not push the data aside.
        double most = 0.0;
        for (const PlotLine& line : lines)
            if (!line.x.empty()) most = std::max(most, line.x.back());
        if (at <= most)
            lines.push_back(lineOf(9, tr("goal"), themeColors().textMuted, {{at, at}, {0, 100}}));
    };
    addGoal(ttft, m_goal.ttftMs);
    m_charts[Throughput]->setTitle(
        tr("Throughput in stretches of %1").arg(durationText(window * 1e3)), tr("tok/s"));
    m_charts[Throughput]->setLines(std::move(speed), tr("time since the start (s)"));
    m_charts[Ttft]->setLines(std::move(ttft), tr("TTFT (ms)"));
    m_charts[Itl]->setLines(std::move(itl), tr("ITL (ms)"));
}

}  // namespace lanescope::app
