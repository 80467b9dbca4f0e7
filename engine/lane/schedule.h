#pragma once
// The order in which a run's requests go: a pure function, so that it can be tested and shown.
// Read next: executor.h, which carries it out.

#include <cstdint>
#include <vector>

#include "engine/lane/plan.h"

namespace lanescope {

/// One request to come. Warm-up requests are run and recorded, but marked and not counted.
struct ScheduledRequest {
    std::int32_t lane = 0;    ///< index in the plan
    std::int32_t prompt = 0;  ///< index in the plan
    std::int32_t repetition = 0;
    bool warmup = false;
    bool operator==(const ScheduledRequest&) const = default;
};

/// Requests of the given lanes (indices into plan.lanes, those that can run). Interleaved: all
/// warm-ups first, then for every repetition and prompt all lanes, forwards and backwards in turn
/// (A B, B A, A B …), so that drift of the machine hits all alike; a prompt starts its next
/// repetition in the other direction. Sequential: one lane after the other, each after its own
/// warm-ups. A warm-up uses the first prompt.
std::vector<ScheduledRequest> scheduleRequests(const Plan& plan,
                                               const std::vector<std::int32_t>& lanes);

}  // namespace lanescope
