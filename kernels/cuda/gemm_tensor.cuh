#pragma once
// Tensor-core product of many tokens: y[t, r] = Σ W[r] · x[t].
// A block has eight warps, kWarpRows x (8 / kWarpRows), each with 32 rows x 32 tokens (2 x 4 mma
// tiles). It walks along the columns in steps of 64, in two stages of shared memory: while one is
// multiplied, cp.async brings W of the next one and x of it passes through registers, where it is
// rounded, half of it with each window. Rows and tokens are 128 bytes of a stage; piece i of 16
// bytes lies at i ^ 4 (row % 2), so that neither the vector loads of operands nor the stores of x
// have bank conflicts. Registers: 32 sums of the chunk and 32 of the chunks before
// (matmul_tensor.cuh). Bound by the tensor cores and by shared memory alike: 8 vector loads of a
// warp for 16 mma.

#include "kernels/cuda/matmul_tensor.cuh"

namespace lanescope::kernels::cuda {

template <int kWarpRows>
struct TensorStage {
    static constexpr int kRows = 32 * kWarpRows;
    static constexpr int kTokens = 32 * (kSlices / kWarpRows);
    static constexpr int kColumns = 64;
    static constexpr int kPieces = kColumns / 8;  ///< of 16 bytes, a row
    static constexpr int kWeights = kRows * kPieces * 16;
    static constexpr int kBytes = kWeights + kTokens * kPieces * 16;
    static constexpr int kSharedBytes = 2 * kBytes;
    static constexpr int kOwnPieces = kTokens * kPieces / kProductThreads;  ///< of x, a thread
    static_assert(kOwnPieces == kColumns / kWindow);
};

/// Byte of a stage's part where piece `piece` of a row or token lies.
SIMT_DEVICE int tensorPiece(int row, int piece) {
    return 16 * (8 * row + (piece ^ (row % 2 * 4)));
}

template <class Stage>
SIMT_DEVICE void copyWeights(const Product& args, std::int64_t column, unsigned char* to) {
#pragma unroll 1  // keeps no addresses in registers
    for (int i = threadX(); i < Stage::kRows * Stage::kPieces; i += kProductThreads) {
        const int row = i / Stage::kPieces;
        const int piece = i % Stage::kPieces;
        const std::int64_t at = column + 8 * piece;
        const std::uint8_t* from =
            args.weight + atMost(blockX() * Stage::kRows + row, args.nRows - 1) * args.rowBytes;
        // Beyond the row: zeros, and an address that is not read.
        copyAsync<16>(to + tensorPiece(row, piece), from + (at < args.nCols ? 2 * at : 0),
                      at < args.nCols ? 16 : 0);
    }
}

/// A thread's piece of x on its way: loaded before a window is multiplied, stored after.
template <class T, class Stage>
class PieceInFlight {
  public:
    /// Piece i of the thread's Stage::kOwnPieces, of the stage that begins at a column.
    SIMT_DEVICE void load(const Product& args, std::int64_t column, int i) {
        m_piece = i * kProductThreads + threadX();
        const int token =
            atMost(blockY() * Stage::kTokens + m_piece / Stage::kPieces, args.nTokens - 1);
        const std::int64_t at = column + m_piece % Stage::kPieces * 8;
        m_low = m_high = Float4{0, 0, 0, 0};
        if (at < args.nCols) {
            const float* x = args.x + token * args.nCols + at;
            m_low = loadConstant<Float4>(x);
            m_high = loadConstant<Float4>(x + 4);
        }
    }
    SIMT_DEVICE void store(unsigned char* to) const {
        storeShared(reinterpret_cast<Uint4*>(
                        to + tensorPiece(m_piece / Stage::kPieces, m_piece % Stage::kPieces)),
                    roundEight<T>(m_low, m_high));
    }

  private:
    int m_piece = 0;
    Float4 m_low;
    Float4 m_high;
};

/// sums[2][4][4] += window `window` of the stage: the warp's 32 rows by its 32 tokens.
template <class T>
SIMT_DEVICE void multiplyTile(float (&sums)[8][4], const unsigned char* weights, int row,
                              const unsigned char* tokens, int token, int window) {
    const int r = laneId() / 4;
    const int piece = 4 * window + laneId() % 4;
    Uint4 w[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        w[i] = loadShared(
            reinterpret_cast<const Uint4*>(weights + tensorPiece(row + 8 * i + r, piece)));
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const auto x = loadShared(
            reinterpret_cast<const Uint4*>(tokens + tensorPiece(token + 8 * j + r, piece)));
        multiplyWindow<T>(sums[j], w[0], w[1], x);
        multiplyWindow<T>(sums[4 + j], w[2], w[3], x);
    }
}

template <class T, int kWarpRows>
SIMT_KERNEL(kProductThreads)
void gemmTensorKernel(Product args) {
    using Stage = TensorStage<kWarpRows>;
    SIMT_SHARED_DYNAMIC(unsigned char, shared);
    const int row = warpId() % kWarpRows * 32;
    const int token = warpId() / kWarpRows * 32;
    const int nSteps = static_cast<int>((args.nCols + Stage::kColumns - 1) / Stage::kColumns);

    PieceInFlight<T, Stage> next;
    if (nSteps > 0) {
        copyWeights<Stage>(args, 0, shared);
        for (int i = 0; i < Stage::kOwnPieces; ++i) {
            next.load(args, 0, i);
            next.store(shared + Stage::kWeights);
        }
    }
    commitAsync();
    float totals[8][4] = {};
    float sums[8][4] = {};
    for (int step = 0; step < nSteps; ++step) {
        waitAsync<0>();
        syncThreads();  // this stage is there, and nobody reads the other one any more
        const unsigned char* stage = shared + step % 2 * Stage::kBytes;
        unsigned char* other = shared + (step + 1) % 2 * Stage::kBytes;
        const std::int64_t column = static_cast<std::int64_t>(step) * Stage::kColumns;
        const bool more = step + 1 < nSteps;
        if (more) copyWeights<Stage>(args, column + Stage::kColumns, other);
        commitAsync();
#pragma unroll 1
        for (int window = 0; window < Stage::kColumns / kWindow; ++window) {
            if (more) next.load(args, column + Stage::kColumns, window);
            if (column + window * kWindow < args.nCols)
                multiplyTile<T>(sums, stage, row, stage + Stage::kWeights, token, window);
            if (more) next.store(other + Stage::kWeights);
        }
        if ((step + 1) % (kChunk / Stage::kColumns) == 0 || !more) {
#pragma unroll
            for (int i = 0; i < 32; ++i) {
                totals[i / 4][i % 4] += sums[i / 4][i % 4];
                sums[i / 4][i % 4] = 0.0F;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 32; ++i)
        finish(args, blockX() * Stage::kRows + row + rowOfSum<4>(i, laneId()),
               blockY() * Stage::kTokens + token + tokenOfSum<4>(i, laneId()),
               totals[i / 4][i % 4]);
}

}  // namespace lanescope::kernels::cuda
