#include "app/bridge/serving_run.h"

#include <algorithm>

namespace lanescope::app {

using trace::FinishReason;

std::int64_t PolicyRun::nEnded() const {
    return std::ranges::count_if(
        requests, [](const auto& record) { return record.finish != FinishReason::None; });
}

profiler::ServingStats statsOf(const PolicyRun& policy, std::int64_t blockTokens,
                               const profiler::ServingGoal& goal) {
    std::vector<trace::ServedRecord> records;
    std::vector<std::vector<std::int64_t>> times;
    for (std::size_t i = 0; i < policy.requests.size(); ++i) {
        if (policy.requests[i].finish == FinishReason::None) continue;
        records.push_back(policy.requests[i]);
        times.push_back(policy.tokenNs[i]);
    }
    return profiler::servingStats({records, times, policy.steps}, blockTokens, goal);
}

TokenAgreement tokenAgreement(const ServingRun& run) {
    TokenAgreement found;
    const PolicyRun* first = nullptr;
    for (const PolicyRun& policy : run.policies) {
        if (policy.state != PolicyState::Finished) continue;
        ++found.compared;
        if (first == nullptr) {
            first = &policy;
            for (const auto& tokens : policy.tokens) found.tokens += std::ssize(tokens);
            continue;
        }
        for (std::size_t i = 0; found.same && i < policy.tokens.size(); ++i) {
            const auto& a = first->tokens[i];
            const auto& b = policy.tokens[i];
            if (a == b) continue;
            found.same = false;
            found.request = static_cast<std::int32_t>(i);
            found.position = std::ranges::mismatch(a, b).in1 - a.begin();
        }
    }
    return found;
}

}  // namespace lanescope::app
