#pragma once
// The loop of the fast matrix product that every instruction set shares: sixteen rows are unpacked
// 1024 columns at a time into L1, where all tokens use them; y itself keeps the sums between
// chunks. For files compiled for AVX2 or more only. A later store of packed panels replaces
// `unpackPanel`.

#include "kernels/cpu/avx2_unpack.h"
#include "kernels/ops/matmul.h"

namespace lanescope::kernels::avx2 {
namespace {

/// Part of a call: rows [row, row + nRows) (at most a panel), blocks [block, block + nBlocks).
struct Chunk {
    const MatmulArgs& args;
    std::int64_t row, nRows, block;
    int nBlocks;
    bool first, last;
};

template <DType kType, class Kernel>
void panelLoop(const MatmulArgs& args) {
    const auto* weights = static_cast<const std::uint8_t*>(args.weight);
    const std::int64_t stride = rowBytes(kType, args.nCols);
    const std::int64_t chunkBytes = rowBytes(kType, kPanelBlocks * kActsBlock);
    const std::int64_t nBlocks = args.nCols / kActsBlock;
    Panel panel;
    for (std::int64_t row = args.rowBegin; row < args.rowEnd; row += kPanelRows) {
        const std::int64_t nRows = args.rowEnd - row < kPanelRows ? args.rowEnd - row : kPanelRows;
        for (std::int64_t block = 0; block < nBlocks; block += kPanelBlocks) {
            const std::int64_t left = nBlocks - block;
            const int count = static_cast<int>(left < kPanelBlocks ? left : kPanelBlocks);
            const Chunk c{args, row, nRows, block, count, block == 0, left <= kPanelBlocks};
            for (int first = 0; first < nRows; first += kPartRows) {
                PanelRows rows{};
                rows.ahead = stride * kPanelRows;
                for (int r = 0; r < kPartRows; ++r) {  // a short panel reads its last row again
                    const std::int64_t i = first + r < nRows ? first + r : nRows - 1;
                    rows.row[r] = weights + (row + i) * stride + block / kPanelBlocks * chunkBytes;
                }
                unpackPanel<kType>(rows, count, Part{panel, first});
            }
            Kernel::template run<panelKind(kType)>(c, panel);
        }
    }
}

/// Runs the call with the kernel of its weight format. Precondition: a block format, nCols > 0.
template <class Kernel>
void forEachPanel(const MatmulArgs& args) {
    switch (args.weightType) {
        case DType::Q4_0:
            return panelLoop<DType::Q4_0, Kernel>(args);
        case DType::Q4_1:
            return panelLoop<DType::Q4_1, Kernel>(args);
        case DType::Q5_0:
            return panelLoop<DType::Q5_0, Kernel>(args);
        case DType::Q5_1:
            return panelLoop<DType::Q5_1, Kernel>(args);
        case DType::Q8_0:
            return panelLoop<DType::Q8_0, Kernel>(args);
        case DType::Q4_K:
            return panelLoop<DType::Q4_K, Kernel>(args);
        case DType::Q5_K:
            return panelLoop<DType::Q5_K, Kernel>(args);
        case DType::Q6_K:
            return panelLoop<DType::Q6_K, Kernel>(args);
        default:
            return;
    }
}

}  // namespace
}  // namespace lanescope::kernels::avx2
