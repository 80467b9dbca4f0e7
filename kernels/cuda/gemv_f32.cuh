#pragma once
// Product of few tokens in f32: y[t, r] = Σ W[r] · x[t], one fused multiply-add a column.
// A warp has four rows, eight lanes each; lane s of a row takes runs s, s + 8, …, whose columns it
// adds one by one. A block is four warps; no shared memory. Plain formats are bound by reading W,
// block formats by the arithmetic: int8 activations are the fast way for those.

#include "kernels/cuda/matmul_f32.cuh"

namespace lanescope::kernels::cuda {

inline constexpr int kGemvF32Rows = kGemvThreads / kSlices;

template <class T, int kTokens>
SIMT_KERNEL(kGemvThreads)
void gemvF32Kernel(Product args) {
    constexpr int kRun = Runs<T>::kRun;
    const int slice = threadX() % kSlices;
    const int row = blockX() * kGemvF32Rows + threadX() / kSlices;
    const std::uint8_t* weight = args.weight + atMost(row, args.nRows - 1) * args.rowBytes;

    float sums[kTokens] = {};
    for (std::int64_t column = slice * kRun; column < args.nCols; column += kSlices * kRun) {
        float w[kRun];
        Runs<T>::load(weight, column, args.nCols, w);
#pragma unroll
        for (int t = 0; t < kTokens; ++t) {
            // Four at a time: x in registers as briefly as possible.
            const float* x = args.x + atMost(t, args.nTokens - 1) * args.nCols;
#pragma unroll
            for (int i = 0; i < kRun; i += 4) {
                float four[4];
                loadFloats(x, column + i, args.nCols, four);
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[t] = fusedMultiplyAdd(w[i + j], four[j], sums[t]);
            }
        }
    }
#pragma unroll
    for (int t = 0; t < kTokens; ++t) {
        const float sum = warpSum<kSlices>(sums[t]);
        if (slice == t) finish(args, row, t, sum);
    }
}

}  // namespace lanescope::kernels::cuda
