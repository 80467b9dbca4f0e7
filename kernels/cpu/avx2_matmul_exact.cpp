// y = x · Wᵀ with f32 activations, for every weight format. Lanes run over k: tiles of 4 rows x 3
// tokens keep 12 accumulators and issue 12 FMAs for 7 loads, so the two FMA ports bound it. Weights
// of a 16-bit or block format are widened to an L1 buffer of 4 rows x 512 k that all tokens share.
// Order of operations of one y[t, r], whatever the tile: for every 512 k one chain of FMAs per
// lane, the lanes' sum (sumRows), added to the sum so far; bias last.

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx2_math.h"

namespace lanescope::kernels::avx2 {
namespace {

constexpr int kRows = 4;
constexpr int kTokens = 3;
constexpr std::int64_t kChunk = 512;
constexpr std::int64_t kTokenBlock = 96;  ///< tokens whose activations of a chunk stay in L2

/// Lane sums of four accumulators, each ((0+1)+(2+3)) + ((4+5)+(6+7)).
__m128 sumRows(__m256 a, __m256 b, __m256 c, __m256 d) {
    const __m256 quads = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
    return _mm_add_ps(_mm256_castps256_ps128(quads), _mm256_extractf128_ps(quads, 1));
}

/// Where the weights of a tile come from. at(row, k) gives eight values, tail(row, k, n) n of them
/// and zeros.
struct FromF32 {
    const char* rows[kRows];
    __m256 at(int r, std::int64_t k) const {
        return _mm256_loadu_ps(reinterpret_cast<const float*>(rows[r] + 4 * k));
    }
    __m256 tail(int r, std::int64_t k, std::int64_t n) const {
        return _mm256_maskload_ps(reinterpret_cast<const float*>(rows[r] + 4 * k), laneMask(n));
    }
};

template <bool kBrain>
struct FromHalf {
    const char* rows[kRows];
    static __m256 widen(__m128i raw) { return kBrain ? bf16ToFloat(raw) : _mm256_cvtph_ps(raw); }
    __m256 at(int r, std::int64_t k) const {
        return widen(_mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[r] + 2 * k)));
    }
    __m256 tail(int r, std::int64_t k, std::int64_t n) const {
        alignas(16) std::uint16_t part[8] = {};
        std::memcpy(part, rows[r] + 2 * k, static_cast<std::size_t>(n) * 2);
        return widen(_mm_load_si128(reinterpret_cast<const __m128i*>(part)));
    }
};

/// One chunk of n columns for kT tokens; sums[t] holds the four rows.
template <int kT, class Weights>
inline void chunkTile(const Weights& w, const float* x, std::int64_t xStride, std::int64_t n,
                      __m128 (&sums)[kT]) {
    __m256 acc[kT][kRows];
    for (int t = 0; t < kT; ++t)
        for (int r = 0; r < kRows; ++r) acc[t][r] = _mm256_setzero_ps();
    std::int64_t k = 0;
    for (; k + 8 <= n; k += 8) {
        __m256 a[kT];
#pragma GCC unroll 3
        for (int t = 0; t < kT; ++t) a[t] = _mm256_loadu_ps(x + t * xStride + k);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) {
            const __m256 b = w.at(r, k);
#pragma GCC unroll 3
            for (int t = 0; t < kT; ++t) acc[t][r] = _mm256_fmadd_ps(a[t], b, acc[t][r]);
        }
    }
    if (k < n) {
        const __m256i mask = laneMask(n - k);
        for (int r = 0; r < kRows; ++r) {
            const __m256 b = w.tail(r, k, n - k);
            for (int t = 0; t < kT; ++t)
                acc[t][r] =
                    _mm256_fmadd_ps(_mm256_maskload_ps(x + t * xStride + k, mask), b, acc[t][r]);
        }
    }
    for (int t = 0; t < kT; ++t) sums[t] = sumRows(acc[t][0], acc[t][1], acc[t][2], acc[t][3]);
}

/// One step of a call: rows [row, row + nRows), columns [begin, begin + n).
struct Step {
    const MatmulArgs& args;
    std::int64_t row, nRows, begin, n;
    bool first, last;
};

