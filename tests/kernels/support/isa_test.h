#pragma once
// What the suites share: a test parametrised over the instruction sets of this machine, random
// inputs, the comparison and its one table of tolerances.

#include <gtest/gtest.h>

#include <algorithm>
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
inline constexpr DType kWeightTypes[] = {
    DType::F32,     DType::F16,   DType::BF16,   DType::Q4_0,    DType::Q4_1,   DType::Q5_0,
    DType::Q5_1,    DType::Q8_0,  DType::Q2_K,   DType::Q3_K,    DType::Q4_K,   DType::Q5_K,
    DType::Q6_K,    DType::IQ1_S, DType::IQ1_M,  DType::IQ2_XXS, DType::IQ2_XS, DType::IQ2_S,
    DType::IQ3_XXS, DType::IQ3_S, DType::IQ4_NL, DType::IQ4_XS,  DType::TQ1_0,  DType::TQ2_0,
    DType::MXFP4,   DType::NVFP4};

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

/// Where a block keeps its 16-bit scales.
struct ScaleField {
    std::int64_t offset = 0;
    int count = 1;
};

inline ScaleField scaleField(DType type) {
    switch (type) {
        case DType::Q4_1:
        case DType::Q5_1:
        case DType::Q4_K:
        case DType::Q5_K:
            return {0, 2};
        case DType::Q2_K:
            return {80, 2};
        case DType::Q3_K:
            return {108, 1};
        case DType::Q6_K:
            return {208, 1};
        case DType::TQ1_0:
            return {52, 1};
        case DType::TQ2_0:
            return {64, 1};
        case DType::MXFP4:  // an exponent
        case DType::NVFP4:  // four E4M3 bytes
        case DType::IQ1_M:  // nibbles
            return {0, 0};
        default:
            return {0, 1};
    }
}

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
    const ScaleField field = scaleField(type);
    for (std::int64_t at = 1; at < rows; at += info(type).blockBytes) {
        std::uint8_t* block = out.data() + at;
        for (int i = 0; i < field.count; ++i) {
            const float value = normal(random);
            opTable(Isa::Reference).fromF32(DType::F16, &value, block + field.offset + 2 * i, 1);
        }
        if (type == DType::MXFP4) block[0] = static_cast<std::uint8_t>(118 + byte(random) % 8);
        if (type == DType::NVFP4)
            for (int i = 0; i < 4; ++i) block[i] = static_cast<std::uint8_t>(byte(random) % 0x40);
        if (type == DType::IQ1_M) {  // its scale lies in the top nibbles of four words
            std::uint16_t bits = 0;
            const float value = normal(random);
            opTable(Isa::Reference).fromF32(DType::F16, &value, &bits, 1);
            for (int i = 0; i < 4; ++i) {
                std::uint8_t& high = block[48 + 2 * i + 1];
                high = static_cast<std::uint8_t>((high & 15) | (bits >> (4 * i) & 15) << 4);
            }
        }
    }
    return out;
}

/// Packed weights, 64-byte aligned.
struct PackedCopy {
    std::vector<std::uint8_t> bytes;
    std::uint8_t* data = nullptr;
};

inline PackedCopy packedCopy(const OpTable& ops, const MatmulArgs& args) {
    PackedCopy out;
    const auto size =
        static_cast<std::size_t>(packedBytes(args.weightType, args.nRows, args.nCols));
    out.bytes.assign(size + kPackedAlign, 0xA5);
    out.data = out.bytes.data() +
               (kPackedAlign - reinterpret_cast<std::uintptr_t>(out.bytes.data()) % kPackedAlign);
    for (std::int64_t row = 0; row < args.nRows; row += 32)  // as threads share the work
        ops.pack({args.weightType, args.weight, args.nRows, args.nCols, out.data, row,
                  std::min(args.nRows, row + 32)});
    return out;
}

inline std::string isaParamName(const ::testing::TestParamInfo<Isa>& info) {
    return std::string(isaName(info.param));
}

#define LANESCOPE_FOR_EACH_ISA(suite) \
    INSTANTIATE_TEST_SUITE_P(Isas, suite, ::testing::ValuesIn(availableIsas()), isaParamName)

}  // namespace lanescope::kernels::test
