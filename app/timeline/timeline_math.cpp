#include "app/timeline/timeline_math.h"

#include <algorithm>
#include <cmath>

#include "engine/base/format.h"

namespace lanescope::app {

namespace {

TimeRange clamped(TimeRange range, TimeRange full) {
    const std::int64_t length =
        std::min(std::max(range.length(), kMinVisibleNs), std::max(full.length(), kMinVisibleNs));
    const std::int64_t start =
        std::clamp(range.startNs, full.startNs, std::max(full.startNs, full.endNs - length));
    return {start, start + length};
}

}  // namespace

TimeRange zoomed(TimeRange visible, double factor, std::int64_t anchorNs, TimeRange full) {
    if (!(factor > 0.0) || !std::isfinite(factor)) return visible;
    const double length = std::clamp(static_cast<double>(visible.length()) * factor,
                                     static_cast<double>(kMinVisibleNs),
                                     static_cast<double>(std::max(full.length(), kMinVisibleNs)));
    const double share = visible.length() > 0 ? static_cast<double>(anchorNs - visible.startNs) /
                                                    static_cast<double>(visible.length())
                                              : 0.5;
    const auto start = anchorNs - static_cast<std::int64_t>(std::llround(share * length));
    return clamped({start, start + static_cast<std::int64_t>(std::llround(length))}, full);
}

TimeRange panned(TimeRange visible, std::int64_t deltaNs, TimeRange full) {
    return clamped({visible.startNs + deltaNs, visible.endNs + deltaNs}, full);
}

double timeToX(std::int64_t tNs, TimeRange visible, double width) {
    if (visible.length() <= 0) return 0.0;
    const double x =
        static_cast<double>(tNs - visible.startNs) / static_cast<double>(visible.length()) * width;
    return std::clamp(x, -1e6, 1e6);
}

std::int64_t xToTime(double x, TimeRange visible, double width) {
    if (width <= 0.0) return visible.startNs;
    return visible.startNs + static_cast<std::int64_t>(
                                 std::llround(x / width * static_cast<double>(visible.length())));
}

std::vector<std::int64_t> rulerTicks(TimeRange visible, double width, double minPixels) {
    std::vector<std::int64_t> ticks;
    if (visible.length() <= 0 || width < minPixels) return ticks;
    const double wanted = static_cast<double>(visible.length()) * minPixels / width;
    const auto stepNs = static_cast<std::int64_t>(roundStep(std::max(1.0, wanted)));
    std::int64_t t = visible.startNs / stepNs * stepNs;
    if (t < visible.startNs) t += stepNs;
    for (; t <= visible.endNs; t += stepNs) ticks.push_back(t);
    return ticks;
}

}  // namespace lanescope::app
