#pragma once
// Figures of many requests served together, by the definitions of the field, from the records of
// their passes and requests (engine/trace/serving.h). Pure functions.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/trace/serving.h"
#include "profiler/analyse/stats.h"

namespace lanescope::profiler {

/// What a request has to keep to count for goodput (arXiv 2401.09670): time to first token, and
/// mean time per token after it.
struct ServingGoal {
    double ttftMs = 2000.0;
    double tpotMs = 200.0;
};

/// What is looked at: one record a request, the times of its tokens, one record a pass.
struct ServingData {
    std::span<const trace::ServedRecord> requests;
    std::span<const std::vector<std::int64_t>> tokenNs;  ///< [requests], nowNs() of each token
    std::span<const trace::BatchStep> steps;
};

struct ServingStats {
    Distribution ttftMs;             ///< arrival to first token, a request
    Distribution itlMs;              ///< every gap between two tokens of a request
    Distribution tpotMs;             ///< (end - first token) / (tokens - 1), a finished request
    Distribution queueMs;            ///< arrival to the first blocks, a request
    Distribution endToEndMs;         ///< arrival to end, a finished request
    double seconds = 0.0;            ///< first arrival to last end
    double tps = 0.0;                ///< tokens given out / seconds
    double requestsPerSecond = 0.0;  ///< finished ones
    double goodput = 0.0;            ///< finished ones that kept the goal / seconds
    double goodShare = 0.0;          ///< of all requests
    double occupancy = 0.0;  ///< sequences in a pass / most at once, mean over the passes' time
    double kvUse = 0.0;      ///< blocks in use / blocks, the same
    double kvEmpty = 0.0;    ///< places in blocks in use that hold nothing, the same (est. where
                             ///< attention windows let go of blocks)
    std::int32_t kvBlocksPeak = 0;
    std::int32_t queuePeak = 0;
    std::int64_t finished = 0, cancelled = 0, failed = 0;
    std::int64_t preemptions = 0;
    std::int64_t promptTokens = 0, reusedTokens = 0, outputTokens = 0;
};
/// blockTokens: of the lane's cache.
ServingStats servingStats(const ServingData& data, std::int64_t blockTokens,
                          const ServingGoal& goal);

}  // namespace lanescope::profiler
