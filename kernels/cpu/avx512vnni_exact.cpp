// y = x · Wᵀ with f32 activations for 512-bit vectors: the rows of a panel are one vector, a tile
// of 16 rows x 12 tokens keeps twelve chains of FMAs. Same order as the AVX2 form (exact_loop.h),
// hence the same bits; up to four tokens are the AVX2 form itself, which memory bounds. Tests
// compile this file over emulated intrinsics (tests/kernels/support/simde_avx512.h).

#include "kernels/cpu/avx512_sums.h"
#include "kernels/cpu/avx512vnni.h"
#include "kernels/cpu/exact_loop.h"

namespace lanescope::kernels::avx512vnni {
namespace {

using avx2::ExactStep;
using avx2::ExactTile;
using avx2::kGroupFloats;
using avx2::kGroupTokens;

constexpr int kTileTokens = 2 * kGroupTokens;

/// kT tokens from `token` on, in the groups at x and after it.
template <int kT>
void tile(const ExactTile& all, std::int64_t token, const float* x) {
    const ExactStep& s = all.step;
    __m512 acc[kT];
#pragma GCC unroll 12
    for (int t = 0; t < kT; ++t) acc[t] = _mm512_setzero_ps();
    for (std::int64_t k = 0; k < s.paddedColumns(); ++k, x += kGroupTokens) {
        const __m512 w = _mm512_load_ps(all.panel.of[k]);
#pragma GCC unroll 12
        for (int t = 0; t < kT; ++t) {
            const float a = x[t / kGroupTokens * kGroupFloats + t % kGroupTokens];
            acc[t] = _mm512_fmadd_ps(_mm512_set1_ps(a), w, acc[t]);
        }
    }
#pragma GCC unroll 12
    for (int t = 0; t < kT; ++t) addSums(s, token + t, acc[t]);
}

struct Kernel {
    static void tokens(const ExactTile& all) {
        using Tile = void (*)(const ExactTile&, std::int64_t, const float*);
        static constexpr Tile kTiles[kTileTokens + 1] = {
            nullptr, tile<1>, tile<2>, tile<3>,  tile<4>,  tile<5>, tile<6>,
            tile<7>, tile<8>, tile<9>, tile<10>, tile<11>, tile<12>};
        const float* x = all.x;
        for (std::int64_t t = all.step.token; t < all.step.tokenEnd;
             t += kTileTokens, x += 2 * kGroupFloats) {
            const std::int64_t left = all.step.tokenEnd - t;
            kTiles[left < kTileTokens ? left : kTileTokens](all, t, x);
        }
    }
};

}  // namespace

void matmulExact(const MatmulArgs& args) {
    if (args.nCols == 0) return avx2::biasOnly(args);
    avx2::exactProduct<Kernel>(args);
}

}  // namespace lanescope::kernels::avx512vnni
