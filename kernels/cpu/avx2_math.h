#pragma once
// Small vector helpers for the avx2_*.cpp files only. Everything has internal linkage: a shared
// inline function would be compiled with AVX2 here and could be the copy that generic code gets.

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace lanescope::kernels::avx2 {
namespace {

/// Mask of the first n (0 to 8) lanes.
[[maybe_unused]] inline __m256i laneMask(std::int64_t n) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lane);
}

/// Sum of the eight lanes, always in the same order.
[[maybe_unused]] inline float sumLanes(__m256 v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    s = _mm_add_ss(s, _mm_movehdup_ps(s));
    return _mm_cvtss_f32(s);
}

[[maybe_unused]] inline float maxLanes(__m256 v) {
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    s = _mm_max_ss(s, _mm_movehdup_ps(s));
    return _mm_cvtss_f32(s);
}

[[maybe_unused]] inline float halfToFloat(std::uint16_t bits) {
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(bits)));
}

[[maybe_unused]] inline __m256 bf16ToFloat(__m128i bits) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

/// Rounded to the nearest bf16, even on ties; NaN stays NaN.
[[maybe_unused]] inline __m256 roundToBf16(__m256 v) {
    const __m256i bits = _mm256_castps_si256(v);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded =
        _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    return _mm256_castsi256_ps(
        _mm256_and_si256(_mm256_blendv_epi8(rounded, quiet, nan), _mm256_set1_epi32(-0x10000)));
}

/// e^x. Polynomial of Cephes' expf on [-ln2/2, ln2/2]; below -86.9 gives 0, above 88.72 infinity,
/// NaN stays NaN, 0 gives exactly 1. Error at most 1.1 ulp (ExpMatchesToTwoUlp in the tests).
[[maybe_unused]] inline __m256 expPs(__m256 x) {
    const __m256 limit = _mm256_set1_ps(-86.9F);
    const __m256 top = _mm256_set1_ps(88.72284F);
    const __m256 bounded = _mm256_min_ps(top, x);  // NaN passes: min returns its second operand
    const __m256 n = _mm256_round_ps(_mm256_mul_ps(bounded, _mm256_set1_ps(1.44269504088896341F)),
                                     _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375F), bounded);
    r = _mm256_fmadd_ps(n, _mm256_set1_ps(2.12194440e-4F), r);
    __m256 p = _mm256_set1_ps(1.9875691500e-4F);
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.3981999507e-3F));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(8.3334519073e-3F));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(4.1665795894e-2F));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.6666665459e-1F));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(5.0000001201e-1F));
    const __m256 y =
        _mm256_add_ps(_mm256_fmadd_ps(p, _mm256_mul_ps(r, r), r), _mm256_set1_ps(1.0F));
    // 2^n as 2^(n-1) * 2, as 2^128 itself is no float; the smallest n here is -125.
    const __m256i half =
        _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(126)), 23);
    const __m256 scaled = _mm256_mul_ps(y, _mm256_castsi256_ps(half));
    const __m256 doubled = _mm256_add_ps(scaled, scaled);
    const __m256 small = _mm256_cmp_ps(x, limit, _CMP_LT_OQ);
    const __m256 big = _mm256_cmp_ps(x, top, _CMP_GT_OQ);
    const __m256 infinity = _mm256_castsi256_ps(_mm256_set1_epi32(0x7F800000));
    return _mm256_blendv_ps(_mm256_andnot_ps(small, doubled), infinity, big);
}

/// tanh(x) to about 2 ulp: Cephes' polynomial below 0.625, 1 - 2 / (e^2x + 1) above.
[[maybe_unused]] inline __m256 tanhPs(__m256 x) {
    const __m256 one = _mm256_set1_ps(1.0F);
    const __m256 signBit = _mm256_set1_ps(-0.0F);
    const __m256 magnitude = _mm256_andnot_ps(signBit, x);
    const __m256 e = expPs(_mm256_add_ps(magnitude, magnitude));
    const __m256 far =
        _mm256_sub_ps(one, _mm256_div_ps(_mm256_set1_ps(2.0F), _mm256_add_ps(e, one)));
    const __m256 z = _mm256_mul_ps(x, x);
    __m256 p = _mm256_set1_ps(-5.70498872745e-3F);
    p = _mm256_fmadd_ps(p, z, _mm256_set1_ps(2.06390887954e-2F));
    p = _mm256_fmadd_ps(p, z, _mm256_set1_ps(-5.37397155531e-2F));
    p = _mm256_fmadd_ps(p, z, _mm256_set1_ps(1.33314422036e-1F));
    p = _mm256_fmadd_ps(p, z, _mm256_set1_ps(-3.33332819422e-1F));
    const __m256 near = _mm256_fmadd_ps(_mm256_mul_ps(p, z), x, x);
    const __m256 isNear = _mm256_cmp_ps(magnitude, _mm256_set1_ps(0.625F), _CMP_LT_OQ);
    return _mm256_blendv_ps(_mm256_or_ps(far, _mm256_and_ps(signBit, x)), near, isNear);
}

