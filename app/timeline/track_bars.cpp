#include "app/timeline/track_bars.h"

#include <algorithm>
#include <cmath>

namespace lanescope::app {

namespace {

/// Where a pixel is made of many items, so many of them stay together, though some of them may lie
/// a part of a pixel further right.
std::size_t itemsLeftWhole(const IntervalIndex& row, const Items& items, TimeRange visible,
                           double width) {
    constexpr double kAPixel = 16.0;
    const std::size_t first = row.advance(items, 0, visible.startNs, nullptr);
    const std::size_t last = row.advance(items, first, visible.endNs, nullptr);
    const double inPixel = static_cast<double>(last - first) / width;
    for (const std::size_t whole :
         {IntervalIndex::kLeaf * IntervalIndex::kFan, IntervalIndex::kLeaf})
        if (inPixel >= kAPixel * static_cast<double>(whole)) return whole;
    return 1;
}

}  // namespace

std::vector<Bar> visibleBars(const IntervalIndex& row, const Items& items, TimeRange visible,
                             double width, double xFrom, double xTo) {
    std::vector<Bar> bars;
    if (row.empty() || width <= 0.0 || visible.length() <= 0) return bars;
    const double nsPerPixel = static_cast<double>(visible.length()) / width;
    const auto timeOf = [&](double x) {
        return visible.startNs + static_cast<std::int64_t>(std::ceil(x * nsPerPixel));
    };
    const std::int64_t until = std::min(timeOf(xTo), visible.endNs);
    const std::size_t whole = itemsLeftWhole(row, items, visible, width);
    std::size_t at = row.firstEndingAfter(items, timeOf(std::floor(xFrom)) - 1);
    while (at < row.size()) {
        const auto node = whole > 1 ? row.wholeAt(at, whole) : std::nullopt;
        const std::int64_t start = node ? node->lastStartNs : row.start(items, at);
        if (start >= until) break;
        Bar bar;
        bar.first = at;
        bar.x = timeToX(start, visible, width);
        if (!node || static_cast<double>(node->longestNs) >= nsPerPixel) {
            const double end = timeToX(row.end(items, at), visible, width);
            if (end - bar.x >= 1.0) {
                bar.item = row.item(at);
                bar.width = end - bar.x;
                ++at;
                bars.push_back(bar);
                continue;
            }
        }
        // All that begins within this pixel, in one sum.
        const double column = std::floor(bar.x);
        const std::int64_t columnEnd = std::max(timeOf(column + 1.0), start + 1);
        IntervalIndex::Sum sum;
        at = row.advance(items, at, columnEnd, &sum, whole);
        bar.x = column;
        bar.count = sum.count;
        bar.item = sum.longest;
        bar.width = std::max(1.0, timeToX(sum.maxEndNs, visible, width) - column);
        bar.fill = static_cast<float>(
            std::clamp(static_cast<double>(sum.busyNs) / (bar.width * nsPerPixel), 0.0, 1.0));
        bars.push_back(bar);
    }
    return bars;
}

std::vector<Bar> visibleBars(const IntervalIndex& row, const Items& items, TimeRange visible,
                             double width) {
    return visibleBars(row, items, visible, width, 0.0, width);
}

std::size_t itemAt(const IntervalIndex& row, const Items& items, std::int64_t tNs,
                   std::int64_t slackNs) {
    const std::size_t after = row.firstEndingAfter(items, tNs - 1);
    if (after < row.size() && row.start(items, after) <= tNs) return after;
    std::size_t best = row.size();
    std::int64_t nearest = slackNs;
    if (after < row.size() && row.start(items, after) - tNs <= nearest) {
        nearest = row.start(items, after) - tNs;
        best = after;
    }
    if (after > 0 && tNs - row.end(items, after - 1) <= nearest) best = after - 1;
    return best;
}

}  // namespace lanescope::app
