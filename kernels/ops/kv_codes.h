#pragma once
// One row of keys or values in the formats with a scale, number by number: what every form of the
// cache's kernels agrees on, bit for bit. Portable; SIMD and CUDA forms say the same in their
// words.

#include <cmath>
#include <cstdint>

#include "kernels/types/float16.h"

namespace lanescope::kernels {

/// Scale of an Int8 row, and what numbers are multiplied by to become codes.
struct Int8Scale {
    float scale, inverse;
};
inline Int8Scale int8Scale(float largest) {
    if (!(largest > 0.0F)) return {0.0F, 0.0F};
    return {largest / 127.0F, 127.0F / largest};
}
inline std::int8_t int8Code(float x, float inverse) {
    const float code = std::nearbyint(x * inverse);
    return static_cast<std::int8_t>(code > 127.0F ? 127.0F : code >= -127.0F ? code : -127.0F);
}

/// Scale and minimum of an Int4 group, as f16 and as the numbers that those are.
struct Int4Scale {
    std::uint16_t scaleBits, lowBits;
    float scale, low, inverse;
};
inline Int4Scale int4Scale(float low, float high) {
    Int4Scale s{};
    s.scaleBits = f32ToHalf((high - low) / 15.0F);
    s.lowBits = f32ToHalf(low + 0.0F);  // one zero of two
    s.scale = halfToF32(s.scaleBits);
    s.low = halfToF32(s.lowBits);
    s.inverse = s.scale > 0.0F ? 1.0F / s.scale : 0.0F;
    return s;
}
inline std::uint8_t int4Code(float x, const Int4Scale& s) {
    const float code = std::nearbyint((x - s.low) * s.inverse);
    return static_cast<std::uint8_t>(code > 15.0F ? 15.0F : code >= 0.0F ? code : 0.0F);
}

}  // namespace lanescope::kernels
