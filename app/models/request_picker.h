#pragma once
// Which request a column shows: the one of a lane for a prompt and repetition, or the newest.

#include "profiler/store/run_data.h"

namespace lanescope::app {

/// prompt, repetition -1: the newest request of the lane (timed ones before warm-up once there are
/// any). Null: the lane has none.
const profiler::RequestData* pickRequest(const profiler::RunData& run, int lane, int prompt,
                                         int repetition);
/// The same prompt and repetition in another lane; null if it has none.
const profiler::RequestData* counterpart(const profiler::RunData& run,
                                         const profiler::RequestData& request, int lane);
const profiler::RequestData* requestById(const profiler::RunData& run, int id);

}  // namespace lanescope::app
