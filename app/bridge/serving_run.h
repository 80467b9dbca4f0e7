#pragma once
// Serving measured: the same arrivals under one or several policies, as plain values. Filled by
// serving_controller.h while it happens.

#include <QStringList>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/lane/plan.h"
#include "engine/schedule/arrivals.h"
#include "engine/schedule/scheduler.h"
#include "engine/trace/serving.h"
#include "profiler/analyse/serving.h"

namespace lanescope::app {

struct ServingSpec {
    LaneSpec lane = {};
    std::int16_t laneIndex = 0;
    std::string baseDir = ".";            ///< of a file of arrivals
    std::string arrivals = "burst:16";    ///< as parseArrivals reads it
    std::int64_t nRequests = 16;          ///< of a made-up load
    std::string promptTokens = "16-128";  ///< as parseLengths reads it
    std::string outputTokens = "16-48";
    std::int64_t sharedPrefix = 0;  ///< tokens that all prompts begin with
    std::uint64_t seed = 1;
    std::int64_t maxRunning = 16;
    std::int64_t tokenBudget = 256;
    std::int64_t poolBlocks = 0;  ///< 0: the longest text for each that may run
    std::vector<BatchPolicy> policies{BatchPolicy::Continuous, BatchPolicy::Static,
                                      BatchPolicy::Sequential};
    SamplingSettings sampling = {};
};

enum class PolicyState : std::uint8_t { Waiting, Running, Finished, Cancelled, Failed };

/// What one policy did with the requests. Everything by request is in the order of arrival times.
struct PolicyRun {
    BatchPolicy policy = BatchPolicy::Continuous;
    PolicyState state = PolicyState::Waiting;
    std::int64_t tStartNs = 0;
    std::vector<trace::BatchStep> steps;
    std::vector<trace::ServedRecord> requests;  ///< finish None: has not ended
    std::vector<std::vector<std::int64_t>> tokenNs;
    std::vector<std::vector<std::int32_t>> tokens;
    QStringList errors;  ///< of single requests, without doubles

    [[nodiscard]] std::int64_t nEnded() const;
    /// Nothing of it will change any more.
    [[nodiscard]] bool over() const {
        return state != PolicyState::Waiting && state != PolicyState::Running;
    }
};

struct ServingRun {
    ServingSpec spec = {};
    std::vector<double> arrivalSeconds;  ///< after the start, ascending
    std::vector<std::int32_t> promptTokens, maxTokens;
    std::int64_t blockTokens = 16;
    std::uint64_t blockBytes = 0;
    std::int32_t poolBlocks = 0;
    std::int64_t tokenBudget = 0;  ///< as it really was
    QStringList notes;             ///< settings that differ from those asked for
    std::vector<PolicyRun> policies;
};

/// Figures of the requests that have ended.
profiler::ServingStats statsOf(const PolicyRun& policy, std::int64_t blockTokens,
                               const profiler::ServingGoal& goal);

/// Whether policies that finished gave every request the same tokens.
struct TokenAgreement {
    int compared = 0;  ///< policies; below 2 there is nothing to say
    bool same = true;
    std::int64_t tokens = 0;   ///< of each policy
    std::int32_t request = 0;  ///< the first that differs
    std::int64_t position = 0;
};
TokenAgreement tokenAgreement(const ServingRun& run);

}  // namespace lanescope::app
