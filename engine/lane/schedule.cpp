#include "engine/lane/schedule.h"

namespace lanescope {

namespace {

void addWarmups(const Plan& plan, std::int32_t lane, std::vector<ScheduledRequest>& out) {
    for (int w = 0; w < plan.warmup; ++w) out.push_back({lane, 0, w, true});
}

}  // namespace

std::vector<ScheduledRequest> scheduleRequests(const Plan& plan,
                                               const std::vector<std::int32_t>& lanes) {
    std::vector<ScheduledRequest> out;
    const auto nPrompts = static_cast<std::int32_t>(plan.prompts.size());
    if (plan.order == RunOrder::Sequential) {
        for (const std::int32_t lane : lanes) {
            addWarmups(plan, lane, out);
            for (std::int32_t r = 0; r < plan.repetitions; ++r) {
                for (std::int32_t p = 0; p < nPrompts; ++p) out.push_back({lane, p, r, false});
            }
        }
        return out;
    }
    for (const std::int32_t lane : lanes) addWarmups(plan, lane, out);
    for (std::int32_t r = 0; r < plan.repetitions; ++r) {
        for (std::int32_t p = 0; p < nPrompts; ++p) {
            const bool forwards = (r + p) % 2 == 0;
            for (std::size_t i = 0; i < lanes.size(); ++i) {
                out.push_back({lanes[forwards ? i : lanes.size() - 1 - i], p, r, false});
            }
        }
    }
    return out;
}

}  // namespace lanescope
