#pragma once
// Rows of the cache, eight columns at a time: stored ones as f32. For files compiled for AVX2 or
// more only.

#include <type_traits>

#include "kernels/cpu/avx2_math.h"
#include "kernels/ops/kv_format.h"

namespace lanescope::kernels::avx2 {
namespace {

/// A row of a slice and what scales it: Int8: a float; Int4: pairs of halves {scale, minimum}, one
/// of the row (values) or one a column (keys).
struct KvRow {
    const char* codes = nullptr;
    const char* scales = nullptr;
};

/// Eight halves or bf16s (n < 8: then zeros) from column i on.
[[maybe_unused]] inline __m128i load16(const char* p, std::int64_t i, std::int64_t n) {
    if (n >= 8) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 2 * i));
    alignas(16) std::uint16_t part[8] = {};
    std::memcpy(part, p + 2 * i, static_cast<std::size_t>(n) * 2);
    return _mm_load_si128(reinterpret_cast<const __m128i*>(part));
}

/// Eight bytes likewise.
[[maybe_unused]] inline __m128i load8(const char* p, std::int64_t i, std::int64_t n) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p + i, static_cast<std::size_t>(n >= 8 ? 8 : n));
    return _mm_cvtsi64_si128(static_cast<long long>(bytes));
}

[[maybe_unused]] inline __m256 e4m3ToFloat(__m128i bytes) {
    const __m256i b = _mm256_cvtepu8_epi32(bytes);
    const __m256i magnitude = _mm256_and_si256(b, _mm256_set1_epi32(0x7F));
    const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(b, _mm256_set1_epi32(0x80)), 24);
    const __m256 value = _mm256_mul_ps(_mm256_castsi256_ps(_mm256_slli_epi32(magnitude, 20)),
                                       _mm256_set1_ps(0x1p120F));
    const __m256i nan = _mm256_and_si256(_mm256_cmpeq_epi32(magnitude, _mm256_set1_epi32(0x7F)),
                                         _mm256_set1_epi32(0x7FC00000));
    return _mm256_castsi256_ps(
        _mm256_or_si256(_mm256_or_si256(_mm256_castps_si256(value), nan), sign));
}

[[maybe_unused]] inline __m256 e5m2ToFloat(__m128i bytes) {
    return _mm256_cvtph_ps(_mm_slli_epi16(_mm_cvtepu8_epi16(bytes), 8));
}

[[maybe_unused]] inline __m256 int4Codes(const char* codes, std::int64_t i) {
    std::uint32_t word = 0;
    std::memcpy(&word, codes + i / 2, 4);
    const __m256i nibbles = _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(word)),
                                              _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    return _mm256_cvtepi32_ps(_mm256_and_si256(nibbles, _mm256_set1_epi32(15)));
}

/// Eight pairs of halves as eight scales and eight minima.
[[maybe_unused]] inline void splitPairs(const char* pairs, __m256& scale, __m256& low) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pairs));
    const __m256i packed = _mm256_packus_epi32(_mm256_and_si256(v, _mm256_set1_epi32(0xFFFF)),
                                               _mm256_srli_epi32(v, 16));
    const __m256i ordered = _mm256_permute4x64_epi64(packed, 0xD8);
    scale = _mm256_cvtph_ps(_mm256_castsi256_si128(ordered));
    low = _mm256_cvtph_ps(_mm256_extracti128_si256(ordered, 1));
}

[[maybe_unused]] inline float halfAt(const char* p) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, p, 2);
    return halfToFloat(bits);
}

/// Columns [i, i + 8) of a row as f32; beyond the n that are there: zeros.
template <KvFormat kFormat, KvPart kPart>
__m256 widen(const KvRow& row, std::int64_t i, std::int64_t n) {
    if constexpr (kFormat == KvFormat::F32) {
        const auto* f = reinterpret_cast<const float*>(row.codes) + i;
        return n >= 8 ? _mm256_loadu_ps(f) : _mm256_maskload_ps(f, laneMask(n));
    } else if constexpr (kFormat == KvFormat::F16) {
        return _mm256_cvtph_ps(load16(row.codes, i, n));
    } else if constexpr (kFormat == KvFormat::BF16) {
        return bf16ToFloat(load16(row.codes, i, n));
    } else if constexpr (kFormat == KvFormat::E4M3) {
        return e4m3ToFloat(load8(row.codes, i, n));
    } else if constexpr (kFormat == KvFormat::E5M2) {
        return e5m2ToFloat(load8(row.codes, i, n));
    } else if constexpr (kFormat == KvFormat::Int8) {
        float scale = 0.0F;
        std::memcpy(&scale, row.scales, 4);
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(load8(row.codes, i, n))),
                             _mm256_set1_ps(scale));
    } else if constexpr (kPart == KvPart::Values) {
        return _mm256_fmadd_ps(int4Codes(row.codes, i), _mm256_set1_ps(halfAt(row.scales)),
                               _mm256_set1_ps(halfAt(row.scales + 2)));
    } else {
        __m256 scale, low;
        splitPairs(row.scales + 4 * i, scale, low);
        return _mm256_fmadd_ps(int4Codes(row.codes, i), scale, low);
    }
}

/// Calls fn with the format as a constant.
template <class Fn>
void withFormat(KvFormat format, Fn&& fn) {
    switch (format) {
        case KvFormat::F32:
            return fn(std::integral_constant<KvFormat, KvFormat::F32>());
        case KvFormat::F16:
            return fn(std::integral_constant<KvFormat, KvFormat::F16>());
        case KvFormat::BF16:
            return fn(std::integral_constant<KvFormat, KvFormat::BF16>());
        case KvFormat::E4M3:
            return fn(std::integral_constant<KvFormat, KvFormat::E4M3>());
        case KvFormat::E5M2:
            return fn(std::integral_constant<KvFormat, KvFormat::E5M2>());
        case KvFormat::Int8:
            return fn(std::integral_constant<KvFormat, KvFormat::Int8>());
        case KvFormat::Int4:
            return fn(std::integral_constant<KvFormat, KvFormat::Int4>());
    }
}

}  // namespace
}  // namespace lanescope::kernels::avx2
