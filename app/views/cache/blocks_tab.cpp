#include "app/views/cache/blocks_tab.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/views/cache/block_view.h"
#include "app/views/charts/trace_chart.h"
#include "app/widgets/empty_state.h"
#include "app/widgets/facts_grid.h"
#include "app/widgets/legend_row.h"
#include "app/widgets/policy_words.h"
#include "engine/base/clock.h"

namespace lanescope::app {

namespace {

constexpr std::int64_t kFrameMs = 33;
constexpr std::int64_t kFactsNs = 250'000'000;
constexpr double kMiB = 1024.0 * 1024.0;

QString percentOf(double part, double whole) {
    return whole > 0.0 ? QStringLiteral("%1 %").arg(shortNumber(100.0 * part / whole))
                       : QStringLiteral("–");
}

}  // namespace

BlocksTab::BlocksTab(CacheLog* log, ServingController* serving, QWidget* parent)
    : QWidget(parent),
      m_log(log),
      m_serving(serving),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(
          tr("Here every block of the KV cache is a cell: which sequence holds it, which are "
             "shared, kept or evicted, while a run or the serving of many requests goes on, and "
             "afterwards at any moment; memory by lane over time beside it."))),
      m_lane(new QComboBox),
      m_source(new QLabel),
      m_map(new BlockView),
      m_legend(new LegendRow),
      m_time(new QSlider(Qt::Horizontal)),
      m_follow(new QToolButton),
      m_timeText(new QLabel),
      m_facts(new FactsGrid(1)),
      m_memory(new TraceChart(tr("KV memory"), QStringLiteral("MiB"), 2)),
      m_blocks(new TraceChart(tr("Blocks in a pass"), tr("blocks"), 0)),
      m_memoryLegend(new LegendRow),
      m_blocksLegend(new LegendRow),
      m_blocksCell(new QWidget) {
    m_empty->button()->setObjectName(QStringLiteral("watchServing"));
    connect(m_empty->button(), &QPushButton::clicked, this, &BlocksTab::runRequested);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(buildContent());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &BlocksTab::refresh);
    connect(m_log, &CacheLog::changed, this, &BlocksTab::schedule);
    connect(m_log, &CacheLog::began, this, [this] {
        m_map->setMap(nullptr);
        m_follow->setChecked(true);
    });
    connect(m_log, &CacheLog::ended, this, &BlocksTab::lookAtBusiest);
    connect(m_lane, &QComboBox::currentIndexChanged, this, [this] {
        m_pastNs = -1;
        schedule();
    });
    connect(m_time, &QSlider::valueChanged, this, [this] {
        m_follow->setChecked(false);
        schedule();
    });
    connect(m_follow, &QToolButton::toggled, this, &BlocksTab::schedule);
    connect(themeNotifier(), &ThemeNotifier::changed, this, [this] {
        m_legend->setEntries(BlockView::legend());
        schedule();
    });
    if (m_log->source() != CacheLog::Source::None && !m_log->live()) lookAtBusiest();
    refresh();
}

QPushButton* BlocksTab::emptyButton() const {
    return m_empty->button();
}

void BlocksTab::setEmptyAction(const QString& text, bool enabled) {
    m_empty->button()->setText(text);
    m_empty->button()->setEnabled(enabled);
}

void BlocksTab::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

bool BlocksTab::follows() const {
    return m_follow->isChecked();
}

const CacheLog::Lane* BlocksTab::lane() const {
    const auto at = static_cast<std::size_t>(std::max(m_lane->currentIndex(), 0));
    return at < m_log->lanes().size() ? &m_log->lanes()[at] : nullptr;
}

std::int64_t BlocksTab::shownNs() const {
    const CacheLog::Lane* shown = lane();
    if (shown == nullptr) return 0;
    if (m_follow->isChecked()) return shown->lastNs();
    const double share = static_cast<double>(m_time->value()) / kMoments;
    return shown->firstNs() + static_cast<std::int64_t>(
                                  share * static_cast<double>(shown->lastNs() - shown->firstNs()));
}

void BlocksTab::showMoment(double fraction) {
    m_time->setValue(static_cast<int>(fraction * kMoments));
    m_follow->setChecked(false);
    m_timer.stop();
    refresh();
}

void BlocksTab::lookAtBusiest() {
    // Afterwards everything is free again: what is worth seeing is the fullest moment.
    fillLanes();
    const auto most = [](const CacheLog::Lane& one) {
        int blocks = 0;
        for (const trace::KvEvent& event : one.kv) blocks = std::max(blocks, event.blocksInUse);
        return blocks;
    };
    const auto fullest = std::ranges::max_element(m_log->lanes(), {}, most);
    if (fullest != m_log->lanes().end()) {
        const QSignalBlocker noLane(m_lane);
        m_lane->setCurrentIndex(static_cast<int>(fullest - m_log->lanes().begin()));
    }
    const CacheLog::Lane* shown = lane();
    if (shown == nullptr || shown->lastNs() <= shown->firstNs()) return;
    const double share = static_cast<double>(shown->busiestNs() - shown->firstNs()) /
                         static_cast<double>(shown->lastNs() - shown->firstNs());
    const QSignalBlocker noTime(m_time), noFollow(m_follow);
    // Up to the next mark, so that the moment itself is in it.
    m_time->setValue(std::min(static_cast<int>(share * kMoments) + 1, kMoments));
    m_follow->setChecked(false);
    m_pastNs = -1;
    schedule();
}

