#pragma once
// Rows through the normalised Hadamard matrix (kernels/ops/hadamard_loop.h), a warp a row, in place
// in global memory, which a row's few hundred bytes leave for the first cache only. The same
// additions in the same order as on the CPU. Bound by latency.

#include "kernels/cuda/ops.h"
#include "kernels/cuda/simt.h"

namespace lanescope::kernels::cuda {

inline constexpr int kHadamardThreads = 128;

/// Columns that are turned together: the largest power of two that divides a head.
SIMT_DEVICE int hadamardBlock(int headDim) {
    return headDim & -headDim;
}

/// One head by one warp; scale: 1 / sqrt(hadamardBlock). Lanes that read it afterwards are of the
/// same warp or behind a barrier.
SIMT_DEVICE void turnRow(float* x, int headDim, float scale) {
    for (int h = 1; h < hadamardBlock(headDim); h *= 2) {
        for (int pair = laneId(); pair < headDim / 2; pair += kWarp) {
            const int first = pair / h * 2 * h + pair % h;
            const float a = x[first];
            const float b = x[first + h];
            x[first] = a + b;
            x[first + h] = a - b;
        }
        syncWarp(kFullMask);
    }
    for (int i = laneId(); i < headDim; i += kWarp) x[i] *= scale;
    syncWarp(kFullMask);
}

/// Grid: tokens, heads by fours.
SIMT_KERNEL(kHadamardThreads) void hadamardKernel(HadamardArgs args, float scale) {
    const std::int64_t token = args.tokenBegin + blockX();
    const std::int64_t head = blockY() * (kHadamardThreads / kWarp) + warpId();
    if (head >= args.nHeads) return;
    turnRow(args.x + (token * args.nHeads + head) * args.headDim, static_cast<int>(args.headDim),
            scale);
}

}  // namespace lanescope::kernels::cuda
