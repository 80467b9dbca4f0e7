#pragma once
// What the fast matrix product needs to know of a block format: how 32 weights meet 32 int8
// activations. A panel is a group of output rows (one a vector lane); for every block of 32 columns
// it holds eight groups of four columns, so lane r of group g is W[r, 4g .. 4g + 3] as unsigned
// bytes. All kernels compute, block after block in order,
//   Minimum:  acc = fma(s, fma(m, float(sum), d * float(dot)), acc)
//   Zero:     acc = fma(s, d * float(dot - zero * sum), acc)
// with dot exact in integers, s the activations' scale, sum their sum; so any instruction set and
// any tile shape gives the same bits.

#include <cstdint>

#include "kernels/types/dtype.h"

namespace lanescope::kernels {

enum class PanelKind : std::uint8_t {
    Minimum4,  ///< 0..15 with d and m: Q4_1, Q4_K
    Minimum5,  ///< 0..31 with d and m: Q5_1, Q5_K
    Zero4,     ///< 0..15, zero point 8: Q4_0
    Zero5,     ///< 0..31, zero point 16: Q5_0
    Signed8,   ///< -128..127 with d: Q8_0
    Scaled6,   ///< 0..63, zero point 32, an int8 scale per 16: Q6_K
};

constexpr bool hasMinimum(PanelKind kind) {
    return kind == PanelKind::Minimum4 || kind == PanelKind::Minimum5;
}

constexpr int zeroPoint(PanelKind kind) {
    if (kind == PanelKind::Zero4) return 8;
    if (kind == PanelKind::Zero5) return 16;
    if (kind == PanelKind::Scaled6) return 32;
    return 0;
}

constexpr PanelKind panelKind(DType type) {
    switch (type) {
        case DType::Q4_0:
            return PanelKind::Zero4;
        case DType::Q4_1:
        case DType::Q4_K:
            return PanelKind::Minimum4;
        case DType::Q5_0:
            return PanelKind::Zero5;
        case DType::Q5_1:
        case DType::Q5_K:
            return PanelKind::Minimum5;
        case DType::Q6_K:
            return PanelKind::Scaled6;
        default:
            return PanelKind::Signed8;
    }
}

}  // namespace lanescope::kernels