/// erf(x) to 1.3e-7 absolute: x · P(x²) below 1, 1 - e^-Q(|x|) above, both polynomials interpolated
/// at Chebyshev nodes; 1 from 4 on.
[[maybe_unused]] inline __m256 erfPs(__m256 x) {
    const __m256 signBit = _mm256_set1_ps(-0.0F);
    const __m256 magnitude = _mm256_andnot_ps(signBit, x);
    const __m256 z = _mm256_mul_ps(x, x);
    __m256 p = _mm256_set1_ps(7.8758749e-5F);
    p = _mm256_fmadd_ps(p, z, _mm256_set1_ps(-8.0168643e-4F));
    p = _mm256_fmadd_ps(p, z, _mm256_set1_ps(5.1890872e-3F));
    p = _mm256_fmadd_ps(p, z, _mm256_set1_ps(-2.68542115e-2F));
    p = _mm256_fmadd_ps(p, z, _mm256_set1_ps(1.12835944e-1F));
    p = _mm256_fmadd_ps(p, z, _mm256_set1_ps(-3.7612626e-1F));
    p = _mm256_fmadd_ps(p, z, _mm256_set1_ps(1.1283791F));
    const __m256 near = _mm256_mul_ps(p, x);
    // NaN passes: min returns its second operand.
    const __m256 u =
        _mm256_sub_ps(_mm256_min_ps(_mm256_set1_ps(4.0F), magnitude), _mm256_set1_ps(2.5F));
    __m256 q = _mm256_set1_ps(1.32723617e-5F);
    q = _mm256_fmadd_ps(q, u, _mm256_set1_ps(-8.4670690e-5F));
    q = _mm256_fmadd_ps(q, u, _mm256_set1_ps(4.2029354e-4F));
    q = _mm256_fmadd_ps(q, u, _mm256_set1_ps(-2.1549030e-3F));
    q = _mm256_fmadd_ps(q, u, _mm256_set1_ps(1.08583439e-2F));
    q = _mm256_fmadd_ps(q, u, _mm256_set1_ps(9.4388902e-1F));
    q = _mm256_fmadd_ps(q, u, _mm256_set1_ps(5.3526807F));
    q = _mm256_fmadd_ps(q, u, _mm256_set1_ps(7.8068156F));
    const __m256 rest = expPs(_mm256_xor_ps(q, signBit));
    const __m256 far = _mm256_sub_ps(_mm256_set1_ps(1.0F), rest);
    const __m256 isNear = _mm256_cmp_ps(magnitude, _mm256_set1_ps(1.0F), _CMP_LT_OQ);
    return _mm256_blendv_ps(_mm256_or_ps(far, _mm256_and_ps(signBit, x)), near, isNear);
}

/// Transposes 8 x 8 floats.
[[maybe_unused]] inline void transpose8(__m256 (&r)[8]) {
    const __m256 a0 = _mm256_unpacklo_ps(r[0], r[1]);
    const __m256 a1 = _mm256_unpackhi_ps(r[0], r[1]);
    const __m256 a2 = _mm256_unpacklo_ps(r[2], r[3]);
    const __m256 a3 = _mm256_unpackhi_ps(r[2], r[3]);
    const __m256 a4 = _mm256_unpacklo_ps(r[4], r[5]);
    const __m256 a5 = _mm256_unpackhi_ps(r[4], r[5]);
    const __m256 a6 = _mm256_unpacklo_ps(r[6], r[7]);
    const __m256 a7 = _mm256_unpackhi_ps(r[6], r[7]);
    const __m256 b0 = _mm256_shuffle_ps(a0, a2, 0x44);
    const __m256 b1 = _mm256_shuffle_ps(a0, a2, 0xEE);
    const __m256 b2 = _mm256_shuffle_ps(a1, a3, 0x44);
    const __m256 b3 = _mm256_shuffle_ps(a1, a3, 0xEE);
    const __m256 b4 = _mm256_shuffle_ps(a4, a6, 0x44);
    const __m256 b5 = _mm256_shuffle_ps(a4, a6, 0xEE);
    const __m256 b6 = _mm256_shuffle_ps(a5, a7, 0x44);
    const __m256 b7 = _mm256_shuffle_ps(a5, a7, 0xEE);
    r[0] = _mm256_permute2f128_ps(b0, b4, 0x20);
    r[1] = _mm256_permute2f128_ps(b1, b5, 0x20);
    r[2] = _mm256_permute2f128_ps(b2, b6, 0x20);
    r[3] = _mm256_permute2f128_ps(b3, b7, 0x20);
    r[4] = _mm256_permute2f128_ps(b0, b4, 0x31);
    r[5] = _mm256_permute2f128_ps(b1, b5, 0x31);
    r[6] = _mm256_permute2f128_ps(b2, b6, 0x31);
    r[7] = _mm256_permute2f128_ps(b3, b7, 0x31);
}

}  // namespace
}  // namespace lanescope::kernels::avx2
