// The vector exponential, hyperbolic tangent and error function against double precision, in units
// in the last place. Compiled for AVX2, so it asks the processor first.

#include "kernels/cpu/avx2_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels::avx2 {
namespace {

float first(__m256 v) {
    return _mm256_cvtss_f32(v);
}

/// Error of `actual` in steps of the float nearest to `expected`.
double ulps(float actual, double expected) {
    const auto rounded = static_cast<float>(expected);
    const double step = std::nextafter(std::fabs(rounded), INFINITY) - std::fabs(rounded);
    return std::fabs(actual - expected) / step;
}

class Avx2Math : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto isas = availableIsas();
        if (std::find(isas.begin(), isas.end(), Isa::Avx2) == isas.end())
            GTEST_SKIP() << "needs a processor with AVX2 and FMA";
    }
};

TEST_F(Avx2Math, ExpMatchesToTwoUlp) {
    double worst = 0;
    for (std::uint32_t i = 0; i < 0x80000000U; i += 2003) {  // a million floats of each sign
        for (const float x : {std::bit_cast<float>(i), -std::bit_cast<float>(i)}) {
            if (!(std::fabs(x) < 100.0F)) continue;
            const float y = first(expPs(_mm256_set1_ps(x)));
            if (x < -86.9F)
                ASSERT_EQ(y, 0.0F) << x;
            else if (x > 88.7228F)
                ASSERT_GT(y, 3.4e38F) << x;
            else
                worst = std::max(worst, ulps(y, std::exp(static_cast<double>(x))));
        }
    }
    EXPECT_LT(worst, 2.0);
    RecordProperty("worst", std::to_string(worst));
}

TEST_F(Avx2Math, ExpHasExactEnds) {
    EXPECT_EQ(first(expPs(_mm256_set1_ps(0.0F))), 1.0F);
    EXPECT_EQ(first(expPs(_mm256_set1_ps(-0.0F))), 1.0F);
    EXPECT_EQ(first(expPs(_mm256_set1_ps(-INFINITY))), 0.0F);
    EXPECT_EQ(first(expPs(_mm256_set1_ps(INFINITY))), INFINITY);
    EXPECT_TRUE(std::isnan(first(expPs(_mm256_set1_ps(std::nanf(""))))));
}

TEST_F(Avx2Math, TanhMatchesToThreeUlp) {
    double worst = 0;
    for (std::uint32_t i = 0x30000000U; i < 0x42000000U; i += 997) {  // 5e-10 to 32
        for (const float x : {std::bit_cast<float>(i), -std::bit_cast<float>(i)})
            worst = std::max(
                worst, ulps(first(tanhPs(_mm256_set1_ps(x))), std::tanh(static_cast<double>(x))));
    }
    EXPECT_LT(worst, 3.0);
    EXPECT_EQ(first(tanhPs(_mm256_set1_ps(1e30F))), 1.0F);
    EXPECT_EQ(first(tanhPs(_mm256_set1_ps(-1e30F))), -1.0F);
}

TEST_F(Avx2Math, ErfMatchesToOneInEightMillion) {
    double worst = 0;
    for (std::uint32_t i = 0x30000000U; i < 0x41000000U; i += 997) {  // 5e-10 to 8
        for (const float x : {std::bit_cast<float>(i), -std::bit_cast<float>(i)}) {
            const float y = first(erfPs(_mm256_set1_ps(x)));
            worst = std::max(worst, std::fabs(y - std::erf(static_cast<double>(x))));
            ASSERT_LE(std::fabs(y), 1.0F) << x;
        }
    }
    EXPECT_LT(worst, 1.3e-7);
    EXPECT_EQ(first(erfPs(_mm256_set1_ps(0.0F))), 0.0F);
    EXPECT_EQ(first(erfPs(_mm256_set1_ps(1e30F))), 1.0F);
    EXPECT_EQ(first(erfPs(_mm256_set1_ps(-INFINITY))), -1.0F);
    EXPECT_TRUE(std::isnan(first(erfPs(_mm256_set1_ps(std::nanf(""))))));
}

}  // namespace
}  // namespace lanescope::kernels::avx2
