#include "app/timeline/timeline_view.h"

#include <QEvent>
#include <QSettings>
#include <algorithm>
#include <cmath>

#include "app/theme/theme.h"
#include "app/timeline/item_links.h"
#include "app/timeline/item_style.h"
#include "app/timeline/timeline_metrics.h"

namespace lanescope::app {

namespace {
constexpr std::size_t kMaxZoomHistory = 64;
const QString kCollapsedKey = QStringLiteral("kernels/collapsed");
}  // namespace

TimelineView::TimelineView(Selection* selection, QWidget* parent)
    : QWidget(parent),
      m_selection(selection),
      m_collapsed(QSettings().value(kCollapsedKey).toStringList()) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Kernel timeline"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(m_selection, &Selection::changed, this, &TimelineView::onSelectionChanged);
    connect(&m_loader, &TimelineLoader::ready, this, &TimelineView::adopt);
    connect(&m_loader, &TimelineLoader::progressed, this, [this] {
        if (m_timeline == nullptr) update();
    });
}

void TimelineView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) setAccessibleName(tr("Kernel timeline"));
    QWidget::changeEvent(event);
}

void TimelineView::setRun(profiler::RunSnapshot run) {
    m_wanted = run;
    const bool sameRun = run && m_timeline && run->header.id == m_timeline->run->header.id &&
                         run->imported == m_timeline->run->imported;
    if (!sameRun && m_timeline != nullptr) {
        releaseElsewhere(std::move(m_timeline));
        adopt(nullptr);
    }
    m_loader.load(std::move(run));
}

void TimelineView::adopt(TimelinePtr timeline) {
    const bool fresh = m_timeline == nullptr;
    const bool wasAll = fresh || m_visible == m_timeline->full;
    if (timeline == nullptr || fresh) {
        m_selected = {};
        m_links.clear();
        m_zoomHistory.clear();
    } else {
        keepSelectedItem(timeline);
    }
    m_timeline = std::move(timeline);
    if (wasAll) m_visible = fullTimeRange();
    relayout();
    if (fresh && m_timeline != nullptr) onSelectionChanged();
    emit timelineChanged();
    emit visibleRangeChanged();
}

void TimelineView::keepSelectedItem(const TimelinePtr& next) {
    // A span that was recorded late may have moved the others by a place.
    if (!m_selected.valid() || m_selected.kind == ItemKind::Event) return;
    const Items items(*next->run, m_selected.kind);
    const std::size_t n = m_selected.kind == ItemKind::Span ? next->run->spans.size()
                                                            : next->run->deviceActivities.size();
    for (std::int64_t moved = 0; moved < 64; ++moved) {
        for (const std::int64_t at : {m_selected.index + moved, m_selected.index - moved}) {
            if (at < 0 || at >= static_cast<std::int64_t>(n)) continue;
            if (items.start(static_cast<std::uint32_t>(at)) != m_selectedStartNs) continue;
            m_selected.index = at;
            return;
        }
    }
    m_selected = {};
    m_links.clear();
}

TimeRange TimelineView::fullTimeRange() const {
    return m_timeline != nullptr ? m_timeline->full : TimeRange{0, 1};
}

double TimelineView::plotLeft() const {
    return kTimelineLabelWidth;
}
double TimelineView::plotWidth() const {
    return std::max(1.0, static_cast<double>(width()) - kTimelineLabelWidth - 8.0);
}

void TimelineView::relayout() {
    m_lines = m_timeline != nullptr ? timelineLines(*m_timeline, m_collapsed, kTimelineTop)
                                    : std::vector<TimelineLine>{};
    setMinimumHeight(m_lines.empty() ? 0 : sizeHint().height());
    updateGeometry();
    update();
}

QSize TimelineView::sizeHint() const {
    const double bottom =
        m_lines.empty() ? kTimelineTop + 40.0 : m_lines.back().y + m_lines.back().height;
    return {640, static_cast<int>(std::ceil(bottom)) + 8};
}
QSize TimelineView::minimumSizeHint() const {
    return {240, 120};
}

std::int64_t TimelineView::timeAt(double x) const {
    return xToTime(x - plotLeft(), m_visible, plotWidth());
}

const IntervalIndex& TimelineView::rowOf(const TimelineLine& line) const {
    return m_timeline->tracks[static_cast<std::size_t>(line.track)]
        .rows[static_cast<std::size_t>(line.row)];
}

ItemRef TimelineView::hitTest(const QPointF& pos) const {
    const int index = lineAt(m_lines, pos.y());
    if (index < 0 || m_timeline == nullptr || pos.x() < plotLeft()) return {};
    const TimelineLine& line = m_lines[static_cast<std::size_t>(index)];
    if (line.isHeader()) return {};
    const Track& track = m_timeline->tracks[static_cast<std::size_t>(line.track)];
    const IntervalIndex& row = rowOf(line);
    const auto slack =
        static_cast<std::int64_t>(1.5 * static_cast<double>(m_visible.length()) / plotWidth());
    const std::size_t at = itemAt(row, m_timeline->items(track), timeAt(pos.x()), slack);
    if (at >= row.size()) return {};
    return {track.items, row.item(at)};
}

