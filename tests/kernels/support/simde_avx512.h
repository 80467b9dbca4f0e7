#pragma once
// Emulates the AVX-512 intrinsics that kernels/cpu/avx512*.cpp use, so that the same source is
// checked on a machine without them. Force-included before the source, which must be compiled with
// -mavx2 -mfma but without any -mavx512 flag. SIMDe gives most; version 0.7.4 lacks those below.

#include <immintrin.h>
#include <simde/x86/avx512.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace lanescope::emulated {

template <class To, class From, class F>
To mapLanes(From v, F f) {
    alignas(64) decltype(f(0, 0)) out[16];
    alignas(64) std::int32_t in[16];
    static_assert(sizeof v == sizeof in);
    std::memcpy(in, &v, sizeof in);
    for (int i = 0; i < 16; ++i) out[i] = f(i, in[i]);
    To result;
    std::memcpy(&result, out, sizeof result);
    return result;
}

inline simde__m512 convert(simde__m512i v) {
    return mapLanes<simde__m512>(v, [](int, std::int32_t x) { return static_cast<float>(x); });
}
inline simde__m512i shiftRight(simde__m512i v, int n) {
    return mapLanes<simde__m512i>(v, [n](int, std::int32_t x) { return x >> n; });
}
inline simde__m512 maskLoad(unsigned mask, const float* p) {
    return mapLanes<simde__m512>(simde_mm512_setzero_si512(), [=](int i, std::int32_t) {
        return (mask >> i & 1U) != 0 ? p[i] : 0.0F;
    });
}
inline simde__m512i maskLoadPairs(unsigned mask, const std::int16_t* p) {
    return mapLanes<simde__m512i>(simde_mm512_setzero_si512(), [=](int i, std::int32_t) {
        std::int32_t pair = 0;
        if ((mask >> i & 1U) != 0) std::memcpy(&pair, p + 2 * i, sizeof pair);
        return pair;
    });
}
inline simde__m512i addPairs(simde__m512i a, simde__m512i b) {
    alignas(64) std::int16_t y[32];
    std::memcpy(y, &b, sizeof y);
    return mapLanes<simde__m512i>(a, [&](int i, std::int32_t pair) {
        std::int16_t x[2];
        std::memcpy(x, &pair, sizeof x);
        return static_cast<std::int32_t>(x[0] * y[2 * i] + x[1] * y[2 * i + 1]);
    });
}
inline simde__m512 fromHalves(__m256i v) {
    alignas(64) float lanes[16];
    _mm256_store_ps(lanes, _mm256_cvtph_ps(_mm256_castsi256_si128(v)));
    _mm256_store_ps(lanes + 8, _mm256_cvtph_ps(_mm256_extracti128_si256(v, 1)));
    simde__m512 result;
    std::memcpy(&result, lanes, sizeof result);
    return result;
}
inline simde__m512i widenBytes(__m128i v) {
    alignas(16) std::uint8_t bytes[16];
    _mm_store_si128(reinterpret_cast<__m128i*>(bytes), v);
    return mapLanes<simde__m512i>(simde_mm512_setzero_si512(), [&](int i, std::int32_t) {
        return static_cast<std::int32_t>(bytes[i]);
    });
}
inline simde__m512i widenSignedBytes(__m128i v) {
    alignas(16) std::int8_t bytes[16];
    _mm_store_si128(reinterpret_cast<__m128i*>(bytes), v);
    return mapLanes<simde__m512i>(simde_mm512_setzero_si512(), [&](int i, std::int32_t) {
        return static_cast<std::int32_t>(bytes[i]);
    });
}
inline simde__m512i widenWords(__m256i v) {
    alignas(32) std::uint16_t words[16];
    _mm256_store_si256(reinterpret_cast<__m256i*>(words), v);
    return mapLanes<simde__m512i>(simde_mm512_setzero_si512(), [&](int i, std::int32_t) {
        return static_cast<std::int32_t>(words[i]);
    });
}
/// Bytes become 16-bit numbers, without a sign.
inline simde__m512i widenToWords(__m256i v) {
    const __m256i halves[2] = {_mm256_cvtepu8_epi16(_mm256_castsi256_si128(v)),
                               _mm256_cvtepu8_epi16(_mm256_extracti128_si256(v, 1))};
    simde__m512i result;
    std::memcpy(&result, halves, sizeof result);
    return result;
}
inline void maskStore(float* p, unsigned mask, simde__m512 v) {
    alignas(64) float lanes[16];
    std::memcpy(lanes, &v, sizeof lanes);
    for (int i = 0; i < 16; ++i)
        if ((mask >> i & 1U) != 0) p[i] = lanes[i];
}

