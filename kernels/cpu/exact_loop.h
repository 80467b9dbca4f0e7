#pragma once
// The loop of the product with f32 activations that every instruction set shares. As in panel.h one
// vector lane is one output row, so no sum across lanes is needed: sixteen rows are widened and
// transposed 256 columns at a time into L1, and activations are laid out in groups of six tokens,
// so that tiles of 16 rows x several tokens read two streams. Up to four tokens multiply the
// transposed columns while they are in registers.
// Order of operations of one y[t, r], whatever the tile: for every 256 columns one chain of FMAs in
// the order of the columns, from zero; added to the sum so far (kept in y); bias last. So the bits
// are the same for every number of tokens, split of rows and width of vectors. For files compiled
// for AVX2 or more only.

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx2_rows.h"
#include "kernels/ops/matmul.h"

namespace lanescope::kernels::avx2 {
namespace {

constexpr std::int64_t kExactRows = 16;
constexpr std::int64_t kExactChunk = 256;
constexpr std::int64_t kFewTokens = 4;
constexpr std::int64_t kGroupTokens = 6;
constexpr std::int64_t kGroupFloats = kGroupTokens * kExactChunk;
constexpr std::int64_t kGroups = 32;  ///< of a block of activations: 192 KB, which stay in L2

/// Part of a call: rows [row, row + nRows), columns [begin, begin + n), tokens [token, tokenEnd).
struct ExactStep {
    const MatmulArgs& args;
    std::int64_t row, nRows, begin, n, token, tokenEnd;
    [[nodiscard]] bool first() const { return begin == 0; }
    [[nodiscard]] bool last() const { return begin + n == args.nCols; }
    /// Columns come eight at a time, zeros beyond the last in both operands.
    [[nodiscard]] std::int64_t paddedColumns() const { return (n + 7) / 8 * 8; }
    [[nodiscard]] float* y(std::int64_t t) const { return args.y + t * args.yStride + row; }
};

/// The widened columns of sixteen rows.
struct alignas(64) ExactPanel {
    float of[kExactChunk][kExactRows];
};

/// Activations [chunk][group][column][token of the group] and room for one store too many.
struct alignas(64) ExactActs {
    float of[kGroups * kGroupFloats + 8];
};

/// Sixteen stored rows, each at the first column of a step.
struct ExactRows {
    const char* row[kExactRows];
    std::ptrdiff_t ahead;  ///< from here to what the next step reads

