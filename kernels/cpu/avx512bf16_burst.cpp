// Bursts of bf16 dots: see avx2_burst.cpp. The others are the AVX-512 VNNI form's.

#include <immintrin.h>

#include "kernels/cpu/avx512bf16.h"
#include "kernels/cpu/avx512vnni.h"
#include "kernels/cpu/burst_chains.h"

namespace lanescope::kernels::avx512bf16 {
namespace {

constexpr int kChains = 12;

struct Chain {
    __m512 v;
};

}  // namespace

std::uint64_t burst(Burst kind, std::uint64_t rounds) {
    if (kind != Burst::Bf16) return avx512vnni::burst(kind, rounds);
    Chains<Chain, kChains> sums;
    sums.each([](__m512& sum) { sum = _mm512_setzero_ps(); });
    __m512i ones = _mm512_set1_epi16(0x3F80);
    asm volatile("" : "+v"(ones));
    for (std::uint64_t i = 0; i < rounds; ++i)
        sums.each([ones](__m512& sum) {
            sum = _mm512_dpbf16_ps(sum, (__m512bh)ones, (__m512bh)ones);
            asm volatile("" : "+v"(sum));
        });
    return rounds * kChains * 32 * 2;
}

}  // namespace lanescope::kernels::avx512bf16