const PolicyRun* BlocksTab::policyOf(const CacheLog::Lane& lane) const {
    if (m_log->source() != CacheLog::Source::Serving) return nullptr;
    const auto& policies = m_serving->run().policies;
    const auto at = static_cast<std::size_t>(std::max(lane.section, 0));
    return at < policies.size() ? &policies[at] : nullptr;
}

QString BlocksTab::nameOf(const CacheLog::Lane& lane) const {
    const QString name = tr("Lane %1").arg(lane.name);
    const PolicyRun* policy = policyOf(lane);
    return policy == nullptr ? name : name + QStringLiteral(" · ") + policyName(policy->policy);
}

void BlocksTab::fillLanes() {
    QStringList names;
    for (const CacheLog::Lane& one : m_log->lanes()) names << nameOf(one);
    QStringList before;
    for (int i = 0; i < m_lane->count(); ++i) before << m_lane->itemText(i);
    if (names == before) return;
    const int index = std::max(m_lane->currentIndex(), 0);
    const QSignalBlocker blocker(m_lane);
    m_lane->clear();
    m_lane->addItems(names);
    if (names.isEmpty()) return;
    // What runs now is what is watched.
    const int newest = static_cast<int>(names.size()) - 1;
    m_lane->setCurrentIndex(m_log->live() && m_follow->isChecked() ? newest
                                                                   : std::min(index, newest));
}

void BlocksTab::schedule() {
    if (m_timer.isActive()) return;
    m_timer.start(static_cast<int>(std::max(kFrameMs, 4 * m_costNs / 1'000'000)));
}

void BlocksTab::refresh() {
    m_stack->setCurrentIndex(m_log->source() == CacheLog::Source::None ? 0 : 1);
    if (!isVisible() || m_log->source() == CacheLog::Source::None) return;
    const std::int64_t start = nowNs();
    fillLanes();
    m_source->setText(m_log->source() == CacheLog::Source::Serving ? tr("Serving:") : tr("Run:"));
    showMap();
    if (!m_log->live() || nowNs() - m_lastFactsNs > kFactsNs) {
        m_lastFactsNs = nowNs();
        showFacts();
        showCharts();
    }
    m_costNs = nowNs() - start;
}

void BlocksTab::showMap() {
    const CacheLog::Lane* shown = lane();
    if (shown == nullptr) {
        m_map->setMap(nullptr);
        m_map->setEmptyText(tr("Loading…"));
        return;
    }
    const bool notKept = shown->blocks.empty() && !shown->kv.empty();
    m_map->setEmptyText(notKept ? tr("The blocks of a stored run are not kept one by one: run it "
                                     "again to see them.")
                                : tr("No block has been used yet."));
    const std::int64_t t = shownNs();
    const double all = static_cast<double>(shown->lastNs() - shown->firstNs()) / 1e9;
    const double at = static_cast<double>(t - shown->firstNs()) / 1e9;
    m_timeText->setText(tr("%1 s / %2 s").arg(fixedNumber(at, 2), fixedNumber(all, 2)));
    if (shown->blocks.empty()) {
        m_map->setMap(nullptr);
    } else if (m_follow->isChecked()) {
        {
            const QSignalBlocker blocker(m_time);
            m_time->setValue(kMoments);
        }
        const auto index = static_cast<std::size_t>(std::max(m_lane->currentIndex(), 0));
        m_map->setMap(m_log->present(index));
        m_pastNs = -1;
    } else {
        if (t != m_pastNs) {
            m_past = shown->at(t);
            m_pastNs = t;
        }
        m_map->setMap(&m_past);
    }
    m_map->refresh();
}

const trace::BatchStep* BlocksTab::passAt(const CacheLog::Lane& lane, std::int64_t tNs) const {
    const PolicyRun* policy = policyOf(lane);
    if (policy == nullptr) return nullptr;
    const auto later =
        std::ranges::upper_bound(policy->steps, tNs, {}, &trace::BatchStep::tStartNs);
    return later == policy->steps.begin() ? nullptr : &*(later - 1);
}

