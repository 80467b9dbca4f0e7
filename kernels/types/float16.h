#pragma once
// Conversions between f32 and the 16-bit floats, on any machine: round to nearest even, subnormals
// kept, NaN kept (quieted). Bit-equal to the F16C instructions, which tests check.

#include <bit>
#include <cstdint>

namespace lanescope::kernels {

inline float halfToF32(std::uint16_t h) {
    const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000U) << 16;
    const std::uint32_t exponent = (h >> 10) & 0x1FU;
    std::uint32_t mantissa = h & 0x3FFU;
    if (exponent == 0x1F) {
        const std::uint32_t quiet = mantissa != 0 ? 0x400000U : 0U;
        return std::bit_cast<float>(sign | 0x7F800000U | quiet | (mantissa << 13));
    }
    if (exponent != 0)
        return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
    // Zero and subnormals: mantissa * 2^-24 is exact.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

inline std::uint16_t f32ToHalf(float f) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U)  // NaN: keep the upper payload, make it quiet
        return static_cast<std::uint16_t>(sign | 0x7E00U | ((magnitude >> 13) & 0x3FFU));
    if (magnitude >= 0x47800000U) return sign | 0x7C00U;  // 65536 and up, infinity
    if (magnitude < 0x38800000U) {
        // Below 2^-14: adding 0.5 lines the result up with units of 2^-24 and rounds to even.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<std::uint16_t>(sign |
                                          (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U));
    }
    const std::uint32_t rebased = magnitude - (112U << 23);
    const std::uint32_t rounded = rebased + 0xFFFU + ((rebased >> 13) & 1U);
    return static_cast<std::uint16_t>(sign | (rounded >> 13));  // a carry may reach infinity
}

inline float bf16ToF32(std::uint16_t b) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
}

inline std::uint16_t f32ToBf16(float f) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace lanescope::kernels
