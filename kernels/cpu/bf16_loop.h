#pragma once
// The loop of the product with bf16 activations, for instruction sets that have dots of bf16 pairs:
// sixteen rows are rounded to bf16 and laid out in pairs of columns, 256 columns at a time, in L1 —
// a row of 64 bytes is at once a vector for vdpbf16ps and a row of an AMX tile. Sums of 256 columns
// are added to y in turn, then the bias. How a sum of 256 columns is formed differs between the
// instruction sets (each file says how), so the bits do too; tokens and rows beside it never
// matter. For files compiled for AVX2 or more only.

#include "kernels/cpu/exact_loop.h"

namespace lanescope::kernels::avx2 {
namespace {

/// Columns come in multiples of this.
constexpr std::int64_t kBf16Columns = 32;

/// of[j][r] = columns 2 j (low half) and 2 j + 1 of row r.
struct alignas(64) PairPanel {
    std::uint32_t of[kExactChunk / 2][kExactRows];
};

/// Whether bf16_loop.h can do a call; the f32 product of the same numbers does the others.
inline bool isBf16Product(const MatmulArgs& args) {
    return args.xb != nullptr && args.nCols > 0 && args.nCols % kBf16Columns == 0;
}

template <DType kType>
void fillPairs(const ExactRows& rows, std::int64_t n, PairPanel& panel) {
    for (std::int64_t k = 0; k < n; k += 8) {
        rows.prefetch<kType>(k);
        for (int half = 0; half < 2; ++half) {
            __m256i even = _mm256_setzero_si256();
            forColumns<kType>(rows.row + 8 * half, k, [&](int i, __m256 w) {
                if constexpr (kType != DType::BF16) w = roundToBf16(w);
                const __m256i bits = _mm256_castps_si256(w);
                if (i % 2 == 0)
                    even = _mm256_srli_epi32(bits, 16);
                else
                    _mm256_store_si256(reinterpret_cast<__m256i*>(panel.of[(k + i) / 2] + 8 * half),
                                       _mm256_or_si256(bits, even));
            });
        }
    }
}

inline void fillPairsOf(const ExactStep& s, PairPanel& panel) {
    const DType type = s.args.weightType;
    const ExactRows rows = exactRowsOf(s);
    switch (type) {
        case DType::F32:
            return fillPairs<DType::F32>(rows, s.n, panel);
        case DType::F16:
            return fillPairs<DType::F16>(rows, s.n, panel);
        case DType::BF16:
            return fillPairs<DType::BF16>(rows, s.n, panel);
        default: {
            WideRows wide;
            return fillPairs<DType::F32>(wide.dequantise(s, rows), s.n, panel);
        }
    }
}

/// Kernel::tokens(step, panel) does all tokens of a step. Precondition: isBf16Product().
template <class Kernel>
void bf16Product(const MatmulArgs& args) {
    PairPanel panel;
    for (std::int64_t row = args.rowBegin; row < args.rowEnd; row += kExactRows) {
        const std::int64_t nRows = args.rowEnd - row < kExactRows ? args.rowEnd - row : kExactRows;
        for (std::int64_t at = 0; at < args.nCols; at += kExactChunk) {
            const std::int64_t n = args.nCols - at < kExactChunk ? args.nCols - at : kExactChunk;
            const ExactStep step{args, row, nRows, at, n, 0, args.nTokens};
            fillPairsOf(step, panel);
            Kernel::tokens(step, panel);
        }
    }
}

}  // namespace
}  // namespace lanescope::kernels::avx2