    /// Asks for a part of what the next step reads while this one is at column k: half a row's run
    /// every eight columns. Sixteen short runs are too many for the processor to foresee.
    template <DType kType>
    __attribute__((always_inline)) void prefetch(std::int64_t k) const {
        if constexpr (kType == DType::F32) return;  // runs of 1 KB it does foresee
        constexpr std::int64_t kHalf = kExactChunk / 2 * floatBytes(kType);
        const char* from = row[k / 16] + (k / 8 % 2) * kHalf + ahead;
#pragma GCC unroll 8
        for (std::int64_t i = 0; i < kHalf; i += 64) _mm_prefetch(from + i, _MM_HINT_T0);
    }
};

/// What a tile reads and adds to.
struct ExactTile {
    const ExactStep& step;
    const ExactPanel& panel;
    const float* x;  ///< the step's columns of its first group of tokens
};

template <DType kType>
void fillPanel(const ExactRows& rows, std::int64_t n, ExactPanel& panel) {
    for (std::int64_t k = 0; k < n; k += 8) {
        rows.prefetch<kType>(k);
        for (int half = 0; half < 2; ++half) {
            float* to = panel.of[k] + 8 * half;
            const auto keep = [to](int i, __m256 v) { _mm256_store_ps(to + kExactRows * i, v); };
            if (k + 8 <= n)
                forColumns<kType>(rows.row + 8 * half, k, keep);
            else
                forLastColumns<kType>(rows.row + 8 * half, k, n - k, keep);
        }
    }
}

/// Columns [begin, begin + n) of tokens [token, token + 6) or fewer, the last one repeated.
inline void fillGroup(const MatmulArgs& args, std::int64_t token, std::int64_t begin,
                      std::int64_t n, float* to) {
    const char* rows[8];
    for (std::int64_t t = 0; t < 8; ++t) {
        const std::int64_t at = token + t < args.nTokens ? token + t : args.nTokens - 1;
        rows[t] = reinterpret_cast<const char*>(args.x + at * args.nCols + begin);
    }
    for (std::int64_t k = 0; k < n; k += 8) {
        // Eight lanes are stored and the last two overwritten by the next column.
        const auto keep = [to, k](int i, __m256 v) {
            _mm256_storeu_ps(to + kGroupTokens * (k + i), v);
        };
        if (k + 8 <= n)
            forColumns<DType::F32>(rows, k, keep);
        else
            forLastColumns<DType::F32>(rows, k, n - k, keep);
    }
}

/// Adds a chunk's sums of rows [first, first + 8) of a step to y, where the matrix ends before.
inline void addSomeSums(const ExactStep& s, std::int64_t token, std::int64_t first, __m256 sums) {
    const std::int64_t left = s.nRows - first;
    if (left <= 0) return;
    const __m256i mask = laneMask(left < 8 ? left : 8);
    float* y = s.y(token) + first;
    if (!s.first()) sums = _mm256_add_ps(_mm256_maskload_ps(y, mask), sums);
    if (s.last() && s.args.bias != nullptr)
        sums = _mm256_add_ps(sums, _mm256_maskload_ps(s.args.bias + s.row + first, mask));
    _mm256_maskstore_ps(y, mask, sums);
}

/// Adds a chunk's sums of sixteen rows to y.
__attribute__((always_inline)) inline void addSums(const ExactStep& s, std::int64_t token,
                                                   __m256 low, __m256 high) {
    if (s.nRows < kExactRows) {
        addSomeSums(s, token, 0, low);
        return addSomeSums(s, token, 8, high);
    }
    float* y = s.y(token);
    if (!s.first()) {
        low = _mm256_add_ps(_mm256_loadu_ps(y), low);
        high = _mm256_add_ps(_mm256_loadu_ps(y + 8), high);
    }
    if (s.last() && s.args.bias != nullptr) {
        const float* bias = s.args.bias + s.row;
        low = _mm256_add_ps(low, _mm256_loadu_ps(bias));
        high = _mm256_add_ps(high, _mm256_loadu_ps(bias + 8));
    }
    _mm256_storeu_ps(y, low);
    _mm256_storeu_ps(y + 8, high);
}

/// All of a step's tokens, kT.
template <DType kType, int kT>
__attribute__((noinline)) void fewTile(const ExactStep& s, const ExactRows& rows) {
    __m256 acc[kT][2];
#pragma GCC unroll 4
    for (int t = 0; t < kT; ++t) acc[t][0] = acc[t][1] = _mm256_setzero_ps();
    const float* x = s.args.x + s.token * s.args.nCols + s.begin;
    std::int64_t stride = s.args.nCols;
    float tail[kT][8] = {};
    const std::int64_t whole = s.n / 8 * 8;
    const auto columns = [&](int half, std::int64_t k) {
        return [&acc, at = x + k, stride, half](int i, __m256 w) {
#pragma GCC unroll 4
            for (int t = 0; t < kT; ++t)
                acc[t][half] =
                    _mm256_fmadd_ps(_mm256_broadcast_ss(at + t * stride + i), w, acc[t][half]);
        };
    };
    for (std::int64_t k = 0; k < whole; k += 8) {
        rows.prefetch<kType>(k);
        forColumns<kType>(rows.row, k, columns(0, k));
        forColumns<kType>(rows.row + 8, k, columns(1, k));
    }
    if (whole < s.n) {
        for (int t = 0; t < kT; ++t)
            std::memcpy(tail[t], x + t * stride + whole,
                        static_cast<std::size_t>(s.n - whole) * sizeof(float));
        x = tail[0];
        stride = 8;
        forLastColumns<kType>(rows.row, whole, s.n - whole, columns(0, 0));
        forLastColumns<kType>(rows.row + 8, whole, s.n - whole, columns(1, 0));
    }
#pragma GCC unroll 4
    for (int t = 0; t < kT; ++t) addSums(s, s.token + t, acc[t][0], acc[t][1]);
}

template <DType kType>
void fewTokens(const ExactStep& s, const ExactRows& rows) {
    switch (s.tokenEnd - s.token) {
        case 1:
            return fewTile<kType, 1>(s, rows);
        case 2:
            return fewTile<kType, 2>(s, rows);
        case 3:
            return fewTile<kType, 3>(s, rows);
        default:
            return fewTile<kType, 4>(s, rows);
    }
}

/// x: the step's laid out activations, or null where few tokens read them as they are.
template <DType kType, class Kernel>
void exactStep(const ExactStep& s, const ExactRows& rows, const float* x) {
    if (x == nullptr) return fewTokens<kType>(s, rows);
    ExactPanel panel;
    fillPanel<kType>(rows, s.n, panel);
    Kernel::tokens(ExactTile{s, panel, x});
}

/// The stored rows of a step.
inline ExactRows exactRowsOf(const ExactStep& s) {
    const MatmulArgs& args = s.args;
    const std::int64_t stride = rowBytes(args.weightType, args.nCols);
    const std::int64_t before = rowBytes(args.weightType, s.begin);
    const char* from = static_cast<const char*>(args.weight) + s.row * stride + before;
    ExactRows rows{};
    for (std::int64_t r = 0; r < kExactRows; ++r)  // a short tile reads its last row again
        rows.row[r] = from + (r < s.nRows ? r : s.nRows - 1) * stride;
    rows.ahead = s.last() ? kExactRows * stride - before : rowBytes(args.weightType, s.n);
    return rows;
}

/// Rows of a step as f32, for formats that are not widened while they are transposed.
struct alignas(64) WideRows {
    float of[kExactRows][kExactChunk];

