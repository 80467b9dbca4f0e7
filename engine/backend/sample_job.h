#pragma once
// Rows of logits that become tokens where they lie, so that tokens leave the device and not rows.
// What the numbers mean: decode/sampler.h.

#include <cstdint>
#include <span>

#include "engine/text/tokenizer.h"

namespace lanescope {

/// Bounds of a job; more is for the host.
inline constexpr std::int64_t kMaxSampleHistory = 1024;
inline constexpr std::int64_t kMaxSampleTop = 64;
inline constexpr std::int64_t kMaxSampleVocab = (std::int64_t{1} << 20) - 2;

/// How one row becomes a token.
struct SampleRow {
    float temperature = 0.0F;
    std::int32_t topK = 0;
    float topP = 1.0F;
    float minP = 0.0F;
    float repeatPenalty = 1.0F;
    std::span<const TokenId> history;  ///< what the penalty looks at: at most kMaxSampleHistory
    double uniform = 0.0;              ///< random, in [0, 1)
};

/// What became of it.
struct ChosenToken {
    TokenId token = -1;           ///< -1: no logit is finite
    float logProbability = 0.0F;  ///< under the raw logits at temperature 1, natural log
    float entropy = 0.0F;         ///< nats
    std::int32_t nonFinite = 0;   ///< logits that were ignored
    std::int32_t nPlusInf = 0;    ///< of those, +Inf: then the row means nothing
    double expSum = 0.0;          ///< Σ exp(logit - maximum) over the finite ones
};

struct ProbableToken {
    TokenId token = -1;  ///< -1: fewer logits are finite
    float probability = 0.0F;
};

/// What a pass is to do with its logits instead of copying them to the host. Filled at its head.
struct SampleJob {
    std::span<const SampleRow> rows;  ///< one for each wanted row of the pass, at most maxSequences
    std::int64_t vocab = 0;           ///< usable ids, at most kMaxSampleVocab
    std::int64_t nTop = 0;            ///< most probable tokens of each, at most kMaxSampleTop
    std::span<ChosenToken> chosen;    ///< [rows]
    std::span<ProbableToken> top;     ///< [rows, nTop], best first
};

}  // namespace lanescope
