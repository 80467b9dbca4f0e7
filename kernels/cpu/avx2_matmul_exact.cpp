// y = x · Wᵀ with f32 activations, for every weight format, in the loop of exact_loop.h. A tile of
// 16 rows x 6 tokens keeps 12 accumulators and issues 12 FMAs for 8 loads, so the two FMA ports
// bound it.

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/exact_loop.h"

namespace lanescope::kernels::avx2 {
namespace {

/// kT tokens from `token` on, the first ones of the group at x.
template <int kT>
void tile(const ExactTile& all, std::int64_t token, const float* x) {
    const ExactStep& s = all.step;
    __m256 acc[kT][2];
#pragma GCC unroll 6
    for (int t = 0; t < kT; ++t) {
        acc[t][0] = acc[t][1] = _mm256_setzero_ps();
        _mm_prefetch(reinterpret_cast<const char*>(s.y(token + t)), _MM_HINT_T0);
    }
    for (std::int64_t k = 0; k < s.paddedColumns(); ++k, x += kGroupTokens) {
        const __m256 low = _mm256_load_ps(all.panel.of[k]);
        const __m256 high = _mm256_load_ps(all.panel.of[k] + 8);
#pragma GCC unroll 6
        for (int t = 0; t < kT; ++t) {
            const __m256 a = _mm256_broadcast_ss(x + t);
            acc[t][0] = _mm256_fmadd_ps(a, low, acc[t][0]);
            acc[t][1] = _mm256_fmadd_ps(a, high, acc[t][1]);
        }
    }
#pragma GCC unroll 6
    for (int t = 0; t < kT; ++t) addSums(s, token + t, acc[t][0], acc[t][1]);
}

struct Kernel {
    static void tokens(const ExactTile& all) {
        std::int64_t t = all.step.token;
        const std::int64_t end = all.step.tokenEnd;
        const float* x = all.x;
        for (; t + kGroupTokens <= end; t += kGroupTokens, x += kGroupFloats) tile<6>(all, t, x);
        switch (end - t) {
            case 5:
                return tile<5>(all, t, x);
            case 4:
                return tile<4>(all, t, x);
            case 3:
                return tile<3>(all, t, x);
            case 2:
                return tile<2>(all, t, x);
            case 1:
                return tile<1>(all, t, x);
            default:
                return;
        }
    }
};

}  // namespace

void matmulExact(const MatmulArgs& args) {
    if (args.nCols == 0) return biasOnly(args);
    exactProduct<Kernel>(args);
}

}  // namespace lanescope::kernels::avx2