    ExactRows dequantise(const ExactStep& s, const ExactRows& from) {
        ExactRows rows{};
        for (std::int64_t r = 0; r < kExactRows; ++r) {
            if (r < s.nRows) {
                dequantiseRow(s.args.weightType, from.row[r], of[r], s.n);
                for (std::int64_t k = s.n; k < s.paddedColumns(); ++k) of[r][k] = 0.0F;
            }
            rows.row[r] = reinterpret_cast<const char*>(of[r < s.nRows ? r : s.nRows - 1]);
        }
        return rows;
    }
    /// Rounds them to bf16.
    void round(const ExactStep& s) {
        for (std::int64_t r = 0; r < s.nRows; ++r)
            for (std::int64_t k = 0; k < s.n; k += 8)
                _mm256_store_ps(of[r] + k, roundToBf16(_mm256_load_ps(of[r] + k)));
    }
};

template <class Kernel>
void exactStepOf(const ExactStep& s, const float* x) {
    const ExactRows rows = exactRowsOf(s);
    const bool rounds = s.args.xb != nullptr && s.args.weightType != DType::BF16;
    switch (rounds ? DType::Q8_0 : s.args.weightType) {
        case DType::F32:
            return exactStep<DType::F32, Kernel>(s, rows, x);
        case DType::F16:
            return exactStep<DType::F16, Kernel>(s, rows, x);
        case DType::BF16:
            return exactStep<DType::BF16, Kernel>(s, rows, x);
        default: {
            WideRows wide;
            const ExactRows wideRows = wide.dequantise(s, rows);
            if (rounds) wide.round(s);
            return exactStep<DType::F32, Kernel>(s, wideRows, x);
        }
    }
}

/// All rows with columns [begin, end) of tokens [token, tokenEnd). x: see exactStep; the chunks'
/// parts are chunkFloats apart.
template <class Kernel>
void exactRows(const MatmulArgs& args, std::int64_t begin, std::int64_t end, std::int64_t token,
               std::int64_t tokenEnd, const float* x, std::int64_t chunkFloats) {
    for (std::int64_t row = args.rowBegin; row < args.rowEnd; row += kExactRows) {
        const std::int64_t nRows = args.rowEnd - row < kExactRows ? args.rowEnd - row : kExactRows;
        for (std::int64_t at = begin; at < end; at += kExactChunk) {
            const std::int64_t n = end - at < kExactChunk ? end - at : kExactChunk;
            exactStepOf<Kernel>(
                {args, row, nRows, at, n, token, tokenEnd},
                x == nullptr ? nullptr : x + (at - begin) / kExactChunk * chunkFloats);
        }
    }
}

/// The product with f32 activations. Kernel::tokens(tile) does all tokens of a step.
template <class Kernel>
void exactProduct(const MatmulArgs& args) {
    if (args.nTokens <= kFewTokens) {
        if (args.nTokens > 0) exactRows<Kernel>(args, 0, args.nCols, 0, args.nTokens, nullptr, 0);
        return;
    }
    ExactActs acts;
    for (std::int64_t token = 0; token < args.nTokens; token += kGroups * kGroupTokens) {
        const std::int64_t left = args.nTokens - token;
        const std::int64_t nTokens = left < kGroups * kGroupTokens ? left : kGroups * kGroupTokens;
        const std::int64_t nGroups = (nTokens + kGroupTokens - 1) / kGroupTokens;
        const std::int64_t columns = kGroups / nGroups * kExactChunk;  // as many as there is room
        for (std::int64_t begin = 0; begin < args.nCols; begin += columns) {
            const std::int64_t end = begin + columns < args.nCols ? begin + columns : args.nCols;
            float* to = acts.of;
            for (std::int64_t at = begin; at < end; at += kExactChunk)
                for (std::int64_t g = 0; g < nGroups; ++g, to += kGroupFloats)
                    fillGroup(args, token + g * kGroupTokens, at,
                              end - at < kExactChunk ? end - at : kExactChunk, to);
            exactRows<Kernel>(args, begin, end, token, token + nTokens, acts.of,
                              nGroups * kGroupFloats);
        }
    }
}

/// What a matrix without columns gives.
inline void biasOnly(const MatmulArgs& args) {
    for (std::int64_t t = 0; t < args.nTokens; ++t)
        for (std::int64_t r = args.rowBegin; r < args.rowEnd; ++r)
            args.y[t * args.yStride + r] = args.bias != nullptr ? args.bias[r] : 0.0F;
}

}  // namespace
}  // namespace lanescope::kernels::avx2
