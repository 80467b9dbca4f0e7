#pragma once
// Which engine span launched which device activity. Pure functions on a RunData.

#include <cstdint>
#include <vector>

#include "profiler/store/run_data.h"

namespace lanescope::profiler {

/// Place of an activity's engine span in RunData::spans, or -1. The span that starts when the
/// activity says its span did and has the same label; where spans are timed by the device itself,
/// the nearest one of the same label; for a launch that only its step is known of, the step.
std::int64_t launchingSpan(const RunData& run, const DeviceActivity& activity);
/// The same for each device activity of the run.
std::vector<std::int64_t> launchingSpans(const RunData& run);
/// Places of the activities that a span launched (a step: all of it), by start; at most `limit`.
std::vector<std::int64_t> launchedBy(const RunData& run, std::int64_t span, std::size_t limit);

}  // namespace lanescope::profiler
