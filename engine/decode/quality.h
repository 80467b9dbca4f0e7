#pragma once
// How well a model predicts a text, and how far its predictions are from a reference's: perplexity,
// Kullback-Leibler divergence, agreement of the best token. One position at a time, so that nothing
// of the size [positions, vocabulary] is kept.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/text/tokenizer.h"

namespace lanescope {

/// log softmax of one position, in double.
class Distribution {
  public:
    /// logits: [vocab] f32, finite. Must outlive the object.
    explicit Distribution(std::span<const float> logits);
    [[nodiscard]] double logProbability(std::size_t id) const {
        return static_cast<double>(m_logits[id]) - m_logSum;
    }
    [[nodiscard]] std::size_t best() const { return m_best; }
    [[nodiscard]] std::size_t size() const { return m_logits.size(); }

  private:
    std::span<const float> m_logits;
    double m_logSum = 0.0;
    std::size_t m_best = 0;
};

/// KL(reference ‖ other) = Σ p log(p / q) in nats, at least 0. Precondition: equal sizes.
double klDivergence(const Distribution& reference, const Distribution& other);

/// Mean and quantiles of a list of divergences.
struct DivergenceSummary {
    double mean = 0.0, median = 0.0, p99 = 0.0, max = 0.0;
};

/// Adds up positions of a text.
class TextQuality {
  public:
    /// The model's prediction at a position whose next token is known.
    void add(const Distribution& predicted, TokenId next);
    /// The same, against a reference's prediction.
    void add(const Distribution& predicted, const Distribution& reference, TokenId next);
    /// The same with klDivergence(reference, predicted) at hand.
    void add(const Distribution& predicted, const Distribution& reference, double divergence,
             TokenId next);

    [[nodiscard]] std::int64_t nTokens() const { return m_nTokens; }
    /// exp(mean negative log probability). Precondition for this and the next: nTokens() > 0.
    [[nodiscard]] double perplexity() const;
    /// Standard error of the perplexity, from that of the mean (delta method).
    [[nodiscard]] double perplexityError() const;
    [[nodiscard]] DivergenceSummary divergence() const;
    /// Share of positions at which both find the same token best; of those compared.
    [[nodiscard]] double sameBest() const;

  private:
    std::int64_t m_nTokens = 0;
    double m_sum = 0.0;      ///< of negative log probabilities
    double m_squares = 0.0;  ///< of their squares
    std::int64_t m_nSameBest = 0;
    std::vector<double> m_divergences;
};

}  // namespace lanescope
