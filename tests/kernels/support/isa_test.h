#pragma once
// What the suites share: a test parametrised over the instruction sets of this machine, random
// inputs, the comparison and its one table of tolerances.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels::test {

/// The one table of tolerances: `relative` of the magnitude that went into the element (so that
/// cancellation does not count) plus `absolute`.
struct Tolerance {
    double relative;
    double absolute;
};
inline constexpr Tolerance kMatmulTolerance{5e-7, 1e-30};       ///< both paths, any weight format
inline constexpr Tolerance kElementwiseTolerance{1e-6, 1e-30};  ///< norm, rope, silu, add
inline constexpr Tolerance kAttentionF32{0, 4e-6};
inline constexpr Tolerance kAttentionF16{0, 2e-3};
inline constexpr Tolerance kAttentionBf16{0, 2e-2};

/// Whether |actual - expected| is inside the tolerance, with figures when not.
inline ::testing::AssertionResult close(double actual, double expected, double magnitude,
                                        Tolerance tolerance) {
    const double bound = tolerance.relative * magnitude + tolerance.absolute;
    if (std::fabs(actual - expected) <= bound) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << actual << " instead of " << expected << ", off by "
                                         << std::fabs(actual - expected) << ", allowed " << bound;
}

/// Every weight format a matrix can have.
inline constexpr DType kWeightTypes[] = {DType::F32,  DType::F16,  DType::BF16, DType::Q4_0,
                                         DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q8_0,
                                         DType::Q4_K, DType::Q5_K, DType::Q6_K};

inline bool isBlockFormat(DType type) {
    return info(type).blockSize > 1;
}

class IsaTest : public ::testing::TestWithParam<Isa> {
  protected:
    [[nodiscard]] const OpTable& ops() const { return opTable(GetParam()); }
    [[nodiscard]] static const OpTable& reference() { return opTable(Isa::Reference); }

    std::mt19937 m_random{12345};

    std::vector<float> normals(std::int64_t n, float scale = 1.0F) {
        std::normal_distribution<float> distribution(0.0F, scale);
        std::vector<float> out(static_cast<std::size_t>(n));
        for (float& x : out) x = distribution(m_random);
        return out;
    }
};

/// Bytes of a random matrix, one byte off alignment: use data() + 1. Scales are ordinary numbers of
/// both signs; everything else is random bits.
inline std::vector<std::uint8_t> randomWeights(DType type, std::int64_t nRows, std::int64_t nCols,
                                               std::mt19937& random) {
    const std::int64_t rows = rowBytes(type, nCols) * nRows;
    std::vector<std::uint8_t> out(static_cast<std::size_t>(rows) + 1);
    std::normal_distribution<float> normal(0.0F, 0.05F);
    if (!isBlockFormat(type)) {
        std::vector<float> values(static_cast<std::size_t>(nRows * nCols));
        for (float& v : values) v = normal(random);
        opTable(Isa::Reference).fromF32(type, values.data(), out.data() + 1, nRows * nCols);
        return out;
    }
    std::uniform_int_distribution<int> byte(0, 255);
    for (auto& b : out) b = static_cast<std::uint8_t>(byte(random));
    const bool two =
        type == DType::Q4_1 || type == DType::Q5_1 || type == DType::Q4_K || type == DType::Q5_K;
    for (std::int64_t at = 1; at < rows; at += info(type).blockBytes) {
        const std::int64_t first = type == DType::Q6_K ? at + 208 : at;
        for (std::int64_t i = 0; i < (two ? 2 : 1); ++i) {
            const float value = normal(random);
            opTable(Isa::Reference).fromF32(DType::F16, &value, out.data() + first + 2 * i, 1);
        }
    }
    return out;
}

inline std::string isaParamName(const ::testing::TestParamInfo<Isa>& info) {
    return std::string(isaName(info.param));
}

#define LANESCOPE_FOR_EACH_ISA(suite) \
    INSTANTIATE_TEST_SUITE_P(Isas, suite, ::testing::ValuesIn(availableIsas()), isaParamName)

}  // namespace lanescope::kernels::test
