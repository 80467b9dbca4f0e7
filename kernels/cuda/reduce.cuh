#pragma once
// Sums over a block, and the rounding of a warp's 32 values to int8. Used by kernels, not launched.

#include "kernels/cuda/simt.h"
#include "kernels/ops/quantise_acts.h"

namespace lanescope::kernels::cuda {

/// Sum over all threads of a one-dimensional block; every thread gets it. The order is fixed by the
/// block's size alone. Two barriers (none for a single warp).
SIMT_DEVICE float blockSum(float value) {
    SIMT_SHARED(float, parts, [32]);
    const int nWarps = (blockSizeX() + kWarp - 1) / kWarp;
    const float mine = warpSum(value);
    if (nWarps == 1) return mine;
    syncThreads();  // the parts of an earlier sum have been read
    if (laneId() == 0) parts[warpId()] = mine;
    syncThreads();
    return warpSum(laneId() < nWarps ? parts[laneId()] : 0.0F);
}

/// Rounds the values of a warp's lanes, one each, into block i of out (ops/quantise_acts.h); the
/// bits are the reference's. Returns what the rounding left over.
SIMT_DEVICE float quantise32(float x, const ActsQ8& out, std::int64_t i) {
    // As integers, NaN is above every number, so that it is not lost.
    const float amax = floatOf(reduceMax(kFullMask, bitsOf(x) & 0x7FFFFFFFU));
    const float d = amax / 127.0F;
    const bool zeros = d == 0.0F || !(amax < floatOf(0x7F800000U));
    const std::int32_t rounded = zeros ? 0 : roundToInt(x / d);
    const std::int32_t q = rounded < -127 ? -127 : rounded > 127 ? 127 : rounded;
    const int lane = laneId();
    const std::int32_t sum = reduceAdd(lane < 16 ? 0x0000FFFFU : 0xFFFF0000U, q);
    out.q[i * kActsBlock + lane] = static_cast<std::int8_t>(q);
    if (lane == 0) out.scale[i] = d;
    if (lane % 16 == 0) out.sum16[2 * i + lane / 16] = static_cast<std::int16_t>(sum);
    return zeros ? 0.0F : fusedMultiplyAdd(-static_cast<float>(q), d, x);
}

/// The same with the second term, where it is asked for.
SIMT_DEVICE void quantise32(float x, const ActsQ8& out, const ActsQ8& rest, std::int64_t i) {
    const float left = quantise32(x, out, i);
    if (rest.q != nullptr) quantise32(left, rest, i);
}

}  // namespace lanescope::kernels::cuda