QRectF TimelineView::itemRect(const ItemRef& item) const {
    if (m_timeline == nullptr) return {};
    const auto place = m_timeline->find(item);
    const int index = lineOf(m_lines, *m_timeline, place.track, place.row);
    if (index < 0 || m_lines[static_cast<std::size_t>(index)].isHeader()) return {};
    const TimelineLine& line = m_lines[static_cast<std::size_t>(index)];
    const Items items = itemsOf(item);
    const auto i = static_cast<std::uint32_t>(item.index);
    const double x0 = plotLeft() + timeToX(items.start(i), m_visible, plotWidth());
    const double x1 = plotLeft() + timeToX(items.end(i), m_visible, plotWidth());
    return {x0, line.y, std::max(1.0, x1 - x0), line.height};
}

bool TimelineView::collapsed(std::size_t group) const {
    return m_timeline != nullptr && m_collapsed.contains(groupKey(*m_timeline, group));
}

void TimelineView::setCollapsed(std::size_t group, bool collapsed) {
    if (m_timeline == nullptr || group >= m_timeline->groups.size()) return;
    const QString key = groupKey(*m_timeline, group);
    m_collapsed.removeAll(key);
    if (collapsed) m_collapsed.prepend(key);
    if (m_collapsed.size() > 200) m_collapsed.removeLast();
    QSettings().setValue(kCollapsedKey, m_collapsed);
    relayout();
}

void TimelineView::setAllCollapsed(bool collapsed) {
    if (m_timeline == nullptr) return;
    for (std::size_t g = 0; g < m_timeline->groups.size(); ++g) setCollapsed(g, collapsed);
}

void TimelineView::pushZoom() {
    if (!m_zoomHistory.empty() && m_zoomHistory.back() == m_visible) return;
    m_zoomHistory.push_back(m_visible);
    if (m_zoomHistory.size() > kMaxZoomHistory) m_zoomHistory.erase(m_zoomHistory.begin());
}

void TimelineView::setVisibleRange(TimeRange range) {
    const TimeRange full = fullTimeRange();
    const TimeRange next = zoomed(panned(range, 0, full), 1.0, range.startNs, full);
    if (next == m_visible) return;
    m_visible = next;
    update();
    emit visibleRangeChanged();
}

void TimelineView::fitAll() {
    pushZoom();
    setVisibleRange(fullTimeRange());
}

void TimelineView::fitSelection() {
    const auto& state = m_selection->state();
    TimeRange range{state.tStartNs, state.tEndNs};
    if (range.startNs < 0 || range.length() <= 0) {
        if (!m_selected.valid()) return;
        const Items items = itemsOf(m_selected);
        range = {items.start(static_cast<std::uint32_t>(m_selected.index)),
                 items.end(static_cast<std::uint32_t>(m_selected.index))};
    }
    pushZoom();
    const std::int64_t margin = range.length() / 10;
    setVisibleRange({range.startNs - margin, range.endNs + margin});
}

void TimelineView::setSelectedItem(const ItemRef& item) {
    m_selected = item;
    m_links.clear();
    setAccessibleDescription({});
    if (item.valid() && m_timeline != nullptr) {
        const auto i = static_cast<std::uint32_t>(item.index);
        m_selectedStartNs = itemsOf(item).start(i);
        m_links = linkedItems(*m_timeline, item);
        setAccessibleDescription(itemDescription(itemsOf(item), i));
    }
    update();
}

void TimelineView::selectItem(const ItemRef& item) {
    if (m_timeline == nullptr) return;
    setSelectedItem(item);
    m_selecting = true;
    m_selection->set(selectionOf(*m_timeline, item));
    m_selecting = false;
}

void TimelineView::onSelectionChanged() {
    update();
    if (m_selecting || m_timeline == nullptr) return;
    const auto& state = m_selection->state();
    const bool ofTime = state.tStartNs >= 0 && state.tEndNs > state.tStartNs;
    if (ofTime) return;
    if (state.token < 0) {
        if (m_selection->empty()) setSelectedItem({});
        return;
    }
    // A token chosen elsewhere: its step.
    const ItemRef step = stepItem(*m_timeline, state.lane, state.request, state.token);
    if (step == m_selected) return;
    setSelectedItem(step);
    if (step.valid()) bringIntoView(step);
}

