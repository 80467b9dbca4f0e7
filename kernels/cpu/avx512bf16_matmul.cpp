// y = x · Wᵀ with bf16 activations by vdpbf16ps, in the loop of bf16_loop.h: a tile of 16 rows x 12
// tokens keeps twelve chains. A chain takes two columns a step, the odd one first, each with one
// rounding to f32; subnormal numbers count as zero (Intel SDM volume 2, VDPBF16PS). It has not run
// on a processor with AVX512-BF16 yet; tests compile it over emulated intrinsics
// (tests/kernels/support/simde_avx512.h).

#include "kernels/cpu/avx512_sums.h"
#include "kernels/cpu/avx512bf16.h"
#include "kernels/cpu/avx512vnni.h"
#include "kernels/cpu/bf16_loop.h"

namespace lanescope::kernels::avx512bf16 {
namespace {

using avx2::ExactStep;
using avx2::PairPanel;

constexpr int kTileTokens = 12;

template <int kT>
void tile(const ExactStep& s, const PairPanel& panel, std::int64_t token) {
    __m512 acc[kT];
#pragma GCC unroll 12
    for (int t = 0; t < kT; ++t) acc[t] = _mm512_setzero_ps();
    const std::uint16_t* x = s.args.xb + token * s.args.nCols + s.begin;
    for (std::int64_t j = 0; j < s.n / 2; ++j) {
        const auto w = (__m512bh)_mm512_load_si512(panel.of[j]);
#pragma GCC unroll 12
        for (int t = 0; t < kT; ++t) {
            int pair;
            std::memcpy(&pair, x + t * s.args.nCols + 2 * j, sizeof pair);
            acc[t] = _mm512_dpbf16_ps(acc[t], (__m512bh)_mm512_set1_epi32(pair), w);
        }
    }
#pragma GCC unroll 12
    for (int t = 0; t < kT; ++t) avx512vnni::addSums(s, token + t, acc[t]);
}

struct Kernel {
    static void tokens(const ExactStep& s, const PairPanel& panel) {
        using Tile = void (*)(const ExactStep&, const PairPanel&, std::int64_t);
        static constexpr Tile kTiles[kTileTokens + 1] = {
            nullptr, tile<1>, tile<2>, tile<3>,  tile<4>,  tile<5>, tile<6>,
            tile<7>, tile<8>, tile<9>, tile<10>, tile<11>, tile<12>};
        for (std::int64_t t = s.token; t < s.tokenEnd; t += kTileTokens) {
            const std::int64_t left = s.tokenEnd - t;
            kTiles[left < kTileTokens ? left : kTileTokens](s, panel, t);
        }
    }
};

}  // namespace

void matmul(const MatmulArgs& args) {
    if (!avx2::isBf16Product(args)) return avx512vnni::matmul(args);
    avx2::bf16Product<Kernel>(args);
}

}  // namespace lanescope::kernels::avx512bf16
