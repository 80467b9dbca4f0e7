// Bursts of arithmetic for 512-bit vectors: see avx2_burst.cpp.

#include <immintrin.h>

#include "kernels/cpu/avx512vnni.h"
#include "kernels/cpu/burst_chains.h"

namespace lanescope::kernels::avx512vnni {
namespace {

constexpr int kChains = 12;

struct FloatChain {
    __m512 v;
};
struct IntChain {
    __m512i v;
};

template <class V>
inline void touch(V& v) {
    asm volatile("" : "+v"(v));
}

std::uint64_t fp32(std::uint64_t rounds) {
    Chains<FloatChain, kChains> sums;
    sums.each([](__m512& sum) { sum = _mm512_setzero_ps(); });
    __m512 a = _mm512_set1_ps(1.0F);
    __m512 b = _mm512_set1_ps(0.5F);
    touch(a);
    touch(b);
    for (std::uint64_t i = 0; i < rounds; ++i)
        sums.each([a, b](__m512& sum) {
            sum = _mm512_fmadd_ps(a, b, sum);
            touch(sum);
        });
    return rounds * kChains * 16 * 2;
}

std::uint64_t int8(std::uint64_t rounds) {
    Chains<IntChain, kChains> sums;
    sums.each([](__m512i& sum) { sum = _mm512_setzero_si512(); });
    __m512i w = _mm512_set1_epi8(1);
    __m512i x = _mm512_set1_epi8(1);
    touch(w);
    touch(x);
    for (std::uint64_t i = 0; i < rounds; ++i)
        sums.each([w, x](__m512i& sum) {
            sum = _mm512_dpbusd_epi32(sum, w, x);
            touch(sum);
        });
    return rounds * kChains * 64 * 2;
}

}  // namespace

std::uint64_t burst(Burst kind, std::uint64_t rounds) {
    if (kind == Burst::Bf16) return 0;
    return kind == Burst::Int8 ? int8(rounds) : fp32(rounds);
}

}  // namespace lanescope::kernels::avx512vnni