void BlocksTab::showFacts() {
    const CacheLog::Lane* shown = lane();
    std::vector<Fact> facts;
    const FactList add(facts);
    if (shown != nullptr && !shown->blocks.empty()) {
        const BlockMap& map = m_follow->isChecked() ? shown->now : m_past;
        const BlockMap::Counts& n = map.counts();
        const auto cells = static_cast<double>(map.cells().size());
        const auto bytes = [&](std::int64_t blocks) {
            return bytesText(static_cast<std::uint64_t>(blocks) * shown->pool.blockBytes);
        };
        add(tr("Blocks"),
            tr("%1 of %2 tokens").arg(map.cells().size()).arg(shown->pool.blockTokens),
            tr("Of the lane's pool; a block holds its tokens' keys and values of all layers"));
        add(tr("Block size"), bytesText(shown->pool.blockBytes));
        add(tr("Held"), QStringLiteral("%1 · %2 · %3")
                            .arg(n.held)
                            .arg(percentOf(n.held, cells), bytes(n.held)));
        add(tr("Shared"), QStringLiteral("%1").arg(n.shared), tr("Held by two or more sequences"));
        add(tr("Saved by sharing"),
            QStringLiteral("%1 · %2").arg(n.sparedReads).arg(bytes(n.sparedReads)),
            tr("Blocks that would be there a second time: readers beyond the first"));
        add(tr("Kept"), QStringLiteral("%1").arg(n.kept),
            tr("Held by none; their content is known and is read again when a text begins so"));
        add(tr("Free"), QStringLiteral("%1").arg(n.free));
        add(tr("Evictions"), QStringLiteral("%1").arg(n.evictions),
            tr("Kept blocks that had to make room, up to this moment"));
        if (const trace::BatchStep* pass = passAt(*shown, shownNs())) {
            const std::int64_t places = pass->blocksInUse * shown->pool.blockTokens;
            const std::int64_t empty = std::max<std::int64_t>(
                pass->blocksRead * shown->pool.blockTokens - pass->tokensHeld, 0);
            add(tr("Empty places"),
                QStringLiteral("%1 · %2").arg(empty).arg(
                    percentOf(static_cast<double>(empty), static_cast<double>(places))),
                tr("Fragmentation: places of tokens in held blocks that held none when the pass "
                   "began"));
        }
    }
    m_facts->setFacts(facts);
}

void BlocksTab::showCharts() {
    // Lanes of a run take turns; policies are held against each other, each from its own start.
    const bool serving = m_log->source() == CacheLog::Source::Serving;
    std::int64_t start = 0;
    for (const CacheLog::Lane& one : m_log->lanes())
        if (!one.kv.empty() && (start == 0 || one.firstNs() < start)) start = one.firstNs();
    const auto seconds = [&](const CacheLog::Lane& one, std::int64_t ns) {
        return static_cast<double>(ns - (serving ? one.firstNs() : start)) / 1e9;
    };
    std::vector<PlotLine> memory;
    std::vector<LegendEntry> lanes;
    for (const CacheLog::Lane& one : m_log->lanes()) {
        const PolicyRun* policy = policyOf(one);
        PlotLine line;
        line.lane = one.lane;
        line.name = policy != nullptr ? policyName(policy->policy) : one.name;
        line.color = policy != nullptr ? policyColor(policy->policy) : laneColor(one.lane);
        for (const trace::KvEvent& event : one.kv) {
            line.x.push_back(seconds(one, event.tNs));
            line.y.push_back(static_cast<double>(event.bytesInUse) / kMiB);
        }
        lanes.push_back({line.name, line.color});
        memory.push_back(std::move(line));
    }
    m_memoryLegend->setEntries(std::move(lanes));
    const QString time = tr("time since the first block (s)");
    m_memory->setLines(std::move(memory), time);
    const CacheLog::Lane* shown = lane();
    std::vector<PlotLine> blocks(3);
    const ThemeColors& c = themeColors();
    blocks[0].name = tr("held");
    blocks[0].color = c.accent;
    blocks[1].name = tr("shared");
    blocks[1].color = laneColor(1);
    blocks[2].name = tr("kept");
    blocks[2].color = laneColor(3);
    const PolicyRun* policy = shown != nullptr ? policyOf(*shown) : nullptr;
    if (policy != nullptr)
        for (const trace::BatchStep& step : policy->steps) {
            for (PlotLine& line : blocks) line.x.push_back(seconds(*shown, step.tStartNs));
            blocks[0].y.push_back(step.blocksInUse);
            blocks[1].y.push_back(step.blocksShared);
            blocks[2].y.push_back(step.blocksKept);
        }
    std::vector<LegendEntry> entries;
    for (const PlotLine& line : blocks) entries.push_back({line.name, line.color});
    m_blocksLegend->setEntries(std::move(entries));
    const bool some = !blocks[0].x.empty();
    m_blocks->setLines(some ? std::move(blocks) : std::vector<PlotLine>{}, time);
    m_blocksCell->setVisible(some);
}

}  // namespace lanescope::app
