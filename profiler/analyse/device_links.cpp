#include "profiler/analyse/device_links.h"

#include <algorithm>

namespace lanescope::profiler {

namespace {

/// A graph's nodes carry the op and layer of their capture, so only what both sides know counts.
bool sameLabel(const trace::Span& span, const DeviceActivity& activity) {
    return span.lane == activity.lane && span.request == activity.request &&
           span.step == activity.step &&
           (activity.graphNode != 0 ||
            (static_cast<std::int16_t>(span.op) == activity.op && span.layer == activity.layer));
}

}  // namespace

std::vector<std::int64_t> launchingSpans(const RunData& run) {
    std::vector<std::int64_t> places(run.deviceActivities.size(), -1);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const DeviceActivity& activity = run.deviceActivities[i];
        if (activity.tSpanNs == kUnknownNs) continue;
        auto span = std::lower_bound(
            run.spans.begin(), run.spans.end(), activity.tSpanNs,
            [](const trace::Span& s, std::int64_t tNs) { return s.tStartNs < tNs; });
        for (; span != run.spans.end() && span->tStartNs == activity.tSpanNs; ++span) {
            if (!sameLabel(*span, activity)) continue;
            places[i] = span - run.spans.begin();
            break;
        }
    }
    return places;
}

}  // namespace lanescope::profiler
