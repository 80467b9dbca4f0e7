#pragma once
// The loop of the fast matrix product that every instruction set shares: sixteen rows are unpacked
// 1024 columns at a time into L1, where all tokens use them; y itself keeps the sums between
// chunks. For files compiled for AVX2 or more only. A later store of packed panels replaces
// `unpackPanel`.

#include "kernels/cpu/avx2_low_bit.h"
#include "kernels/cpu/avx2_unpack.h"
#include "kernels/ops/matmul.h"
#include "kernels/types/packed.h"

namespace lanescope::kernels::avx2 {
namespace {

/// Part of a call: rows [row, row + nRows) (at most a panel), blocks [block, block + nBlocks).
struct Chunk {
    const MatmulArgs& args;
    std::int64_t row, nRows, block;
    int nBlocks;
    bool first, last;
};

template <PanelKind kKind, class Kernel>
void panelLoop(const MatmulArgs& args, UnpackPanel unpack) {
    const auto* weights = static_cast<const std::uint8_t*>(args.weight);
    const std::int64_t stride = rowBytes(args.weightType, args.nCols);
    const std::int64_t chunkBytes = rowBytes(args.weightType, kPanelBlocks * kActsBlock);
    const std::int64_t nBlocks = args.nCols / kActsBlock;
    Panel panel;
    for (std::int64_t row = args.rowBegin; row < args.rowEnd; row += kPanelRows) {
        const std::int64_t nRows = args.rowEnd - row < kPanelRows ? args.rowEnd - row : kPanelRows;
        for (std::int64_t block = 0; block < nBlocks; block += kPanelBlocks) {
            const std::int64_t left = nBlocks - block;
            const int count = static_cast<int>(left < kPanelBlocks ? left : kPanelBlocks);
            const Chunk c{args,
                          row,
                          nRows,
                          block,
                          count,
                          block == 0 && !args.accumulate,
                          left <= kPanelBlocks};
            const std::int64_t nUnpacked = Kernel::kWholePanels ? kPanelRows : nRows;
            for (int first = 0; first < nUnpacked; first += kPartRows) {
                PanelRows rows{};
                rows.ahead = stride * kPanelRows;
                for (int r = 0; r < kPartRows; ++r) {  // a short panel reads its last row again
                    const std::int64_t i = first + r < nRows ? first + r : nRows - 1;
                    rows.row[r] = weights + (row + i) * stride + block / kPanelBlocks * chunkBytes;
                }
                unpack(rows, count, panel, first);
            }
            Kernel::template run<kKind>(c, panel);
        }
    }
}

template <DType kType>
void unpackOne(const PanelRows& rows, int nBlocks, Panel& panel, int first) {
    unpackPanel<kType>(rows, nBlocks, Part{panel, first});
}

inline UnpackPanel unpackOf(DType type) {
    switch (type) {
        case DType::Q4_0:
            return unpackOne<DType::Q4_0>;
        case DType::Q4_1:
            return unpackOne<DType::Q4_1>;
        case DType::Q5_0:
            return unpackOne<DType::Q5_0>;
        case DType::Q5_1:
            return unpackOne<DType::Q5_1>;
        case DType::Q8_0:
            return unpackOne<DType::Q8_0>;
        case DType::Q4_K:
            return unpackOne<DType::Q4_K>;
        case DType::Q5_K:
            return unpackOne<DType::Q5_K>;
        case DType::Q6_K:
            return unpackOne<DType::Q6_K>;
        default:
            return lowBitUnpack(type);
    }
}

/// Runs the call with the kernel of its weight format. Precondition: a block format, nCols > 0.
template <class Kernel>
void forEachPanel(const MatmulArgs& args) {
    const UnpackPanel unpack = unpackOf(args.weightType);
    switch (panelKind(args.weightType)) {
        case PanelKind::Minimum4:
            return panelLoop<PanelKind::Minimum4, Kernel>(args, unpack);
        case PanelKind::Minimum5:
            return panelLoop<PanelKind::Minimum5, Kernel>(args, unpack);
        case PanelKind::Minimum2:
            return panelLoop<PanelKind::Minimum2, Kernel>(args, unpack);
        case PanelKind::Zero4:
            return panelLoop<PanelKind::Zero4, Kernel>(args, unpack);
        case PanelKind::Zero5:
            return panelLoop<PanelKind::Zero5, Kernel>(args, unpack);
        case PanelKind::Signed8:
            return panelLoop<PanelKind::Signed8, Kernel>(args, unpack);
        case PanelKind::Split8:
            return panelLoop<PanelKind::Split8, Kernel>(args, unpack);
        case PanelKind::Scaled6:
            return panelLoop<PanelKind::Scaled6, Kernel>(args, unpack);
    }
}

/// Blocks of a panel that was unpacked into L1. Block: a class made of (panel, index).
template <class Block>
struct PanelSource {
    const Panel& panel;
    [[nodiscard]] Block block(int b) const { return {panel, b}; }
    void prefetch(int) const {}
};

/// Blocks of a packed panel, as they lie in memory. Block: a class made of (group, index in it).
template <class Block>
struct PackedSource {
    static constexpr PackedShape kShape = Block::kShape;
    const std::uint8_t* panel;
    [[nodiscard]] Block block(int b) const {
        constexpr auto kBlocks = static_cast<unsigned>(kShape.blocks);
        const auto at = static_cast<unsigned>(b);
        return {panel + static_cast<std::size_t>(at / kBlocks) * kShape.groupBytes(),
                static_cast<int>(at % kBlocks)};
    }
    /// Several tokens keep the maths busy for longer than the hardware's own prefetching bridges.
    void prefetch(int b) const {
        constexpr std::ptrdiff_t kAhead = 4096;
        constexpr std::ptrdiff_t kEach = kShape.groupBytes() / kShape.blocks;
        const std::uint8_t* from = panel + b * kEach + kAhead;
#pragma GCC unroll 10
        for (std::ptrdiff_t i = 0; i < kEach; i += 64)
            _mm_prefetch(reinterpret_cast<const char*>(from + i), _MM_HINT_T0);
    }
};

template <DType kType, class Kernel>
void packedLoop(const MatmulArgs& args) {
    const std::int64_t panelBytes = packedPanelBytes(kType, args.nCols);
    const auto* weights = static_cast<const std::uint8_t*>(args.packed);
    const auto nBlocks = static_cast<int>(args.nCols / kActsBlock);
    for (std::int64_t row = args.rowBegin; row < args.rowEnd; row += kPanelRows) {
        const std::int64_t nRows = args.rowEnd - row < kPanelRows ? args.rowEnd - row : kPanelRows;
        const Chunk c{args, row, nRows, 0, nBlocks, !args.accumulate, true};
        Kernel::template run<kType>(c, weights + row / kPanelRows * panelBytes);
    }
}

/// The same from packed weights. Precondition: args.packed, nCols > 0.
template <class Kernel>
void forEachPackedPanel(const MatmulArgs& args) {
    switch (args.weightType) {
#define LANESCOPE_PACKED(type) \
    case DType::type:          \
        return packedLoop<DType::type, Kernel>(args)
        LANESCOPE_PACKED(Q4_0);
        LANESCOPE_PACKED(Q4_1);
        LANESCOPE_PACKED(Q5_0);
        LANESCOPE_PACKED(Q5_1);
        LANESCOPE_PACKED(Q8_0);
        LANESCOPE_PACKED(Q2_K);
        LANESCOPE_PACKED(Q3_K);
        LANESCOPE_PACKED(Q4_K);
        LANESCOPE_PACKED(Q5_K);
        LANESCOPE_PACKED(Q6_K);
        LANESCOPE_PACKED(IQ1_S);
        LANESCOPE_PACKED(IQ1_M);
        LANESCOPE_PACKED(IQ2_XXS);
        LANESCOPE_PACKED(IQ2_XS);
        LANESCOPE_PACKED(IQ2_S);
        LANESCOPE_PACKED(IQ3_XXS);
        LANESCOPE_PACKED(IQ3_S);
        LANESCOPE_PACKED(IQ4_NL);
        LANESCOPE_PACKED(IQ4_XS);
        LANESCOPE_PACKED(TQ1_0);
        LANESCOPE_PACKED(TQ2_0);
        LANESCOPE_PACKED(MXFP4);
        LANESCOPE_PACKED(NVFP4);
#undef LANESCOPE_PACKED
        default:
            return;
    }
}

/// The fast product of any block format. Precondition: nCols > 0.
template <class Kernel>
void panelProduct(const MatmulArgs& args) {
    if (args.rest == nullptr) {
        if (args.packed != nullptr)
            forEachPackedPanel<Kernel>(args);
        else
            forEachPanel<Kernel>(args);
        return;
    }
    // Panel by panel, so that the second term finds the weights in a cache.
    for (std::int64_t row = args.rowBegin; row < args.rowEnd; row += kPanelRows) {
        MatmulArgs term = args;
        term.rowBegin = row;
        term.rowEnd = args.rowEnd - row < kPanelRows ? args.rowEnd : row + kPanelRows;
        term.rest = nullptr;
        term.bias = nullptr;
        panelProduct<Kernel>(term);
        term.xq = args.rest;
        term.bias = args.bias;
        term.accumulate = true;
        panelProduct<Kernel>(term);
    }
}

}  // namespace
}  // namespace lanescope::kernels::avx2
