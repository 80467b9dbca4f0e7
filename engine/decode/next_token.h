#pragma once
// Where a request's next token comes from: the host, out of the logits of a pass (sampler.h), or
// the pass itself, which then leaves no logits behind. Both choose the same token, except that a
// draw within rounding of the border between two may fall to the other side.

#include <optional>
#include <string>
#include <vector>

#include "engine/backend/gpu_options.h"
#include "engine/backend/sample_job.h"
#include "engine/decode/sampler.h"

namespace lanescope {

/// Why a request's tokens are chosen on the host although its lane asks for the device; empty: the
/// device can do it.
std::string whyOnHost(const SamplingSettings& settings, int topCandidates);

/// One per request. Not thread-safe.
class NextToken {
  public:
    /// nTop: candidates that top() gives. SampleOn::Device: whyOnHost() is empty.
    NextToken(const SamplingSettings& settings, std::int32_t usableVocab, int nTop, SampleOn where);
    NextToken(const NextToken&) = delete;  // the job points into it
    NextToken& operator=(const NextToken&) = delete;
    ~NextToken() = default;
    /// Before a pass: its job after `history`, which lives until the pass ends; null: none.
    SampleJob* prepare(std::span<const TokenId> history);
    [[nodiscard]] bool onDevice() const { return m_where == SampleOn::Device; }
    /// After the pass. The host reads the logits. Errors: those of Sampler::sample().
    Result<SampledToken> take(std::span<const float> logits, std::span<const TokenId> history);
    /// After take(), of the same logits: the most probable tokens, best first; pieces are empty.
    [[nodiscard]] std::vector<trace::TopCandidate> top(std::span<const float> logits) const;

  private:
    SamplingSettings m_settings;
    std::int32_t m_usableVocab;
    int m_nTop;
    SampleOn m_where;
    std::optional<Sampler> m_sampler;  ///< of the host; none: on the device
    RandomStream m_random;             ///< for the device
    double m_expSum = 0.0;             ///< of the last token
    SampleRow m_row;
    ChosenToken m_chosen;
    std::vector<ProbableToken> m_top;
    SampleJob m_job;
};

}  // namespace lanescope
