#pragma once
// Eight columns of eight stored rows, widened to f32 and transposed: one vector a column, one lane
// a row. Rows are gathered in an order that leaves only shuffles within 128-bit lanes. For files
// compiled for AVX2 or more only.

#include "kernels/cpu/avx2_math.h"
#include "kernels/types/dtype.h"

namespace lanescope::kernels::avx2 {
namespace {

/// Bytes of an element of F32, F16 or BF16.
constexpr std::int64_t floatBytes(DType type) {
    return type == DType::F32 ? 4 : 2;
}

/// Two 128-bit loads as one vector.
inline __m256i loadHalves(const char* low, const char* high) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}

/// f(i, v) for the columns k + i, i = 0 … 7: lane r of v is row r. One by one, as eight vectors
/// beside the sums they go into would not fit the registers.
template <DType kType, class F>
__attribute__((always_inline)) inline void forColumns(const char* const* rows, std::int64_t k,
                                                      const F& f) {
    const std::int64_t at = k * floatBytes(kType);
    __m256i r[4];
    if constexpr (kType == DType::F32) {
#pragma GCC unroll 2
        for (int part = 0; part < 2; ++part) {
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                r[j] = loadHalves(rows[j] + at + 16 * part, rows[j + 4] + at + 16 * part);
            const __m256i a0 = _mm256_unpacklo_epi32(r[0], r[1]);
            const __m256i a1 = _mm256_unpacklo_epi32(r[2], r[3]);
            f(4 * part, _mm256_castsi256_ps(_mm256_unpacklo_epi64(a0, a1)));
            f(4 * part + 1, _mm256_castsi256_ps(_mm256_unpackhi_epi64(a0, a1)));
            const __m256i a2 = _mm256_unpackhi_epi32(r[0], r[1]);
            const __m256i a3 = _mm256_unpackhi_epi32(r[2], r[3]);
            f(4 * part + 2, _mm256_castsi256_ps(_mm256_unpacklo_epi64(a2, a3)));
            f(4 * part + 3, _mm256_castsi256_ps(_mm256_unpackhi_epi64(a2, a3)));
        }
    } else {
        // Two columns: one in the lower 64 bits of both lanes, one in the upper.
        const auto both = [&f](int i, __m256i pair) {
            if constexpr (kType == DType::BF16) {
                f(i, _mm256_castsi256_ps(_mm256_unpacklo_epi16(_mm256_setzero_si256(), pair)));
                f(i + 1, _mm256_castsi256_ps(_mm256_unpackhi_epi16(_mm256_setzero_si256(), pair)));
            } else {
                const __m256i inOrder = _mm256_permute4x64_epi64(pair, 0xD8);
                f(i, _mm256_cvtph_ps(_mm256_castsi256_si128(inOrder)));
                f(i + 1, _mm256_cvtph_ps(_mm256_extracti128_si256(inOrder, 1)));
            }
        };
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) r[j] = loadHalves(rows[j] + at, rows[j + 4] + at);
        const __m256i a0 = _mm256_unpacklo_epi16(r[0], r[1]);
        const __m256i a1 = _mm256_unpacklo_epi16(r[2], r[3]);
        const __m256i a2 = _mm256_unpackhi_epi16(r[0], r[1]);
        const __m256i a3 = _mm256_unpackhi_epi16(r[2], r[3]);
        both(0, _mm256_unpacklo_epi32(a0, a1));
        both(2, _mm256_unpackhi_epi32(a0, a1));
        both(4, _mm256_unpacklo_epi32(a2, a3));
        both(6, _mm256_unpackhi_epi32(a2, a3));
    }
}

/// The same for the last n < 8 columns; the others are zeros.
template <DType kType, class F>
inline void forLastColumns(const char* const* rows, std::int64_t k, std::int64_t n, const F& f) {
    alignas(32) char part[8][32] = {};
    const char* padded[8];
    for (int r = 0; r < 8; ++r) {
        std::memcpy(part[r], rows[r] + k * floatBytes(kType),
                    static_cast<std::size_t>(n * floatBytes(kType)));
        padded[r] = part[r];
    }
    forColumns<kType>(padded, 0, f);
}

}  // namespace
}  // namespace lanescope::kernels::avx2
