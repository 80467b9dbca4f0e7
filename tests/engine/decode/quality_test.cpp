// Perplexity and divergence against figures worked out by hand.

#include "engine/decode/quality.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lanescope {
namespace {

TEST(Quality, ADistributionIsTheSoftmaxOfItsLogits) {
    const std::vector<float> logits{0.0F, std::log(2.0F), std::log(5.0F)};
    const Distribution d(logits);
    EXPECT_NEAR(d.logProbability(0), std::log(1.0 / 8.0), 1e-6);
    EXPECT_NEAR(d.logProbability(1), std::log(2.0 / 8.0), 1e-6);
    EXPECT_NEAR(d.logProbability(2), std::log(5.0 / 8.0), 1e-6);
    EXPECT_EQ(d.best(), 2U);
    const std::vector<float> large{1000.0F, 999.0F};  // no overflow
    EXPECT_NEAR(Distribution(large).logProbability(0), -std::log1p(std::exp(-1.0)), 1e-9);
}

TEST(Quality, DivergenceIsZeroForEqualsAndTheSumOfTheDefinition) {
    const std::vector<float> half{0.0F, 0.0F};
    const std::vector<float> skew{0.0F, std::log(3.0F)};
    EXPECT_EQ(klDivergence(Distribution(half), Distribution(half)), 0.0);
    // 1/2 log((1/2) / (1/4)) + 1/2 log((1/2) / (3/4))
    EXPECT_NEAR(klDivergence(Distribution(half), Distribution(skew)),
                0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3.0), 1e-7);
    // 1/4 log((1/4) / (1/2)) + 3/4 log((3/4) / (1/2))
    EXPECT_NEAR(klDivergence(Distribution(skew), Distribution(half)),
                0.25 * std::log(0.5) + 0.75 * std::log(1.5), 1e-7);
}

TEST(Quality, PerplexityAndItsErrorFollowTheTokens) {
    TextQuality quality;
    const std::vector<float> even(4, 0.0F);
    quality.add(Distribution(even), 0);
    quality.add(Distribution(even), 3);
    EXPECT_NEAR(quality.perplexity(), 4.0, 1e-6);
    EXPECT_NEAR(quality.perplexityError(), 0.0, 1e-6);
    // Surprises log 4, log 4 and log 2: mean 5/3 log 2, sample variance of (2, 2, 1) log 2 is 1/3.
    const std::vector<float> two{0.0F, 0.0F, -100.0F, -100.0F};
    quality.add(Distribution(two), 1);
    EXPECT_NEAR(quality.perplexity(), std::pow(2.0, 5.0 / 3.0), 1e-6);
    EXPECT_NEAR(quality.perplexityError(),
                std::pow(2.0, 5.0 / 3.0) * std::log(2.0) * std::sqrt(1.0 / 9.0), 1e-6);
    EXPECT_EQ(quality.nTokens(), 3);
}

TEST(Quality, SummariesOfComparedPositions) {
    TextQuality quality;
    const std::vector<float> a{0.0F, 1.0F};
    const std::vector<float> b{1.0F, 0.0F};
    quality.add(Distribution(a), Distribution(a), 0);
    quality.add(Distribution(a), Distribution(b), 0);
    const DivergenceSummary kld = quality.divergence();
    const double one = klDivergence(Distribution(b), Distribution(a));
    EXPECT_NEAR(kld.mean, one / 2, 1e-12);
    EXPECT_NEAR(kld.median, one / 2, 1e-12);
    EXPECT_NEAR(kld.max, one, 1e-12);
    EXPECT_NEAR(kld.p99, 0.99 * one, 1e-12);
    EXPECT_EQ(quality.sameBest(), 0.5);
}

}  // namespace
}  // namespace lanescope
