#pragma once
// What the fast matrix product needs to know of a block format: how 32 weights meet 32 int8
// activations. A panel is a group of output rows (one a vector lane); for every block of 32 columns
// it holds eight groups of four columns, so lane r of group g is W[r, 4g .. 4g + 3] as unsigned
// bytes. All kernels compute, block after block in order,
//   Minimum:  acc = fma(s, fma(m, float(sum), d * float(dot)), acc)
//   Zero:     acc = fma(s, d * float(dot - zero * sum), acc)
//   Split:    acc = fma(s, fma(m, float(dot of the second 16), d * float(dot of the first)), acc)
// with dot exact in integers, s the activations' scale, sum their sum; so any instruction set and
// any tile shape gives the same bits. Formats with small integers of any kind reduce to one of
// them.

#include <cstdint>

#include "kernels/types/dtype.h"

namespace lanescope::kernels {

enum class PanelKind : std::uint8_t {
    Minimum4,  ///< 0..15 with d and m: Q4_1, Q4_K
    Minimum5,  ///< 0..31 with d and m: Q5_1, Q5_K
    Minimum2,  ///< 0..3 with d and m, a scale and a minimum of 0..15 per 16: Q2_K
    Zero4,     ///< 0..15, zero point 8: Q4_0, TQ1_0, TQ2_0
    Zero5,     ///< 0..31, zero point 16: Q5_0, MXFP4, IQ3_S, IQ1_S
    Signed8,   ///< -128..127 with d: Q8_0, IQ4_NL, IQ4_XS, IQ2_XXS, IQ3_XXS
    Split8,   ///< -128..127 with d for the first 16 and m for the last: NVFP4, IQ2_XS, IQ2_S, IQ1_M
    Scaled6,  ///< 0..63, zero point 32, an int8 scale per 16: Q6_K, Q3_K
};

constexpr bool hasMinimum(PanelKind kind) {
    return kind == PanelKind::Minimum4 || kind == PanelKind::Minimum5 ||
           kind == PanelKind::Minimum2;
}
/// Whether a block's two halves are summed one by one, before their scales.
constexpr bool hasHalves(PanelKind kind) {
    return kind == PanelKind::Minimum2 || kind == PanelKind::Split8 || kind == PanelKind::Scaled6;
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
        case DType::TQ1_0:
        case DType::TQ2_0:
            return PanelKind::Zero4;
        case DType::Q4_1:
        case DType::Q4_K:
            return PanelKind::Minimum4;
        case DType::Q5_0:
        case DType::MXFP4:
        case DType::IQ3_S:
        case DType::IQ1_S:
            return PanelKind::Zero5;
        case DType::Q5_1:
        case DType::Q5_K:
            return PanelKind::Minimum5;
        case DType::Q6_K:
        case DType::Q3_K:
            return PanelKind::Scaled6;
        case DType::Q2_K:
            return PanelKind::Minimum2;
        case DType::NVFP4:
        case DType::IQ2_XS:
        case DType::IQ2_S:
        case DType::IQ1_M:
            return PanelKind::Split8;
        default:
            return PanelKind::Signed8;
    }
}

constexpr int kPartRows = 8;      ///< rows one pass unpacks: half a panel
constexpr int kPanelRows = 16;    ///< one 512-bit or two 256-bit vectors of 32-bit lanes
constexpr int kPanelBlocks = 32;  ///< blocks of a chunk: 1024 columns, 22 KiB, which L1 holds

/// A chunk of a panel, in L1. No functions here: files of several instruction sets share it.
struct Panel {
    alignas(
        64) std::uint8_t w[kPanelBlocks][8][4 * kPanelRows];  ///< [block, group, row * 4 + column]
    alignas(64) float d[kPanelBlocks][kPanelRows];
    alignas(64) float m[kPanelBlocks][kPanelRows];  ///< Minimum and Split kinds
    /// Scaled6: [row][half]. Minimum2: the same, scale in the low byte, minimum in the high one.
    alignas(64) std::int16_t sub[kPanelBlocks][2 * kPanelRows];
};

/// The eight rows of a part at the chunk's first block.
struct PanelRows {
    const std::uint8_t* row[kPartRows];
    std::int64_t ahead;  ///< bytes to the same place of the next panel
};

/// Turns nBlocks blocks of eight rows into rows [first, first + 8) of the panel.
using UnpackPanel = void (*)(const PanelRows& rows, int nBlocks, Panel& panel, int first);

}  // namespace lanescope::kernels
