#pragma once
// From logits to the next token. Filters in the order repeat penalty, temperature, top-k, top-p,
// min-p, as published (top-p: arXiv 1904.09751; min-p: arXiv 2407.01082). The same seed gives the
// same tokens everywhere (random_stream.h).

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/decode/random_stream.h"
#include "engine/text/tokenizer.h"
#include "engine/trace/run_record.h"

namespace lanescope {

/// What 0 means: temperature 0 = greedy; topK 0 = off; topP 0 = keep one token; topP 1, minP 0,
/// repeatPenalty 1 = off.
struct SamplingSettings {
    float temperature = 0.0F;
    std::int32_t topK = 0;
    float topP = 1.0F;
    float minP = 0.0F;
    float repeatPenalty = 1.0F;
    std::int32_t repeatWindow = 64;
    std::uint64_t seed = 1;
};

/// Checks ranges (NaN, negative, …). Error: Usage naming the knob and the range.
Result<void> validate(const SamplingSettings& settings);

/// Whether the best token is taken and no random number.
inline bool isGreedy(const SamplingSettings& settings) {
    return settings.temperature == 0.0F || settings.topK == 1 || settings.topP == 0.0F;
}

/// Error: BadInput when of `vocab` logits none is finite, or one is +Inf.
Result<void> checkLogits(std::int32_t nFinite, std::int32_t nPlusInf, std::int32_t vocab);

struct SampledToken {
    TokenId token = 0;
    float logProbability = 0.0F;  ///< under the raw logits at temperature 1, natural log
    float entropy = 0.0F;         ///< nats
    std::int32_t nonFinite = 0;   ///< NaN or infinite logits that were ignored
    double expSum = 0.0;          ///< Σ exp(logit - maximum) over the finite ones
};

/// One per sequence. Not thread-safe.
class Sampler {
  public:
    Sampler(SamplingSettings settings, std::int32_t usableVocab);
    /// logits: [>= usableVocab] f32, not changed. history: tokens so far (for the repeat penalty).
    /// Error: BadInput when nothing finite is left, or when a logit is +Inf (then no probabilities
    /// exist). NaN and Inf are never chosen; greedy ties go to the lower id.
    Result<SampledToken> sample(std::span<const float> logits, std::span<const TokenId> history);

  private:
    TokenId choose(std::span<const float> raw, TokenId argmax, float maximum,
                   std::span<const TokenId> history);
    void penaliseRepeats(std::span<const TokenId> history);
    TokenId drawUnordered(double target, TokenId fallback) const;
    TokenId drawFiltered(double u, double total, TokenId fallback);

    SamplingSettings m_settings;
    std::int32_t m_usableVocab;
    RandomStream m_random;
    std::vector<float> m_scores;        ///< penalised logits, then unnormalised probabilities
    std::vector<std::int32_t> m_order;  ///< candidates, the best ones sorted to the front
};

/// The n most probable tokens of raw logits at temperature 1, best first; pieces are left empty.
/// expSum: as a sampler found it for these logits; 0 = not known.
std::vector<trace::TopCandidate> topCandidates(std::span<const float> logits,
                                               std::int32_t usableVocab, int n,
                                               double expSum = 0.0);

}  // namespace lanescope
