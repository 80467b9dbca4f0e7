// Bursts of arithmetic: twelve independent chains, so that neither latency nor memory shows.

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx2_math.h"
#include "kernels/cpu/burst_chains.h"

namespace lanescope::kernels::avx2 {
namespace {

constexpr int kChains = 12;

struct FloatChain {
    __m256 v;
};
struct IntChain {
    __m256i v;
};

/// Takes a value for used and changed, so that no loop is folded away.
template <class V>
inline void touch(V& v) {
    asm volatile("" : "+x"(v));
}

std::uint64_t fp32(std::uint64_t rounds) {
    Chains<FloatChain, kChains> sums;
    sums.each([](__m256& sum) { sum = _mm256_setzero_ps(); });
    __m256 a = _mm256_set1_ps(1.0F);
    __m256 b = _mm256_set1_ps(0.5F);
    touch(a);
    touch(b);
    for (std::uint64_t i = 0; i < rounds; ++i)
        sums.each([a, b](__m256& sum) {
            sum = _mm256_fmadd_ps(a, b, sum);
            touch(sum);
        });
    return rounds * kChains * 8 * 2;
}

/// The inner step of the fast matrix product: multiply to 16 bits and add.
std::uint64_t int8(std::uint64_t rounds) {
    Chains<IntChain, kChains> sums;
    sums.each([](__m256i& sum) { sum = _mm256_setzero_si256(); });
    __m256i w = _mm256_set1_epi8(1);
    __m256i x = _mm256_set1_epi8(1);
    touch(w);
    touch(x);
    for (std::uint64_t i = 0; i < rounds; ++i)
        sums.each([&w, x](__m256i& sum) {
            touch(w);  // or all chains would share one product
            sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(w, x));
            touch(sum);
        });
    return rounds * kChains * 32 * 2;
}

}  // namespace

std::uint64_t burst(Burst kind, std::uint64_t rounds) {
    if (kind == Burst::Bf16) return 0;
    return kind == Burst::Int8 ? int8(rounds) : fp32(rounds);
}

std::uint64_t readBurst(const void* data, std::uint64_t bytes) {
    const auto* at = static_cast<const std::uint8_t*>(data);
    __m256i sum[4];
    for (__m256i& s : sum) s = _mm256_setzero_si256();
    // Asked for ahead as the products do (panel_loop.h): the hardware's own prefetching alone
    // reached 70 % of it on an Emerald Rapids machine.
    constexpr std::uintptr_t kAhead = 4096;
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    for (std::uint64_t i = 0; i + 128 <= bytes; i += 128) {
        for (std::uintptr_t line = 0; line < 128; line += 64)
            _mm_prefetch(reinterpret_cast<const char*>(address + i + kAhead + line), _MM_HINT_T0);
        for (int c = 0; c < 4; ++c)
            sum[c] = _mm256_xor_si256(
                sum[c], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + i + 32 * c)));
    }
    for (__m256i& s : sum) touch(s);
    return bytes;
}

}  // namespace lanescope::kernels::avx2
