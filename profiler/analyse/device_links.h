#pragma once
// Which engine span launched which device activity. Pure functions on a RunData.

#include <cstdint>
#include <vector>

#include "profiler/store/run_data.h"

namespace lanescope::profiler {

/// For each device activity of the run the place of its engine span in RunData::spans, or -1.
/// Exact: the span that starts when the activity says its span did and has the same label.
std::vector<std::int64_t> launchingSpans(const RunData& run);

}  // namespace lanescope::profiler