/// Adds the chunk's sums to y (kept there between chunks) and the bias after the last chunk.
template <int kT, class Weights>
void stepTile(const Step& s, const Weights& w, std::int64_t token) {
    __m128 sums[kT];
    chunkTile<kT>(w, s.args.x + token * s.args.nCols + s.begin, s.args.nCols, s.n, sums);
    const __m128i mask = _mm256_castsi256_si128(laneMask(s.nRows));
    for (int t = 0; t < kT; ++t) {
        float* y = s.args.y + (token + t) * s.args.yStride + s.row;
        __m128 v = sums[t];
        if (!s.first) v = _mm_add_ps(_mm_maskload_ps(y, mask), v);
        if (s.last && s.args.bias != nullptr)
            v = _mm_add_ps(v, _mm_maskload_ps(s.args.bias + s.row, mask));
        _mm_maskstore_ps(y, mask, v);
    }
}

template <class Weights>
void stepTokens(const Step& s, const Weights& w, std::int64_t begin, std::int64_t end) {
    std::int64_t t = begin;
    for (; t + kTokens <= end; t += kTokens) stepTile<kTokens>(s, w, t);
    if (end - t == 2) stepTile<2>(s, w, t);
    if (end - t == 1) stepTile<1>(s, w, t);
}

/// All tokens [begin, end) of one step; `rows` point at the chunk's first stored element.
void runStep(const Step& s, const char* const (&rows)[kRows], std::int64_t begin,
             std::int64_t end) {
    const DType type = s.args.weightType;
    if (type == DType::F32) {
        const FromF32 w{{rows[0], rows[1], rows[2], rows[3]}};
        return stepTokens(s, w, begin, end);
    }
    const bool few = end - begin <= kTokens;  // widening beside the FMAs is then cheaper
    if (few && type == DType::F16) {
        const FromHalf<false> w{{rows[0], rows[1], rows[2], rows[3]}};
        return stepTokens(s, w, begin, end);
    }
    if (few && type == DType::BF16) {
        const FromHalf<true> w{{rows[0], rows[1], rows[2], rows[3]}};
        return stepTokens(s, w, begin, end);
    }
    alignas(32) float wide[kRows][kChunk];
    FromF32 w{};
    for (int r = 0; r < kRows; ++r) {
        dequantiseRow(type, rows[r], wide[r], s.n);
        w.rows[r] = reinterpret_cast<const char*>(wide[r]);
    }
    stepTokens(s, w, begin, end);
}

void writeBiasOnly(const MatmulArgs& args) {
    for (std::int64_t t = 0; t < args.nTokens; ++t)
        for (std::int64_t r = args.rowBegin; r < args.rowEnd; ++r)
            args.y[t * args.yStride + r] = args.bias != nullptr ? args.bias[r] : 0.0F;
}

}  // namespace

void matmulExact(const MatmulArgs& args) {
    if (args.nCols == 0) return writeBiasOnly(args);
    const auto* weights = static_cast<const char*>(args.weight);
    const std::int64_t stride = rowBytes(args.weightType, args.nCols);
    const std::int64_t chunkBytes = rowBytes(args.weightType, kChunk);
    for (std::int64_t token = 0; token < args.nTokens; token += kTokenBlock) {
        const std::int64_t tokenEnd =
            token + kTokenBlock < args.nTokens ? token + kTokenBlock : args.nTokens;
        for (std::int64_t row = args.rowBegin; row < args.rowEnd; row += kRows) {
            const std::int64_t nRows = args.rowEnd - row < kRows ? args.rowEnd - row : kRows;
            for (std::int64_t begin = 0; begin < args.nCols; begin += kChunk) {
                const std::int64_t left = args.nCols - begin;
                const Step s{args,       row,           nRows, begin, left < kChunk ? left : kChunk,
                             begin == 0, left <= kChunk};
                const char* rows[kRows];
                for (int r = 0; r < kRows; ++r)  // a short tile reads its last row again
                    rows[r] = weights + (row + (r < nRows ? r : nRows - 1)) * stride +
                              begin / kChunk * chunkBytes;
                runStep(s, rows, token, tokenEnd);
            }
        }
    }
}

}  // namespace lanescope::kernels::avx2
