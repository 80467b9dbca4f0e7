#pragma once
// What all matrix products share: the kernels' arguments, the fixed order of a sum, its end.
//
// Order of a sum (batch invariance): the columns of a row are dealt out to kSlices slices, a run of
// columns at a time (a block of 32 for block formats). A slice adds its own runs one by one, in
// ascending order; slices are then added as a butterfly adds them: s and s + 4, then s and s + 2,
// then s and s + 1. Few tokens: a slice is a lane, eight lanes a row (warpSum<8>). Many tokens: a
// slice is a warp, and warps meet in shared memory (sumOfWarps). So a row has one value, bit for
// bit, whichever kernel a number of tokens chooses.

#include "kernels/cuda/simt.h"
#include "kernels/ops/quantise_acts.h"

namespace lanescope::kernels::cuda {

inline constexpr int kSlices = 8;
inline constexpr int kProductThreads = kSlices * kWarp;  ///< of kernels whose warps are slices
inline constexpr int kGemvThreads = 128;                 ///< of kernels whose lanes are slices

/// MatmulArgs without pointers to the host's memory. The weight is at a multiple of 16 bytes, and
/// the last 16 bytes that hold any of it may be read whole; so is x and so are q and scale.
struct Product {
    const std::uint8_t* weight = nullptr;
    std::int64_t rowBytes = 0;
    std::int64_t nCols = 0;
    const float* x = nullptr;  ///< [nTokens, nCols] f32, or:
    ActsQ8 terms[2];           ///< int8 activations, whose products are added
    int nTerms = 0;
    int accumulate = 0;
    const float* bias = nullptr;
    float* y = nullptr;
    std::int64_t yStride = 0;
    int nRows = 0;
    int nTokens = 0;
};

SIMT_DEVICE int atMost(int value, int limit) {
    return value < limit ? value : limit;
}

/// Ends a sum, if its row and token exist.
SIMT_DEVICE void finish(const Product& args, int row, int token, float sum) {
    if (row >= args.nRows || token >= args.nTokens) return;
    float* y = args.y + token * args.yStride + row;
    if (args.bias != nullptr) sum += args.bias[row];
    if (args.accumulate != 0) sum += *y;
    *y = sum;
}

/// Adds up the slices that the block's eight warps hold; warp 0 gets the sums. parts: shared memory
/// for 4 x kCount x 32 floats, which the block is done with otherwise once it comes here. All
/// threads come.
template <int kCount>
SIMT_DEVICE void sumOfWarps(float (&sums)[kCount], float* parts) {
    static_assert(kSlices == 8);
    const int warp = warpId();
    for (int half = kSlices / 2; half > 0; half /= 2) {
        syncThreads();
        if (warp >= half && warp < 2 * half) {
#pragma unroll
            for (int i = 0; i < kCount; ++i)
                storeShared(&parts[((warp - half) * kCount + i) * kWarp + laneId()], sums[i]);
        }
        syncThreads();
        if (warp < half) {
#pragma unroll
            for (int i = 0; i < kCount; ++i)
                sums[i] += loadShared(&parts[(warp * kCount + i) * kWarp + laneId()]);
        }
    }
}

}  // namespace lanescope::kernels::cuda
