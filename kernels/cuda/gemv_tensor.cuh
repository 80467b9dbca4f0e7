#pragma once
// Tensor-core product of few tokens: y[t, r] = Σ W[r] · x[t], bound by reading W once; the mma's
// spare tokens cost nothing then (matmul_tensor.cuh says why it is the same mma as for many).
// A block (eight warps) has 16 kRowTiles rows and 8 kTokenTiles tokens; warp s takes chunks
// s, s + 8, … of the columns. A lane loads 16 bytes of each of its rows straight from global memory
// into operands, a warp 64 contiguous bytes of eight rows at a time; x is read and rounded by every
// block, out of the L2 cache. The sums of a chunk go to shared memory; every kSlots chunks the
// block adds them up in order, an element a thread.

#include "kernels/cuda/matmul_tensor.cuh"

namespace lanescope::kernels::cuda {

/// Columns [column, column + 8) of a row of W; zeros beyond.
SIMT_DEVICE Uint4 weightsAt(const std::uint8_t* row, std::int64_t column, std::int64_t nCols) {
    if (column >= nCols) return {0, 0, 0, 0};
    return loadConstant<Uint4>(row + 2 * column);
}

/// The same of a token's x, rounded.
template <class T>
SIMT_DEVICE Uint4 tokenAt(const Product& args, int token, std::int64_t column) {
    if (token >= args.nTokens || column >= args.nCols) return {0, 0, 0, 0};
    const float* x = args.x + token * args.nCols + column;
    return roundEight<T>(loadConstant<Float4>(x), loadConstant<Float4>(x + 4));
}

template <class T, int kRowTiles, int kTokenTiles>
SIMT_KERNEL(kProductThreads)
void gemvTensorKernel(Product args) {
    constexpr int kCount = 4 * kRowTiles * kTokenTiles;
    constexpr int kElements = kCount * kWarp;
    constexpr int kSlots = 256 / kCount;
    static_assert(kSlots % kSlices == 0);
    constexpr int kOwn = (kElements + kProductThreads - 1) / kProductThreads;
    SIMT_SHARED(float, parts, [kSlots * kElements]);
    const int lane = laneId();
    const int firstRow = blockX() * 16 * kRowTiles;
    const int firstToken = blockY() * 8 * kTokenTiles;
    const std::uint8_t* rows[2 * kRowTiles];
#pragma unroll
    for (int i = 0; i < 2 * kRowTiles; ++i)
        rows[i] = args.weight + atMost(firstRow + 8 * i + lane / 4, args.nRows - 1) * args.rowBytes;
    const int nChunks = static_cast<int>((args.nCols + kChunk - 1) / kChunk);

    float totals[kOwn] = {};
    for (int round = 0; round < nChunks; round += kSlots) {
        const int end = atMost(round + kSlots, nChunks);
        for (int chunk = round + warpId(); chunk < end; chunk += kSlices) {
            float sums[kRowTiles * kTokenTiles][4] = {};
            const std::int64_t begin = static_cast<std::int64_t>(chunk) * kChunk;
            const auto left = static_cast<int>(begin + kChunk < args.nCols ? std::int64_t{kChunk}
                                                                           : args.nCols - begin);
#pragma unroll(kTokenTiles == 1 ? 4 : 1)
            for (int at = 0; at < left; at += kWindow) {
                const std::int64_t column = begin + at + lane % 4 * 8;
                Uint4 w[2 * kRowTiles];
#pragma unroll
                for (int i = 0; i < 2 * kRowTiles; ++i)
                    w[i] = weightsAt(rows[i], column, args.nCols);
#pragma unroll
                for (int j = 0; j < kTokenTiles; ++j) {
                    const Uint4 x = tokenAt<T>(args, firstToken + 8 * j + lane / 4, column);
#pragma unroll
                    for (int i = 0; i < kRowTiles; ++i)
                        multiplyWindow<T>(sums[i * kTokenTiles + j], w[2 * i], w[2 * i + 1], x);
                }
            }
#pragma unroll
            for (int i = 0; i < kCount; ++i)
                storeShared(&parts[((chunk - round) * kCount + i) * kWarp + lane],
                            sums[i / 4][i % 4]);
        }
        syncThreads();
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
            const int element = i * kProductThreads + threadX();
            if (element >= kElements) break;
            for (int chunk = round; chunk < end; ++chunk)
                totals[i] += loadShared(&parts[(chunk - round) * kElements + element]);
        }
        syncThreads();
    }
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
        const int element = i * kProductThreads + threadX();
        if (element >= kElements) break;
        finish(args, firstRow + rowOfSum<kTokenTiles>(element / kWarp, element % kWarp),
               firstToken + tokenOfSum<kTokenTiles>(element / kWarp, element % kWarp), totals[i]);
    }
}

}  // namespace lanescope::kernels::cuda
