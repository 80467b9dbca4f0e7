#pragma once
// Product of many tokens in f32: y[t, r] = Σ W[r] · x[t], one fused multiply-add a column.
// A block (eight warps) has 32 rows and 32 tokens. Warp s takes runs s, s + 8, … of the columns, 32
// columns a step, and has sums of its own for the whole tile (lane: 4 rows x 8 tokens); the warps'
// sums meet at the end (sumOfWarps). In a step, lane l decodes row l and reads token l into the
// warp's part of shared memory, [column][row] and [column][token], so that the stores of a warp
// and the vector loads after them have no bank conflicts; warps wait for nobody but themselves.
// Bound by the multiply-adds: three vector loads for 32.

#include "kernels/cuda/matmul_f32.cuh"

namespace lanescope::kernels::cuda {

inline constexpr int kGemmF32Tile = 32;  ///< rows, tokens, columns of a step
inline constexpr int kGemmF32Shared =    ///< bytes: a tile of W and of x a warp
    kSlices * 2 * kGemmF32Tile * kGemmF32Tile * static_cast<int>(sizeof(float));

/// sums[4][8] += column k of the tiles.
SIMT_DEVICE void multiplyColumn(const float* w, const float* x, float (&sums)[32]) {
    const int lane = laneId();
    const Float4 rows = loadShared(reinterpret_cast<const Float4*>(w + lane % 8 * 4));
    const Float4 low = loadShared(reinterpret_cast<const Float4*>(x + lane / 8 * 8));
    const Float4 high = loadShared(reinterpret_cast<const Float4*>(x + lane / 8 * 8 + 4));
    const float row[4] = {rows.x, rows.y, rows.z, rows.w};
    const float token[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
            sums[8 * i + j] = fusedMultiplyAdd(row[i], token[j], sums[8 * i + j]);
}

template <class T>
SIMT_KERNEL(kProductThreads, 2)
void gemmF32Kernel(Product args) {
    constexpr int kTile = kGemmF32Tile;
    constexpr int kRun = Runs<T>::kRun;
    SIMT_SHARED_DYNAMIC(float, shared);
    const int s = warpId();
    const int lane = laneId();
    float* tileW = shared + s * 2 * kTile * kTile;
    float* tileX = tileW + kTile * kTile;
    const std::uint8_t* weight =
        args.weight + atMost(blockX() * kTile + lane, args.nRows - 1) * args.rowBytes;
    const float* x = args.x + atMost(blockY() * kTile + lane, args.nTokens - 1) * args.nCols;

    float sums[32] = {};
    for (std::int64_t first = s * kRun; first < args.nCols; first += kSlices * kTile) {
        // Runs of this step that exist: the others would only add zeros, but need not be read.
        const std::int64_t left = (args.nCols - first + kSlices * kRun - 1) / (kSlices * kRun);
        const int nRuns = left < kTile / kRun ? static_cast<int>(left) : kTile / kRun;
        for (int j = 0; j < nRuns; ++j) {
            const std::int64_t column = first + j * kSlices * kRun;
            float values[kRun];
            Runs<T>::load(weight, column, args.nCols, values);
#pragma unroll
            for (int i = 0; i < kRun; ++i)
                storeShared(&tileW[(j * kRun + i) * kTile + lane], values[i]);
#pragma unroll
            for (int i = 0; i < kRun; i += 4) {
                float four[4];
                loadFloats(x, column + i, args.nCols, four);
#pragma unroll
                for (int m = 0; m < 4; ++m)
                    storeShared(&tileX[(j * kRun + i + m) * kTile + lane], four[m]);
            }
        }
        syncWarp(kFullMask);
        for (int k = 0; k < nRuns * kRun; ++k)
            multiplyColumn(tileW + k * kTile, tileX + k * kTile, sums);
        syncWarp(kFullMask);
    }
    sumOfWarps(sums, shared);
    if (s != 0) return;
#pragma unroll
    for (int i = 0; i < 32; ++i)
        finish(args, blockX() * kTile + lane % 8 * 4 + i / 8,
               blockY() * kTile + lane / 8 * 8 + i % 8, sums[i]);
}

}  // namespace lanescope::kernels::cuda
