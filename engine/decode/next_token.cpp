#include "engine/decode/next_token.h"

#include <algorithm>

namespace lanescope {

std::string whyOnHost(const SamplingSettings& settings, int topCandidates) {
    if (settings.repeatPenalty != 1.0F && settings.repeatWindow > kMaxSampleHistory)
        return "a repeat window of " + std::to_string(settings.repeatWindow) +
               " tokens, a GPU looks at " + std::to_string(kMaxSampleHistory) + " at most";
    if (topCandidates > kMaxSampleTop)
        return std::to_string(topCandidates) + " candidates a token, a GPU keeps " +
               std::to_string(kMaxSampleTop) + " at most";
    return {};
}

NextToken::NextToken(const SamplingSettings& settings, std::int32_t usableVocab, int nTop,
                     SampleOn where)
    : m_settings(settings),
      m_usableVocab(usableVocab),
      m_nTop(nTop),
      m_where(where),
      m_random(settings.seed) {
    if (!onDevice()) {
        m_sampler.emplace(settings, usableVocab);
        return;
    }
    m_row.temperature = settings.temperature;
    m_row.topK = settings.topK;
    m_row.topP = settings.topP;
    m_row.minP = settings.minP;
    m_row.repeatPenalty = settings.repeatPenalty;
    m_top.resize(static_cast<std::size_t>(nTop));
    m_job = {{&m_row, 1}, usableVocab, nTop, {&m_chosen, 1}, m_top};
}

SampleJob* NextToken::prepare(std::span<const TokenId> history) {
    if (!onDevice()) return nullptr;
    if (m_settings.repeatPenalty != 1.0F)
        m_row.history = history.last(
            std::min(history.size(), static_cast<std::size_t>(m_settings.repeatWindow)));
    if (!isGreedy(m_settings)) m_row.uniform = m_random.uniform();
    return &m_job;
}

Result<SampledToken> NextToken::take(std::span<const float> logits,
                                     std::span<const TokenId> history) {
    if (!onDevice()) {
        auto sampled = m_sampler->sample(logits, history);
        if (sampled) m_expSum = sampled->expSum;
        return sampled;
    }
    const std::int32_t nFinite = m_usableVocab - m_chosen.nonFinite;
    if (auto usable = checkLogits(nFinite, m_chosen.nPlusInf, m_usableVocab); !usable)
        return usable.error();
    return SampledToken{.token = m_chosen.token,
                        .logProbability = m_chosen.logProbability,
                        .entropy = m_chosen.entropy,
                        .nonFinite = m_chosen.nonFinite,
                        .expSum = m_chosen.expSum};
}

std::vector<trace::TopCandidate> NextToken::top(std::span<const float> logits) const {
    if (!onDevice()) return topCandidates(logits, m_usableVocab, m_nTop, m_expSum);
    std::vector<trace::TopCandidate> best;
    best.reserve(m_top.size());
    for (const ProbableToken& each : m_top)
        if (each.token >= 0) best.push_back({each.token, each.probability, {}});
    return best;
}

}  // namespace lanescope
