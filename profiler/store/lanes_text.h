#pragma once
// The lanes of a run in one line, for the list of runs.

#include <span>
#include <string>

#include "engine/trace/run_record.h"

namespace lanescope::profiler {

/// "A smollm2, kv fp32 | B smollm2, kv fp16": each lane's name, its model without the folder, and
/// the settings in which the lanes differ (all of one lane's are left out when there is only one).
std::string lanesText(std::span<const trace::LaneRecord> lanes);

}  // namespace lanescope::profiler
