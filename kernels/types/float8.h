#pragma once
// Conversions between f32 and the 8-bit floats of OCP OFP8 1.0: round to nearest even, subnormals
// kept, too large numbers become the largest one. E4M3 has no infinity and one NaN (0x7F); E5M2 is
// the upper byte of a half.

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/types/float16.h"

namespace lanescope::kernels {

inline float e4m3ToF32(std::uint8_t b) {
    const std::uint32_t sign = static_cast<std::uint32_t>(b & 0x80U) << 24;
    const std::uint32_t magnitude = b & 0x7FU;
    if (magnitude == 0x7F) return std::bit_cast<float>(sign | 0x7FC00000U);
    // Exact: 2^-9 is the unit of subnormals; the exponent's bias is 7 instead of 127.
    const float value = std::bit_cast<float>(magnitude << 20) * 0x1p120F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
}

inline std::uint8_t f32ToE4m3(float f) {
    const auto sign = static_cast<std::uint8_t>(std::signbit(f) ? 0x80 : 0);
    const float magnitude = std::fabs(f);
    if (!(magnitude == magnitude)) return sign | 0x7FU;
    if (magnitude >= 448.0F) return sign | 0x7EU;
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude = m · 2^exponent, 0.5 <= m < 1
    const int unit = exponent - 4 < -9 ? -9 : exponent - 4;
    const float rounded = std::nearbyint(std::ldexp(magnitude, -unit));  // at most 16
    const float value = std::ldexp(rounded, unit);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value * 0x1p-120F);
    return sign | static_cast<std::uint8_t>(bits >> 20);
}

inline float e5m2ToF32(std::uint8_t b) {
    return halfToF32(static_cast<std::uint16_t>(b << 8));
}

inline std::uint8_t f32ToE5m2(float f) {
    const auto sign = static_cast<std::uint8_t>(std::signbit(f) ? 0x80 : 0);
    const float magnitude = std::fabs(f);
    if (!(magnitude == magnitude)) return sign | 0x7FU;
    if (magnitude >= 57344.0F) return sign | 0x7BU;
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int unit = exponent - 3 < -16 ? -16 : exponent - 3;
    const float value = std::ldexp(std::nearbyint(std::ldexp(magnitude, -unit)), unit);
    return sign | static_cast<std::uint8_t>(f32ToHalf(value) >> 8);
}

}  // namespace lanescope::kernels
