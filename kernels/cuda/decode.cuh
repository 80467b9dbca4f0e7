#pragma once
// The value of element j of a stored block (types/blocks.h), for kernels that pick elements: the
// embedding, tests of faster decoders. Products have decoders of their own that take a block at a
// time. Blocks need no alignment: every member is read byte by byte.

#include "kernels/cuda/simt.h"
#include "kernels/types/blocks.h"

namespace lanescope::kernels::cuda {

/// Elements of a block; 1 for plain numbers.
template <class T>
inline constexpr int kElements = 1;
template <>
inline constexpr int kElements<BlockQ4_0> = kBlock;
template <>
inline constexpr int kElements<BlockQ4_1> = kBlock;
template <>
inline constexpr int kElements<BlockQ5_0> = kBlock;
template <>
inline constexpr int kElements<BlockQ5_1> = kBlock;
template <>
inline constexpr int kElements<BlockQ8_0> = kBlock;
template <>
inline constexpr int kElements<BlockQ4_K> = kSuperBlock;
template <>
inline constexpr int kElements<BlockQ5_K> = kSuperBlock;
template <>
inline constexpr int kElements<BlockQ6_K> = kSuperBlock;

SIMT_DEVICE float decode(const float& x, int) {
    return x;
}
SIMT_DEVICE float decode(const Half& x, int) {
    return toFloat(x);
}
SIMT_DEVICE float decode(const BFloat16& x, int) {
    return toFloat(x);
}

SIMT_DEVICE float halfAt(HalfBits bits) {
    return toFloat(Half{bits});
}
/// Nibble of element j of 32: element j below, j + 16 above.
SIMT_DEVICE int nibbleOf32(const std::uint8_t* q, int j) {
    return j < 16 ? q[j] & 15 : q[j - 16] >> 4;
}
SIMT_DEVICE int bitOf(const std::uint8_t* bits, int j) {
    return bits[j / 8] >> (j % 8) & 1;
}

SIMT_DEVICE float decode(const BlockQ4_0& b, int j) {
    return static_cast<float>(nibbleOf32(b.q, j) - 8) * halfAt(b.d);
}
SIMT_DEVICE float decode(const BlockQ4_1& b, int j) {
    return static_cast<float>(nibbleOf32(b.q, j)) * halfAt(b.d) + halfAt(b.m);
}
SIMT_DEVICE float decode(const BlockQ5_0& b, int j) {
    return static_cast<float>((nibbleOf32(b.q, j) | bitOf(b.high, j) << 4) - 16) * halfAt(b.d);
}
SIMT_DEVICE float decode(const BlockQ5_1& b, int j) {
    return static_cast<float>(nibbleOf32(b.q, j) | bitOf(b.high, j) << 4) * halfAt(b.d) +
           halfAt(b.m);
}
SIMT_DEVICE float decode(const BlockQ8_0& b, int j) {
    return static_cast<float>(b.q[j]) * halfAt(b.d);
}

/// Scale and minimum of sub-block s of the packed 6-bit pairs.
struct ScaleAndMin {
    int scale;
    int minimum;
};
SIMT_DEVICE ScaleAndMin scaleAndMin(const std::uint8_t* scales, int s) {
    if (s < 4) return {scales[s] & 63, scales[s + 4] & 63};
    return {(scales[s + 4] & 15) | (scales[s - 4] >> 6) << 4,
            (scales[s + 4] >> 4) | (scales[s] >> 6) << 4};
}

SIMT_DEVICE float decode(const BlockQ4_K& b, int i) {
    const int s = i / 32;
    const int byte = b.q[32 * (s / 2) + i % 32];
    const ScaleAndMin pair = scaleAndMin(b.scales, s);
    const float m = halfAt(b.dmin) * static_cast<float>(pair.minimum);
    return halfAt(b.d) * static_cast<float>(pair.scale) *
               static_cast<float>(s % 2 == 0 ? byte & 15 : byte >> 4) -
           m;
}
SIMT_DEVICE float decode(const BlockQ5_K& b, int i) {
    const int s = i / 32;
    const int j = i % 32;
    const int byte = b.q[32 * (s / 2) + j];
    const ScaleAndMin pair = scaleAndMin(b.scales, s);
    const int q = (s % 2 == 0 ? byte & 15 : byte >> 4) | (b.high[j] >> s & 1) << 4;
    const float m = halfAt(b.dmin) * static_cast<float>(pair.minimum);
    return halfAt(b.d) * static_cast<float>(pair.scale) * static_cast<float>(q) - m;
}
SIMT_DEVICE float decode(const BlockQ6_K& b, int i) {
    const int half = i / 128;
    const int run = i % 128 / 32;
    const int j = i % 32;
    const int byte = b.low[64 * half + 32 * (run % 2) + j];
    const int q = (run < 2 ? byte & 15 : byte >> 4) | (b.high[32 * half + j] >> (2 * run) & 3) << 4;
    return halfAt(b.d) * static_cast<float>(b.scales[i / 16]) * static_cast<float>(q - 32);
}

}  // namespace lanescope::kernels::cuda
