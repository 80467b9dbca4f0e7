// Bursts of arithmetic for 512-bit vectors: see avx2_burst.cpp.

#include <immintrin.h>

#include "kernels/cpu/avx512vnni.h"

namespace lanescope::kernels::avx512vnni {
namespace {

constexpr int kChains = 12;

template <class V>
inline void touch(V& v) {
    asm volatile("" : "+v"(v));
}

std::uint64_t fp32(std::uint64_t rounds) {
    __m512 sum[kChains];
    for (__m512& s : sum) s = _mm512_setzero_ps();
    __m512 a = _mm512_set1_ps(1.0F);
    __m512 b = _mm512_set1_ps(0.5F);
    touch(a);
    touch(b);
    for (std::uint64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
        for (int c = 0; c < kChains; ++c) {
            sum[c] = _mm512_fmadd_ps(a, b, sum[c]);
            touch(sum[c]);
        }
    }
    return rounds * kChains * 16 * 2;
}

std::uint64_t int8(std::uint64_t rounds) {
    __m512i sum[kChains];
    for (__m512i& s : sum) s = _mm512_setzero_si512();
    __m512i w = _mm512_set1_epi8(1);
    __m512i x = _mm512_set1_epi8(1);
    touch(w);
    touch(x);
    for (std::uint64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
        for (int c = 0; c < kChains; ++c) {
            sum[c] = _mm512_dpbusd_epi32(sum[c], w, x);
            touch(sum[c]);
        }
    }
    return rounds * kChains * 64 * 2;
}

}  // namespace

std::uint64_t burst(Burst kind, std::uint64_t rounds) {
    return kind == Burst::Int8 ? int8(rounds) : fp32(rounds);
}

}  // namespace lanescope::kernels::avx512vnni