/// As VDPBF16PS: the odd element, then the even one, each fused and rounded once; subnormals are
/// zeros.
inline float flushed(float x) {
    return std::fabs(x) < 0x1p-126F ? std::copysign(0.0F, x) : x;
}
inline float bf16At(std::uint32_t pair, int element) {
    const std::uint32_t bits = element == 0 ? pair << 16 : pair & 0xFFFF0000U;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return flushed(value);
}
inline simde__m512 dotBf16(simde__m512 sum, simde__m512i a, simde__m512i b) {
    alignas(64) float sums[16];
    alignas(64) std::uint32_t x[16], y[16];
    std::memcpy(sums, &sum, sizeof sums);
    std::memcpy(x, &a, sizeof x);
    std::memcpy(y, &b, sizeof y);
    for (int i = 0; i < 16; ++i)
        for (const int element : {1, 0})
            sums[i] =
                flushed(std::fma(bf16At(x[i], element), bf16At(y[i], element), flushed(sums[i])));
    std::memcpy(&sum, sums, sizeof sums);
    return sum;
}

}  // namespace lanescope::emulated

// Macros already where GCC compiles without optimisation.
#undef _mm512_slli_epi32
#undef _mm512_srai_epi32
#undef _mm512_slli_epi16
#undef _mm512_srli_epi16
#undef _mm512_srli_epi32
#define __m512 simde__m512
#define __m512i simde__m512i
#define __m512bh simde__m512i
#define _mm512_dpbf16_ps lanescope::emulated::dotBf16
#define _mm512_load_si512 simde_mm512_load_si512
#define _mm512_load_ps simde_mm512_load_ps
#define _mm512_store_si512 simde_mm512_store_si512
#define _mm512_store_ps simde_mm512_store_ps
#define _mm512_set1_epi32 simde_mm512_set1_epi32
#define _mm512_set1_epi8 simde_mm512_set1_epi8
#define _mm512_set1_ps simde_mm512_set1_ps
#define _mm512_setzero_si512 simde_mm512_setzero_si512
#define _mm512_setzero_ps simde_mm512_setzero_ps
#define _mm512_xor_si512 simde_mm512_xor_si512
#define _mm512_slli_epi32 simde_mm512_slli_epi32
#define _mm512_and_si512 simde_mm512_and_si512
#define _mm512_or_si512 simde_mm512_or_si512
#define _mm512_slli_epi16 simde_mm512_slli_epi16
#define _mm512_srli_epi16 simde_mm512_srli_epi16
#define _mm512_sub_ps simde_mm512_sub_ps
#define _mm512_cvtepi8_epi16 simde_mm512_cvtepi8_epi16
#define _mm512_cvtepu8_epi32 lanescope::emulated::widenBytes
#define _mm512_cvtepi8_epi32 lanescope::emulated::widenSignedBytes
#define _mm512_cvtepu16_epi32 lanescope::emulated::widenWords
#define _mm512_cvtepu8_epi16 lanescope::emulated::widenToWords
#define _mm512_shuffle_epi8 simde_mm512_shuffle_epi8
#define _mm512_add_epi8 simde_mm512_add_epi8
#define _mm512_sub_epi8 simde_mm512_sub_epi8
#define _mm512_abs_epi32 simde_mm512_abs_epi32
#define _mm512_srli_epi32 simde_mm512_srli_epi32
#define _mm512_castsi512_ps simde_mm512_castsi512_ps
#define _mm512_cvtph_ps lanescope::emulated::fromHalves
#define _mm512_loadu_ps simde_mm512_loadu_ps
#define _mm512_storeu_ps simde_mm512_storeu_ps
#define _mm512_add_epi32 simde_mm512_add_epi32
#define _mm512_sub_epi32 simde_mm512_sub_epi32
#define _mm512_fnmadd_ps simde_mm512_fnmadd_ps
#define _mm512_set1_epi16 simde_mm512_set1_epi16
#define _mm512_madd_epi16 lanescope::emulated::addPairs
#define _mm512_maskz_loadu_epi32 lanescope::emulated::maskLoadPairs
#define _mm512_mul_ps simde_mm512_mul_ps
#define _mm512_add_ps simde_mm512_add_ps
#define _mm512_fmadd_ps simde_mm512_fmadd_ps
#define _mm512_dpbusd_epi32 simde_mm512_dpbusd_epi32
#define _mm512_cvtepi32_ps lanescope::emulated::convert
#define _mm512_srai_epi32 lanescope::emulated::shiftRight
#define _mm512_maskz_loadu_ps lanescope::emulated::maskLoad
#define _mm512_mask_storeu_ps lanescope::emulated::maskStore
