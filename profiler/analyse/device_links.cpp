#include "profiler/analyse/device_links.h"

#include <algorithm>
#include <limits>

#include "profiler/analyse/stats.h"

namespace lanescope::profiler {

namespace {

/// How far a span by the device's events may lie beside the kernels it is of: its place on the
/// host's clock follows from the end of a pass.
constexpr std::int64_t kBesideNs = 1'000'000;
/// Spans looked at on either side, and after one has been found.
constexpr int kNear = 256, kFurther = 8;
/// Activities of something else in a row after which a search ends.
constexpr int kOthersInARow = 4096;

bool sameStep(const trace::Span& span, const DeviceActivity& activity) {
    return span.lane == activity.lane && span.request == activity.request &&
           span.step == activity.step;
}

bool sameOp(const trace::Span& span, const DeviceActivity& activity) {
    return sameStep(span, activity) && static_cast<std::int16_t>(span.op) == activity.op &&
           span.layer == activity.layer;
}

SpanList::const_iterator firstFrom(const RunData& run, std::int64_t tNs) {
    return std::lower_bound(
        run.spans.begin(), run.spans.end(), tNs,
        [](const trace::Span& s, std::int64_t wanted) { return s.tStartNs < wanted; });
}

template <class Same>
std::int64_t startingThen(const RunData& run, const DeviceActivity& activity, const Same& same) {
    if (activity.tSpanNs == kUnknownNs) return -1;
    for (auto span = firstFrom(run, activity.tSpanNs);
         span != run.spans.end() && span->tStartNs == activity.tSpanNs; ++span)
        if (same(*span, activity)) return span - run.spans.begin();
    return -1;
}

/// The span of this label that overlaps the activity most, or else is nearest.
std::int64_t nearestOfLabel(const RunData& run, const DeviceActivity& activity) {
    const auto n = static_cast<std::int64_t>(run.spans.size());
    const std::int64_t middle = firstFrom(run, activity.tStartNs) - run.spans.begin();
    std::int64_t found = -1;
    std::int64_t least = kBesideNs;
    for (const int direction : {-1, 1}) {
        int left = kNear;
        for (std::int64_t i = direction < 0 ? middle - 1 : middle; i >= 0 && i < n && left > 0;
             i += direction, --left) {
            const trace::Span& span = run.spans[static_cast<std::size_t>(i)];
            if (!sameOp(span, activity)) continue;
            const std::int64_t apart =
                std::max(span.tStartNs - activity.tEndNs, activity.tStartNs - span.tEndNs);
            left = std::min(left, kFurther);
            if (apart >= least) continue;
            least = apart;
            found = i;
        }
    }
    return found;
}

}  // namespace

std::int64_t launchingSpan(const RunData& run, const DeviceActivity& activity) {
    if (activity.tSpanNs == kUnknownNs) return -1;
    if (const auto exact = startingThen(run, activity, sameOp); exact >= 0) return exact;
    if (const auto near = nearestOfLabel(run, activity); near >= 0) return near;
    return startingThen(run, activity, sameStep);
}

std::vector<std::int64_t> launchingSpans(const RunData& run) {
    std::vector<std::int64_t> places;
    places.reserve(run.deviceActivities.size());
    for (const DeviceActivity& activity : run.deviceActivities)
        places.push_back(launchingSpan(run, activity));
    return places;
}

std::vector<std::int64_t> launchedBy(const RunData& run, std::int64_t span, std::size_t limit) {
    std::vector<std::int64_t> out;
    const trace::Span& launcher = run.spans[static_cast<std::size_t>(span)];
    const bool all = isPhase(launcher.op);
    auto at = std::lower_bound(
        run.deviceActivities.begin(), run.deviceActivities.end(), launcher.tStartNs - kBesideNs,
        [](const DeviceActivity& a, std::int64_t tNs) { return a.tStartNs < tNs; });
    int others = 0;
    for (; at != run.deviceActivities.end() && others < kOthersInARow && out.size() < limit; ++at) {
        ++others;
        if (!sameStep(launcher, *at) || at->tSpanNs == kUnknownNs) continue;
        if (!all && launchingSpan(run, *at) != span) continue;
        out.push_back(at - run.deviceActivities.begin());
        others = 0;
    }
    return out;
}

}  // namespace lanescope::profiler
