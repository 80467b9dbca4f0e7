#pragma once
// int8 product of many tokens on tensor cores: y[t, r] = Σ W[r] · x[t].
// A block (eight warps) has 16 kRowTiles rows and 8 kTokenTiles tokens. It walks along the columns
// in runs of 256; warp s multiplies block s of every run, so that one mma (K = 32) is one block's
// dot, which is scaled into f32 sums of its own; the warps' sums meet at the end (sumOfWarps).
// A stage of shared memory holds a run: the rows as they are stored (from the 16 bytes that hold
// their first one on), the tokens' codes (16-byte pieces, piece i of token t at i ^ t % 8, so that
// ldmatrix has no bank conflicts) and the tokens' scales and sums (20 words a token: none either).
// cp.async fills one stage while the other is multiplied. Operands are decoded in registers, right
// into the lanes that the mma wants them in. Bound by the scaling in f32: about five instructions a
// lane for the two cycles of an mma, which is why zero points and the conversion to float are put
// into what the mma begins with.

#include "kernels/cuda/matmul_int8.cuh"

namespace lanescope::kernels::cuda {

/// Shared memory of a stage, in bytes.
template <class Block, int kRowTiles, int kTokenTiles>
struct Int8Stage {
    static constexpr int kRows = 16 * kRowTiles;
    static constexpr int kTokens = 8 * kTokenTiles;
    static constexpr int kRun = Coder<Block>::kRunBytes;
    /// The most that a row's run reaches before the 16-byte piece it begins in.
    static constexpr int kSlack = kRun % 16 == 0 && !Coder<Block>::kShifts ? 12 : 14;
    /// Pieces of 16 bytes a row; odd, so that eight rows lie in different banks.
    static constexpr int kPieces = ((kRun + (sizeof(Block) % 16 == 0 ? 0 : kSlack) + 15) / 16) | 1;
    static constexpr int kRowStride = 16 * kPieces;
    static constexpr int kSideStride = 80;
    static constexpr int kWeights = kRows * kRowStride;
    static constexpr int kCodes = kTokens * kSuperBlock;
    static constexpr int kTerm = kCodes + kTokens * kSideStride;
    static constexpr int kParts = kSlices / 2 * kRows * kTokens * static_cast<int>(sizeof(float));
    /// Of the launch: two stages, later the warps' sums.
    static constexpr int sharedBytes(int nTerms) {
        const int stages = 2 * (kWeights + nTerms * kTerm);
        return stages > kParts ? stages : kParts;
    }
};

/// Starts the copies of a run of the block's rows.
template <class Block, class Stage>
SIMT_DEVICE void copyRows(const Product& args, int run, unsigned char* to) {
#pragma unroll 1
    for (int i = threadX(); i < Stage::kRows * Stage::kPieces; i += kProductThreads) {
        const int row = i / Stage::kPieces;
        const int piece = i % Stage::kPieces;
        const std::int64_t from =
            atMost(blockX() * Stage::kRows + row, args.nRows - 1) * args.rowBytes;
        std::int64_t end = (run + 1) * static_cast<std::int64_t>(Stage::kRun);
        if (end > args.rowBytes) end = args.rowBytes;
        const std::int64_t begin = from + run * static_cast<std::int64_t>(Stage::kRun);
        const std::int64_t at = (begin & ~std::int64_t{15}) + 16 * piece;
        if (at < from + end) copyAsync<16>(to + i * 16, args.weight + at);
    }
}

/// Starts the copies of a run of the tokens' scales (or sums, which are words as well), 4 or 16
/// bytes at a time.
template <int kBytes, class Stage>
SIMT_DEVICE void copySide(const Product& args, int firstToken, int firstBlock, const void* words,
                          unsigned char* to) {
    constexpr int kPieces = kSlices * 4 / kBytes;
    const int nBlocks = static_cast<int>(args.nCols / kActsBlock);
#pragma unroll 1
    for (int i = threadX(); i < Stage::kTokens * kPieces; i += kProductThreads) {
        const int token = i / kPieces;
        const int block = firstBlock + i % kPieces * (kBytes / 4);
        const std::int64_t at =
            static_cast<std::int64_t>(atMost(firstToken + token, args.nTokens - 1)) * nBlocks +
            block;
        if (block < nBlocks)
            copyAsync<kBytes>(to + token * Stage::kSideStride + i % kPieces * kBytes,
                              static_cast<const unsigned char*>(words) + 4 * at);
    }
}

/// Starts the copies of a run of a term's activations.
template <class Stage>
SIMT_DEVICE void copyActs(const Product& args, const ActsQ8& acts, int run, unsigned char* to) {
    constexpr int kPieces = kSuperBlock / 16;
    const int firstToken = blockY() * Stage::kTokens;
#pragma unroll 1
    for (int i = threadX(); i < Stage::kTokens * kPieces; i += kProductThreads) {
        const int token = i / kPieces;
        const int piece = i % kPieces;
        const std::int64_t column = static_cast<std::int64_t>(run) * kSuperBlock + 16 * piece;
        if (column < args.nCols)
            copyAsync<16>(
                to + token * kSuperBlock + 16 * (piece ^ token % 8),
                acts.q + atMost(firstToken + token, args.nTokens - 1) * args.nCols + column);
    }
    unsigned char* side = to + Stage::kCodes;
    if (args.nCols % (4 * kActsBlock) == 0) {
        copySide<16, Stage>(args, firstToken, kSlices * run, acts.scale, side);
        copySide<16, Stage>(args, firstToken, kSlices * run, acts.sum16, side + 4 * kSlices);
    } else {
        copySide<4, Stage>(args, firstToken, kSlices * run, acts.scale, side);
        copySide<4, Stage>(args, firstToken, kSlices * run, acts.sum16, side + 4 * kSlices);
    }
}

/// A lane's part of 16 rows of one block: operand a of the mma and the scales of rows r, r + 8.
struct Int8Rows {
    std::uint32_t a[4];
    Scales scales[2];
};

template <class Block, class Stage>
SIMT_DEVICE Int8Rows decodeRows(const Product& args, const unsigned char* weights, int run,
                                int rowTile) {
    using Code = Coder<Block>;
    const int s = warpId();
    const int r = laneId() / 4;
    Int8Rows out;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int row = 16 * rowTile + r + 8 * i;
        // Where in its first piece the row's run begins: the low bits are enough.
        const auto begin =
            static_cast<std::uint32_t>(atMost(blockX() * Stage::kRows + row, args.nRows - 1)) *
                static_cast<std::uint32_t>(args.rowBytes) +
            static_cast<std::uint32_t>(run * Stage::kRun);
        const Reader<SharedMemory, Code::kShifts> reader(weights + row * Stage::kRowStride +
                                                         (begin & 15U) + Code::place(s));
        const CodePair codes = Code::pair(reader, s, laneId() % 4);
        out.a[i] = codes.first;
        out.a[2 + i] = codes.second;
        out.scales[i] = Code::scales(reader, s);
    }
    return out;
}

