#pragma once
// The arithmetic of int8 products: what a block of 32 columns adds to a sum. One place, so that
// kernels of any shape agree bit for bit; the formulas are those of kernels/cpu/panel.h.

#include "kernels/cuda/matmul_codes.cuh"

namespace lanescope::kernels::cuda {

/// Scale and sums of a token's block of activations; sums as stored: two int16.
struct ActsScale {
    float scale;
    std::uint32_t sums;
};
SIMT_DEVICE std::int32_t firstSum(std::uint32_t sums) {
    return static_cast<std::int16_t>(sums & 0xFFFFU);
}
SIMT_DEVICE std::int32_t secondSum(std::uint32_t sums) {
    return static_cast<std::int16_t>(sums >> 16);
}

/// Integers of a magnitude below 2^22, exactly, in one addition: kMagic + i are the bits of
/// 1.5 · 2^23 + i. Adding kMagic before a dot saves that addition too.
inline constexpr std::int32_t kMagic = 0x4B400000;
SIMT_DEVICE float fromMagic(std::int32_t shifted) {
    return floatOf(static_cast<std::uint32_t>(shifted)) - 12582912.0F;
}

/// What a dot of codes starts from, zero point included; of each half where the kind has halves.
struct DotStart {
    std::int32_t first;
    std::int32_t second;
};
template <PanelKind kKind>
SIMT_DEVICE DotStart dotStart(std::uint32_t sums) {
    const std::int32_t first = firstSum(sums);
    const std::int32_t second = secondSum(sums);
    if constexpr (kHasHalves<kKind>)
        return {-kZeroPoint<kKind> * first, -kZeroPoint<kKind> * second};
    else
        return {kMagic - kZeroPoint<kKind> * (first + second), 0};
}

/// sum + the block's value; first and second: dots that began with dotStart.
template <PanelKind kKind>
SIMT_DEVICE float addBlock(float sum, std::int32_t first, std::int32_t second, const Scales& w,
                           const ActsScale& x) {
    if constexpr (kHasHalves<kKind>) {
        const std::int32_t both = w.first * first + w.second * second;
        return fusedMultiplyAdd(x.scale, w.d * static_cast<float>(both), sum);
    } else {
        float value = w.d * fromMagic(first);
        if constexpr (kHasMinimum<kKind>) {
            const std::int32_t total = firstSum(x.sums) + secondSum(x.sums);
            value = fusedMultiplyAdd(w.m, static_cast<float>(total), value);
        }
        return fusedMultiplyAdd(x.scale, value, sum);
    }
}

}  // namespace lanescope::kernels::cuda
