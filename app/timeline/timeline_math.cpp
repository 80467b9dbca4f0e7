#include "app/timeline/timeline_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/base/format.h"
#include "profiler/analyse/stats.h"

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

std::vector<Track> buildTracks(std::span<const trace::Span> spans) {
    std::map<std::pair<std::int16_t, bool>, Track> byKey;  // (lane, ops?) so that phases come first
    for (const auto& span : spans) {
        if (span.tEndNs < span.tStartNs) continue;
        const bool phase = profiler::isPhase(span.op);
        Track& track = byKey[{span.lane, !phase}];
        track.lane = span.lane;
        track.phases = phase;
        track.spans.push_back(span);
    }
    std::vector<Track> tracks;
    tracks.reserve(byKey.size());
    for (auto& [key, track] : byKey) {
        std::stable_sort(track.spans.begin(), track.spans.end(),
                         [](const auto& a, const auto& b) { return a.tStartNs < b.tStartNs; });
        track.endsNs.reserve(track.spans.size());
        std::int64_t latest = std::numeric_limits<std::int64_t>::min();
        for (const auto& span : track.spans) {
            latest = std::max(latest, span.tEndNs);
            track.endsNs.push_back(latest);
        }
        tracks.push_back(std::move(track));
    }
    return tracks;
}

bool appendSpan(std::vector<Track>& tracks, const trace::Span& span) {
    if (span.tEndNs < span.tStartNs) return true;
    const bool phase = profiler::isPhase(span.op);
    for (auto& track : tracks) {
        if (track.lane != span.lane || track.phases != phase) continue;
        if (!track.spans.empty() && span.tStartNs < track.spans.back().tStartNs) return false;
        track.endsNs.push_back(track.endsNs.empty() ? span.tEndNs
                                                    : std::max(track.endsNs.back(), span.tEndNs));
        track.spans.push_back(span);
        return true;
    }
    return false;
}

TimeRange fullRange(std::span<const Track> tracks) {
    TimeRange range{std::numeric_limits<std::int64_t>::max(),
                    std::numeric_limits<std::int64_t>::min()};
    for (const auto& track : tracks) {
        if (track.spans.empty()) continue;
        range.startNs = std::min(range.startNs, track.spans.front().tStartNs);
        range.endNs = std::max(range.endNs, track.endsNs.back());
    }
    if (range.endNs <= range.startNs) return {0, 1};
    return range;
}

std::vector<Bar> visibleBars(const Track& track, TimeRange visible, double width) {
    std::vector<Bar> bars;
    if (track.spans.empty() || width <= 0.0 || visible.length() <= 0) return bars;
    const double nsPerPixel = static_cast<double>(visible.length()) / width;
    const auto begin = track.endsNs.begin();
    auto index = static_cast<std::size_t>(
        std::upper_bound(begin, track.endsNs.end(), visible.startNs) - begin);
    while (index < track.spans.size() && track.spans[index].tStartNs < visible.endNs) {
        const auto& span = track.spans[index];
        Bar bar;
        bar.first = static_cast<std::int32_t>(index);
        bar.op = span.op;
        bar.x = timeToX(span.tStartNs, visible, width);
        const double end = timeToX(span.tEndNs, visible, width);
        if (end - bar.x >= 1.0) {
            bar.width = end - bar.x;
            bars.push_back(bar);
            ++index;
            continue;
        }
        // Jump over everything that ends within this pixel in one binary search: cost is per pixel,
        // not per span.
        const auto pixelEnd =
            visible.startNs + static_cast<std::int64_t>((std::floor(bar.x) + 1.0) * nsPerPixel);
        const auto next =
            static_cast<std::size_t>(std::upper_bound(begin + static_cast<std::ptrdiff_t>(index),
                                                      track.endsNs.end(), pixelEnd) -
                                     begin);
        const std::size_t last = std::max(next, index + 1);
        bar.count = static_cast<std::int32_t>(last - index);
        bar.width = 1.0;
        std::int64_t longest = -1;
        for (std::size_t i = index; i < last; i += std::max<std::size_t>(1, (last - index) / 16)) {
            const std::int64_t length = track.spans[i].tEndNs - track.spans[i].tStartNs;
            if (length > longest) {
                longest = length;
                bar.op = track.spans[i].op;
            }
        }
        bars.push_back(bar);
        index = last;
    }
    return bars;
}

std::int32_t spanAt(const Track& track, std::int64_t tNs) {
    const auto it =
        std::upper_bound(track.spans.begin(), track.spans.end(), tNs,
                         [](std::int64_t t, const trace::Span& s) { return t < s.tStartNs; });
    if (it == track.spans.begin()) return -1;
    const auto index = static_cast<std::int32_t>(it - track.spans.begin()) - 1;
    return track.spans[static_cast<std::size_t>(index)].tEndNs >= tNs ? index : -1;
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
