// y = x · Wᵀ with int8 activations: the tiles of panel_loop.h for 512-bit vectors and VNNI, 16 rows
// x 8 tokens. vpdpbusd multiplies unsigned weights by signed activations and sums four columns into
// 32 bits, so a block of 16 x 32 costs eight of them, and zero points are taken off the exact dot.
// Same bits as the AVX2 form (panel.h fixes the order). Tests compile this file a second time over
// emulated intrinsics (tests/kernels/support/simde_avx512.h), so keep to those it lists.

#include "kernels/cpu/avx512vnni.h"

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/panel_loop.h"

namespace lanescope::kernels::avx512vnni {
namespace {

using avx2::Chunk;
using avx2::Panel;

inline __m512i broadcast4(const void* p) {
    int v;
    std::memcpy(&v, p, sizeof v);
    return _mm512_set1_epi32(v);
}

/// A block's dots with kT tokens, zero points taken off. sums[t] are the block's two sums of 16.
template <PanelKind kKind, int kT>
inline void blockDots(const Panel& panel, int b, const std::int8_t* const (&a)[kT],
                      const std::int16_t* const (&sums)[kT], __m512i (&dot)[kT]) {
    constexpr int kHalves = kKind == PanelKind::Scaled6 ? 2 : 1;
    __m512i part[kHalves][kT];
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
        __m512i w = _mm512_load_si512(panel.w[b][g]);
        if constexpr (kKind == PanelKind::Signed8) w = _mm512_xor_si512(w, _mm512_set1_epi8(-128));
        constexpr int kPerHalf = 8 / kHalves;
#pragma GCC unroll 8
        for (int t = 0; t < kT; ++t) {
            __m512i& sum = part[g / kPerHalf][t];
            const __m512i before = g % kPerHalf == 0 ? _mm512_setzero_si512() : sum;
            sum = _mm512_dpbusd_epi32(before, w, broadcast4(a[t] + 4 * g));
        }
    }
#pragma GCC unroll 8
    for (int t = 0; t < kT; ++t) {
        const std::int16_t* s = sums[t] + 2 * b;
        if constexpr (kKind == PanelKind::Scaled6) {
            const __m512i both = _mm512_load_si512(panel.sub[b]);  // [row][half] 16-bit scales
            const __m512i low = _mm512_srai_epi32(_mm512_slli_epi32(both, 16), 16);
            const __m512i high = _mm512_srai_epi32(both, 16);
            const __m512i first = _mm512_sub_epi32(part[0][t], _mm512_set1_epi32(32 * s[0]));
            const __m512i second = _mm512_sub_epi32(part[1][t], _mm512_set1_epi32(32 * s[1]));
            dot[t] =
                _mm512_add_epi32(_mm512_mullo_epi32(first, low), _mm512_mullo_epi32(second, high));
        } else {
            constexpr int kZero = kKind == PanelKind::Signed8 ? 128 : zeroPoint(kKind);
            dot[t] = part[0][t];
            if constexpr (kZero != 0)
                dot[t] = _mm512_sub_epi32(dot[t], _mm512_set1_epi32(kZero * (s[0] + s[1])));
        }
    }
}

template <PanelKind kKind, int kT>
void tile(const Chunk& c, const Panel& panel, std::int64_t token) {
    const ActsQ8& x = *c.args.xq;
    const std::int64_t rowBlocks = c.args.nCols / kActsBlock;
    const auto mask = static_cast<__mmask16>((1U << c.nRows) - 1);
    const std::int8_t* a[kT];
    const float* scale[kT];
    const std::int16_t* sums[kT];
    __m512 acc[kT];
    for (int t = 0; t < kT; ++t) {
        a[t] = x.q + (token + t) * c.args.nCols + c.block * kActsBlock;
        scale[t] = x.scale + (token + t) * rowBlocks + c.block;
        sums[t] = x.sum16 + 2 * ((token + t) * rowBlocks + c.block);
        acc[t] = c.first
                     ? _mm512_setzero_ps()
                     : _mm512_maskz_loadu_ps(mask, c.args.y + (token + t) * c.args.yStride + c.row);
    }
    for (int b = 0; b < c.nBlocks; ++b) {
        __m512i dot[kT];
        blockDots<kKind, kT>(panel, b, a, sums, dot);
        const __m512 d = _mm512_load_ps(panel.d[b]);
#pragma GCC unroll 8
        for (int t = 0; t < kT; ++t) {
            __m512 v = _mm512_mul_ps(d, _mm512_cvtepi32_ps(dot[t]));
            if constexpr (hasMinimum(kKind)) {
                const int total = sums[t][2 * b] + sums[t][2 * b + 1];
                v = _mm512_fmadd_ps(_mm512_load_ps(panel.m[b]),
                                    _mm512_set1_ps(static_cast<float>(total)), v);
            }
            acc[t] = _mm512_fmadd_ps(_mm512_set1_ps(scale[t][b]), v, acc[t]);
            a[t] += kActsBlock;
        }
    }
    for (int t = 0; t < kT; ++t) {
        __m512 v = acc[t];
        if (c.last && c.args.bias != nullptr)
            v = _mm512_add_ps(v, _mm512_maskz_loadu_ps(mask, c.args.bias + c.row));
        _mm512_mask_storeu_ps(c.args.y + (token + t) * c.args.yStride + c.row, mask, v);
    }
}

struct Kernel {
    template <PanelKind kKind>
    static void run(const Chunk& c, const Panel& panel) {
        std::int64_t t = 0;
        for (; t + 8 <= c.args.nTokens; t += 8) tile<kKind, 8>(c, panel, t);
        const std::int64_t left = c.args.nTokens - t;
        if (left & 4) tile<kKind, 4>(c, panel, t);
        if (left & 2) tile<kKind, 2>(c, panel, t + (left & 4));
        if (left & 1) tile<kKind, 1>(c, panel, t + (left & 6));
    }
};

}  // namespace

void matmul(const MatmulArgs& args) {
    if (args.xq == nullptr || args.nCols == 0 || info(args.weightType).blockSize == 1)
        return avx2::matmulExact(args);
    avx2::forEachPanel<Kernel>(args);
}

}  // namespace lanescope::kernels::avx512vnni
