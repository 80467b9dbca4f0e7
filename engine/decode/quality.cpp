#include "engine/decode/quality.h"

#include <algorithm>
#include <cmath>

namespace lanescope {

Distribution::Distribution(std::span<const float> logits) : m_logits(logits) {
    m_best =
        static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    const auto top = static_cast<double>(logits[m_best]);
    double sum = 0.0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - top);
    m_logSum = top + std::log(sum);
}

double klDivergence(const Distribution& reference, const Distribution& other) {
    double sum = 0.0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const double p = reference.logProbability(i);
        // Beyond this the term is below 1e-15 whatever the other says.
        constexpr double kNothing = -40.0;
        if (p > kNothing) sum += std::exp(p) * (p - other.logProbability(i));
    }
    return std::max(sum, 0.0);
}

void TextQuality::add(const Distribution& predicted, TokenId next) {
    const double surprise = -predicted.logProbability(static_cast<std::size_t>(next));
    ++m_nTokens;
    m_sum += surprise;
    m_squares += surprise * surprise;
}

void TextQuality::add(const Distribution& predicted, const Distribution& reference, TokenId next) {
    add(predicted, reference, klDivergence(reference, predicted), next);
}

void TextQuality::add(const Distribution& predicted, const Distribution& reference,
                      double divergence, TokenId next) {
    add(predicted, next);
    m_divergences.push_back(divergence);
    m_nSameBest += predicted.best() == reference.best() ? 1 : 0;
}

double TextQuality::perplexity() const {
    return std::exp(m_sum / static_cast<double>(m_nTokens));
}

double TextQuality::perplexityError() const {
    const auto n = static_cast<double>(m_nTokens);
    if (m_nTokens < 2) return 0.0;
    const double mean = m_sum / n;
    const double variance = std::max(0.0, (m_squares / n - mean * mean) * n / (n - 1.0));
    return perplexity() * std::sqrt(variance / n);
}

DivergenceSummary TextQuality::divergence() const {
    if (m_divergences.empty()) return {};
    std::vector<double> sorted = m_divergences;
    std::sort(sorted.begin(), sorted.end());
    double sum = 0.0;
    for (const double value : sorted) sum += value;
    const auto at = [&sorted](double share) {
        const double place = share * static_cast<double>(sorted.size() - 1);
        const auto low = static_cast<std::size_t>(place);
        const std::size_t high = std::min(low + 1, sorted.size() - 1);
        return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
    };
    return {sum / static_cast<double>(sorted.size()), at(0.5), at(0.99), sorted.back()};
}

double TextQuality::sameBest() const {
    if (m_divergences.empty()) return 0.0;
    return static_cast<double>(m_nSameBest) / static_cast<double>(m_divergences.size());
}

}  // namespace lanescope
