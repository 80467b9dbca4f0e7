#pragma once
// Scales of a super-block's parts as whole numbers (layouts: types/blocks.h): part i of 16 elements
// has subScale(block, i) times scaleUnit() times d (packed_codes.h). For files of one instruction
// set only.

#include "kernels/types/blocks.h"

namespace lanescope::kernels {
namespace {

inline int nibbleOf(const std::uint8_t* bytes, int i) {
    return bytes[i / 2] >> (4 * (i % 2)) & 15;
}

inline int subScale(const BlockQ3_K& b, int i) {
    const int low = b.scales[i % 8] >> (i < 8 ? 0 : 4) & 15;
    return (low | (b.scales[8 + i % 4] >> (2 * (i / 4)) & 3) << 4) - 32;
}
inline int subScale(const BlockIQ4_XS& b, int i) {
    const int s = i / 2;
    return (nibbleOf(b.low, s) | (b.high >> (2 * s) & 3) << 4) - 32;
}
inline int subScale(const BlockIQ2_XXS& b, int i) {
    const int s = i / 2;
    return 2 * (b.q[4 * s + 3] >> 12) + 1;
}
inline int subScale(const BlockIQ2_XS& b, int i) {
    return 2 * nibbleOf(b.scales, i) + 1;
}
inline int subScale(const BlockIQ2_S& b, int i) {
    return 2 * nibbleOf(b.scales, i) + 1;
}
inline int subScale(const BlockIQ3_XXS& b, int i) {
    return 2 * (b.signsAndScale[4 * (i / 2) + 3] >> 4) + 1;
}
inline int subScale(const BlockIQ3_S& b, int i) {
    return 2 * nibbleOf(b.scales, i / 2) + 1;
}
inline int subScale(const BlockIQ1_S& b, int i) {
    return 2 * (b.high[i / 2] >> 12 & 7) + 1;
}
inline int subScale(const BlockIQ1_M& b, int i) {
    return 2 * (b.scales[i / 4] >> (3 * (i % 4)) & 7) + 1;
}
/// The super-block's d, whose nibbles are the top ones of the words of scales.
inline HalfBits superScale(const BlockIQ1_M& b) {
    return static_cast<HalfBits>(b.scales[0] >> 12 | (b.scales[1] >> 12) << 4 |
                                 (b.scales[2] >> 12) << 8 | (b.scales[3] >> 12) << 12);
}
template <class Block>
HalfBits superScale(const Block& b) {
    return b.d;
}

}  // namespace
}  // namespace lanescope::kernels
