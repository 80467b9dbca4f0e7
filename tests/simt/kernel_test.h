#pragma once
// Fixture of the tests that run ops of kernels/cuda in the emulator under every schedule and hold
// them against the reference.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/cuda/ops.h"
#include "kernels/ops/dispatch.h"
#include "tests/kernels/support/isa_test.h"
#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {

/// NaN-aware: a NaN is near only a NaN.
inline ::testing::AssertionResult near(double actual, double expected, double bound) {
    if (std::fabs(actual - expected) <= bound || (std::isnan(actual) && std::isnan(expected)) ||
        actual == expected)
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << actual << " instead of " << expected << ", allowed " << bound;
}

class KernelTest : public ::testing::TestWithParam<Options> {
  protected:
    [[nodiscard]] static const OpTable& reference() { return opTable(Isa::Reference); }

    std::vector<float> normals(std::int64_t n, float scale = 1.0F) {
        std::normal_distribution<float> distribution(0.0F, scale);
        std::vector<float> out(static_cast<std::size_t>(n));
        for (float& x : out) x = distribution(m_random);
        return out;
    }

    std::mt19937 m_random{12345};
    ScopedOptions m_options{GetParam()};
};

inline std::string scheduleName(const ::testing::TestParamInfo<Options>& info) {
    switch (info.param.schedule) {
        case Schedule::RoundRobin:
            return "roundRobin";
        case Schedule::WarpSerial:
            return "warpSerial";
        case Schedule::Random:
            break;
    }
    return "random" + std::to_string(info.param.seed);
}

#define LANESCOPE_FOR_EACH_SCHEDULE(suite) \
    INSTANTIATE_TEST_SUITE_P(Schedules, suite, ::testing::ValuesIn(schedules()), scheduleName)

/// Memory of an int8 activation matrix, filled with values that no kernel writes.
struct Acts {
    Acts(std::int64_t nTokens, std::int64_t nCols)
        : q(static_cast<std::size_t>(nTokens * nCols), -128),
          scale(static_cast<std::size_t>(nTokens * nCols / 32), -1.0F),
          sum16(static_cast<std::size_t>(nTokens * nCols / 16), 9999),
          columns(nCols) {}
    ActsQ8 view() { return {q.data(), scale.data(), sum16.data(), columns}; }

    std::vector<std::int8_t> q;
    std::vector<float> scale;
    std::vector<std::int16_t> sum16;
    std::int64_t columns;
};

/// Equal bit for bit, NaN scales included.
inline void expectSame(const Acts& actual, const Acts& expected) {
    EXPECT_EQ(actual.q, expected.q);
    EXPECT_EQ(actual.sum16, expected.sum16);
    ASSERT_EQ(actual.scale.size(), expected.scale.size());
    for (std::size_t i = 0; i < actual.scale.size(); ++i)
        EXPECT_TRUE(near(actual.scale[i], expected.scale[i], 0.0)) << i;
}

}  // namespace lanescope::kernels::cuda::test