/// sums += 16 rows x 8 tokens of one block; b: the tokens' codes, x: scales and sums of tokens 2p
/// and 2p + 1.
template <PanelKind kKind>
SIMT_DEVICE void multiplyBlock(float* sums, const Int8Rows& rows, const std::uint32_t (&b)[2],
                               const ActsScale (&x)[2]) {
    const DotStart start[2] = {dotStart<kKind>(x[0].sums), dotStart<kKind>(x[1].sums)};
    std::int32_t first[4] = {start[0].first, start[1].first, start[0].first, start[1].first};
    std::int32_t second[4] = {start[0].second, start[1].second, start[0].second, start[1].second};
    if constexpr (kHasHalves<kKind>) {
        multiplyAddInt8(first, {rows.a[0], rows.a[1], 0, 0}, b);
        multiplyAddInt8(second, {0, 0, rows.a[2], rows.a[3]}, b);
    } else {
        multiplyAddInt8(first, rows.a, b);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        sums[i] = addBlock<kKind>(sums[i], first[i], second[i], rows.scales[i / 2], x[i % 2]);
}

template <class Block, int kRowTiles, int kTokenTiles>
SIMT_KERNEL(kProductThreads, 2)
void gemmInt8Kernel(Product args) {
    using Stage = Int8Stage<Block, kRowTiles, kTokenTiles>;
    constexpr PanelKind kKind = Coder<Block>::kKind;
    SIMT_SHARED_DYNAMIC(unsigned char, shared);
    const int nBlocks = static_cast<int>(args.nCols / kActsBlock);
    const int nRuns = (nBlocks + kSlices - 1) / kSlices;
    const int stageBytes = Stage::kWeights + args.nTerms * Stage::kTerm;
    const int s = warpId();
    const int lane = laneId();

    auto copyRun = [&](int run) {
        unsigned char* stage = shared + run % 2 * stageBytes;
        copyRows<Block, Stage>(args, run, stage);
#pragma unroll 1
        for (int term = 0; term < args.nTerms; ++term)
            copyActs<Stage>(args, args.terms[term], run,
                            stage + Stage::kWeights + term * Stage::kTerm);
    };
    float sums[kRowTiles * kTokenTiles * 4] = {};
    for (int run = -1; run < nRuns; ++run) {
        if (run >= 0) {
            waitAsync<0>();
            syncThreads();  // this run is there, and nobody reads the stage of the next any more
        }
        if (run + 1 < nRuns) copyRun(run + 1);
        commitAsync();
        if (run >= 0 && kSlices * run + s < nBlocks) {
            const unsigned char* stage = shared + run % 2 * stageBytes;
            Int8Rows rows[kRowTiles];
#pragma unroll
            for (int i = 0; i < kRowTiles; ++i)
                rows[i] = decodeRows<Block, Stage>(args, stage, run, i);
#pragma unroll 1
            for (int term = 0; term < args.nTerms; ++term) {
                const unsigned char* codes = stage + Stage::kWeights + term * Stage::kTerm;
                const unsigned char* side = codes + Stage::kCodes + 4 * s;
#pragma unroll
                for (int j = 0; j < kTokenTiles; ++j) {
                    std::uint32_t b[2];
                    const int token = 8 * j + lane % 8;
                    const int piece = 2 * s + lane / 8 % 2;
                    loadMatrices(b, codes + token * kSuperBlock + 16 * (piece ^ token % 8));
                    ActsScale x[2];
#pragma unroll
                    for (int i = 0; i < 2; ++i) {
                        const unsigned char* at =
                            side + (8 * j + 2 * (lane % 4) + i) * Stage::kSideStride;
                        x[i].scale = loadShared(reinterpret_cast<const float*>(at));
                        x[i].sums =
                            loadShared(reinterpret_cast<const std::uint32_t*>(at + 4 * kSlices));
                    }
#pragma unroll
                    for (int i = 0; i < kRowTiles; ++i)
                        multiplyBlock<kKind>(&sums[4 * (i * kTokenTiles + j)], rows[i], b, x);
                }
            }
        }
    }
    sumOfWarps(sums, reinterpret_cast<float*>(shared));
    if (s != 0) return;
#pragma unroll
    for (int i = 0; i < kRowTiles * kTokenTiles * 4; ++i) {
        const int row = i / (4 * kTokenTiles) * 16 + lane / 4 + i % 4 / 2 * 8;
        const int token = i / 4 % kTokenTiles * 8 + lane % 4 * 2 + i % 2;
        finish(args, blockX() * Stage::kRows + row, blockY() * Stage::kTokens + token, sums[i]);
    }
}

}  // namespace lanescope::kernels::cuda
