#pragma once
// How far a run is and how long it will still take, from a snapshot: a pure function, so that it
// can be tested without an engine.

#include <cstdint>

#include "engine/lane/plan.h"
#include "profiler/store/run_data.h"

namespace lanescope::app {

struct RunProgress {
    double fraction = 0.0;    ///< 0 … 1
    std::int64_t etaMs = -1;  ///< -1: not known yet
    int requestsDone = 0;
    int requestsPlanned = 0;
    int lanesReady = 0;  ///< loaded or failed
    int lanesPlanned = 0;
    std::int32_t activeLane = -1;  ///< lane of the request that runs now
    bool warmup = false;
};

/// elapsedMs: since the run was started. A request counts by its tokens against maxTokens until it
/// is finished, then as one.
RunProgress runProgress(const Plan& plan, const profiler::RunData& run, std::int64_t elapsedMs);

}  // namespace lanescope::app
