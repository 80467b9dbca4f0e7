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

/// The one table of tolerances. A bound is `relative` of the sum of magnitudes that went into the
/// element (so cancellation does not count), plus `absolute`.
struct Tolerance {
    double relative;
    double absolute;
};
inline constexpr Tolerance kMatmulTolerance{2e-6, 1e-30};      ///< both paths, any weight format
inline constexpr Tolerance kElementwiseTolerance{2e-6, 1e-7};  ///< norm, rope, silu, add
inline constexpr Tolerance kAttentionF32{0, 4e-6};
inline constexpr Tolerance kAttentionF16{0, 2e-3};
inline constexpr Tolerance kAttentionBf16{0, 2e-2};

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

inline std::string isaParamName(const ::testing::TestParamInfo<Isa>& info) {
    return std::string(isaName(info.param));
}

#define LANESCOPE_FOR_EACH_ISA(suite) \
    INSTANTIATE_TEST_SUITE_P(Isas, suite, ::testing::ValuesIn(availableIsas()), isaParamName)

}  // namespace lanescope::kernels::test