void TimelineView::bringIntoView(const ItemRef& item) {
    const Items items = itemsOf(item);
    const auto i = static_cast<std::uint32_t>(item.index);
    const std::int64_t start = items.start(i), end = items.end(i);
    if (end - start > m_visible.length()) {
        pushZoom();
        const std::int64_t margin = (end - start) / 10;
        setVisibleRange({start - margin, end + margin});
    } else if (start < m_visible.startNs || end > m_visible.endNs) {
        setVisibleRange(
            panned(m_visible, start + (end - start) / 2 - (m_visible.startNs + m_visible.endNs) / 2,
                   fullTimeRange()));
    }
    const auto place = m_timeline->find(item);
    const int line = lineOf(m_lines, *m_timeline, place.track, place.row);
    if (line < 0) return;
    const TimelineLine& at = m_lines[static_cast<std::size_t>(line)];
    emit lineNeeded(static_cast<int>(at.y), static_cast<int>(at.height));
}

void TimelineView::stepSelection(int direction) {
    if (m_timeline == nullptr || m_timeline->tracks.empty()) return;
    auto place = m_timeline->find(m_selected);
    std::size_t next = 0;
    if (place.track < 0) {
        place = {0, 0, 0};
        // The first one in sight.
        const Track& track = m_timeline->tracks[0];
        next = track.rows[0].firstEndingAfter(m_timeline->items(track), m_visible.startNs);
    } else if (direction > 0) {
        next = place.position + 1;
    } else {
        next = place.position > 0 ? place.position - 1 : 0;
    }
    const Track& track = m_timeline->tracks[static_cast<std::size_t>(place.track)];
    const IntervalIndex& row = track.rows[static_cast<std::size_t>(place.row)];
    if (row.empty()) return;
    next = std::min(next, row.size() - 1);
    const ItemRef item{track.items, row.item(next)};
    selectItem(item);
    bringIntoView(item);
}

void TimelineView::enterSelection() {
    if (m_timeline == nullptr) return;
    const ItemRef inside = firstInside(*m_timeline, m_selected);
    if (!inside.valid()) return;
    selectItem(inside);
    bringIntoView(inside);
}

void TimelineView::leaveSelection() {
    if (m_timeline == nullptr) return;
    const ItemRef around = enclosing(*m_timeline, m_selected);
    if (!around.valid()) return;
    selectItem(around);
    bringIntoView(around);
}

void TimelineView::moveTrack(int direction) {
    if (m_timeline == nullptr || m_lines.empty()) return;
    const auto place = m_timeline->find(m_selected);
    int line = lineOf(m_lines, *m_timeline, place.track, place.row);
    const std::int64_t time =
        m_selected.valid() ? m_selectedStartNs : (m_visible.startNs + m_visible.endNs) / 2;
    if (line < 0 && direction < 0) return;
    for (line += direction; line >= 0 && line < static_cast<int>(m_lines.size());
         line += direction) {
        const TimelineLine& at = m_lines[static_cast<std::size_t>(line)];
        if (at.isHeader()) continue;
        const Track& track = m_timeline->tracks[static_cast<std::size_t>(at.track)];
        const IntervalIndex& row = rowOf(at);
        if (row.empty()) continue;
        std::size_t position = row.firstEndingAfter(m_timeline->items(track), time);
        position = std::min(position, row.size() - 1);
        const ItemRef item{track.items, row.item(position)};
        selectItem(item);
        bringIntoView(item);
        return;
    }
}

bool TimelineView::findNext(const QString& text) {
    if (text.isEmpty() || m_timeline == nullptr) return false;
    const NameMatch match(*m_timeline->run, text);
    if (match.none()) return false;
    const std::int64_t from = m_selected.valid() ? m_selectedStartNs : m_visible.startNs - 1;
    ItemRef best, wrapped;
    std::int64_t bestNs = 0, wrappedNs = 0;
    for (const Track& track : m_timeline->tracks) {
        const Items items = m_timeline->items(track);
        const auto consider = [&](const IntervalIndex& row, std::size_t at, ItemRef& found,
                                  std::int64_t& foundNs) {
            if (at >= row.size()) return;
            const std::int64_t start = items.start(row.item(at));
            if (found.valid() && start >= foundNs) return;
            found = {track.items, row.item(at)};
            foundNs = start;
        };
        const auto wanted = [&](std::uint32_t key) { return match.matches(track.items, key); };
        const std::uint32_t bits = match.keyBits(track.items);
        for (const IntervalIndex& row : track.rows) {
            const std::size_t after = row.advance(items, 0, from + 1, nullptr);
            consider(row, row.next(items, after, bits, wanted), best, bestNs);
            if (!best.valid()) consider(row, row.next(items, 0, bits, wanted), wrapped, wrappedNs);
        }
    }
    const ItemRef found = best.valid() ? best : wrapped;
    if (!found.valid()) return false;
    selectItem(found);
    bringIntoView(found);
    return true;
}

}  // namespace lanescope::app
