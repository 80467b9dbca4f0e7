#pragma once
// The tiles of the fast matrix product for 512-bit vectors and VNNI, 16 rows x 8 tokens: what
// avx512vnni_matmul.cpp is made of and what avx512amx_matmul.cpp does the last tokens with. For
// files compiled for AVX-512 VNNI only. vpdpbusd multiplies unsigned weights by signed activations
// and sums four columns into 32 bits, so a block of 16 x 32 costs eight of them, and zero points
// are taken off the exact dot.

#include "kernels/cpu/avx512_block.h"
#include "kernels/cpu/panel_loop.h"

namespace lanescope::kernels::avx512vnni {
namespace {

using avx2::Chunk;
using avx2::PackedSource;
using avx2::PanelSource;

/// Added to signed weights, so that they are unsigned; taken off again from the dot.
constexpr int kSignedBias = 128;

inline __m512i broadcast4(const void* p) {
    int v;
    std::memcpy(&v, p, sizeof v);
    return _mm512_set1_epi32(v);
}

/// A block's exact sums of unsigned weights times activations with kT tokens: of each half where
/// the kind has halves, else of the whole block in part[0].
template <PanelKind kKind, int kT, class Block>
inline void blockDots(const Block& block, const std::int8_t* const (&a)[kT],
                      __m512i (&part)[2][kT]) {
    constexpr bool kSigned = Block::kCodes.isSigned;
    constexpr int kPerHalf = hasHalves(kKind) ? 4 : 8;
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
        __m512i w = block.w(g);
        if constexpr (kSigned) w = _mm512_xor_si512(w, _mm512_set1_epi8(-kSignedBias));
#pragma GCC unroll 8
        for (int t = 0; t < kT; ++t) {
            __m512i& sum = part[g / kPerHalf][t];
            const __m512i before = g % kPerHalf == 0 ? _mm512_setzero_si512() : sum;
            sum = _mm512_dpbusd_epi32(before, w, broadcast4(a[t] + 4 * g));
            if constexpr (Block::kCodes.log2Factor > 0)
                if (g % kPerHalf == kPerHalf - 1)
                    sum = _mm512_slli_epi32(sum, Block::kCodes.log2Factor);
        }
    }
}

/// Byte kByte of every lane, 0 to 127.
template <int kByte>
inline __m512i byteOfLanes(__m512i v) {
    return _mm512_srai_epi32(kByte == 3 ? v : _mm512_slli_epi32(v, 24 - 8 * kByte), 24);
}

/// A token's sums of activations over a chunk's blocks as numbers that products can read one of:
/// first[b] of a whole block or of its first half, second[b] of its second half.
struct alignas(64) TokenSums {
    float first[kPanelBlocks];
    float second[kPanelBlocks];

    /// sum16: of the first of the blocks. nBlocks: at most kPanelBlocks.
    template <PanelKind kKind>
    void fill(const std::int16_t* sum16, int nBlocks) {
        for (int b = 0; b < nBlocks; b += 16) {
            const int left = nBlocks - b;
            const auto mask = static_cast<__mmask16>(left < 16 ? (1U << left) - 1 : 0xFFFFU);
            const __m512i pairs = _mm512_maskz_loadu_epi32(mask, sum16 + 2 * b);
            if constexpr (hasHalves(kKind)) {
                const __m512i low = _mm512_srai_epi32(_mm512_slli_epi32(pairs, 16), 16);
                _mm512_store_ps(first + b, _mm512_cvtepi32_ps(low));
                _mm512_store_ps(second + b, _mm512_cvtepi32_ps(_mm512_srai_epi32(pairs, 16)));
            } else {
                const __m512i total = _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
                _mm512_store_ps(first + b, _mm512_cvtepi32_ps(total));
            }
        }
    }
};

/// The dot without what the zero point adds to it: exact, as all whole numbers here are below 2^24.
template <int kZero>
inline __m512 withoutZero(__m512i dot, float sum) {
    const __m512 v = _mm512_cvtepi32_ps(dot);
    if constexpr (kZero == 0) return v;
    return _mm512_fnmadd_ps(_mm512_set1_ps(static_cast<float>(kZero)), _mm512_set1_ps(sum), v);
}

template <int kByte>
inline __m512 floatOfLanes(__m512i v) {
    return _mm512_cvtepi32_ps(byteOfLanes<kByte>(v));
}

/// What a block adds to one token's sum, before the activations' scale (the order is panel.h's).
/// first, second: the dots of its halves, or first that of all of it; sum0, sum1: the activations'
/// sums alike. kZero: what the dots' weights are too large by. Whole numbers are multiplied as
/// floats, exactly: a scale of 8 bits times a dot, and the sum of two, stay below 2^24.
template <PanelKind kKind, int kZero, class Block>
inline __m512 blockValue(const Block& block, __m512i first, __m512i second, float sum0,
                         float sum1) {
    const __m512 d = block.d();
    if constexpr (kKind == PanelKind::Split8) {
        return _mm512_fmadd_ps(block.m(), withoutZero<kZero>(second, sum1),
                               _mm512_mul_ps(d, withoutZero<kZero>(first, sum0)));
    } else if constexpr (kKind == PanelKind::Minimum2) {
        const __m512i both = block.sub();
        const __m512 dot =
            _mm512_fmadd_ps(_mm512_cvtepi32_ps(second), floatOfLanes<2>(both),
                            _mm512_mul_ps(_mm512_cvtepi32_ps(first), floatOfLanes<0>(both)));
        const __m512 low =
            _mm512_fmadd_ps(_mm512_set1_ps(sum1), floatOfLanes<3>(both),
                            _mm512_mul_ps(_mm512_set1_ps(sum0), floatOfLanes<1>(both)));
        return _mm512_fmadd_ps(block.m(), low, _mm512_mul_ps(d, dot));
    } else if constexpr (kKind == PanelKind::Scaled6) {
        const __m512i both = block.sub();  // [row][half] 16-bit scales
        const __m512 low = _mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_slli_epi32(both, 16), 16));
        const __m512 high = _mm512_cvtepi32_ps(_mm512_srai_epi32(both, 16));
        return _mm512_mul_ps(d,
                             _mm512_fmadd_ps(withoutZero<kZero>(second, sum1), high,
                                             _mm512_mul_ps(withoutZero<kZero>(first, sum0), low)));
    } else {
        __m512 dot = withoutZero<kZero>(first, sum0);
        if constexpr (Block::kCodes.rowZeros)
            dot = _mm512_fnmadd_ps(_mm512_cvtepi32_ps(_mm512_srli_epi32(block.sub(), 16)),
                                   _mm512_set1_ps(sum0), dot);
        const __m512 v = _mm512_mul_ps(d, dot);
        if constexpr (hasMinimum(kKind))
            return _mm512_fmadd_ps(block.m(), _mm512_set1_ps(sum0), v);
        else
            return v;
    }
}

inline __mmask16 rowMask(const Chunk& c) {
    return static_cast<__mmask16>((1U << c.nRows) - 1);
}

/// The token's sums before the chunk: zero, or what y keeps between chunks.
inline __m512 beginSum(const Chunk& c, std::int64_t token) {
    if (c.first) return _mm512_setzero_ps();
    return _mm512_maskz_loadu_ps(rowMask(c), c.args.y + token * c.args.yStride + c.row);
}

inline void endSum(const Chunk& c, std::int64_t token, __m512 sum) {
    if (c.last && c.args.bias != nullptr)
        sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(rowMask(c), c.args.bias + c.row));
    _mm512_mask_storeu_ps(c.args.y + token * c.args.yStride + c.row, rowMask(c), sum);
}

template <PanelKind kKind, int kT, class Source>
void tile(const Chunk& c, const Source& source, std::int64_t token) {
    const ActsQ8& x = *c.args.xq;
    const std::int64_t rowBlocks = c.args.nCols / kActsBlock;
    const std::int8_t* a[kT];
    const float* scale[kT];
    __m512 acc[kT];
    for (int t = 0; t < kT; ++t) {
        a[t] = x.q + (token + t) * c.args.nCols + c.block * kActsBlock;
        scale[t] = x.scale + (token + t) * rowBlocks + c.block;
        acc[t] = beginSum(c, token + t);
    }
    using Block = decltype(source.block(0));
    constexpr int kZero = Block::kCodes.isSigned ? kSignedBias : Block::kCodes.zero;
    TokenSums sums[kT];
    for (int from = 0; from < c.nBlocks; from += kPanelBlocks) {
        const int n = c.nBlocks - from < kPanelBlocks ? c.nBlocks - from : kPanelBlocks;
        for (int t = 0; t < kT; ++t)
            sums[t].template fill<kKind>(x.sum16 + 2 * ((token + t) * rowBlocks + c.block + from),
                                         n);
        for (int b = 0; b < n; ++b) {
            const Block block = source.block(from + b);
            source.prefetch(from + b);
            __m512i part[2][kT];
            blockDots<kKind, kT>(block, a, part);
#pragma GCC unroll 8
            for (int t = 0; t < kT; ++t) {
                const __m512 v = blockValue<kKind, kZero>(block, part[0][t], part[1][t],
                                                          sums[t].first[b], sums[t].second[b]);
                acc[t] = _mm512_fmadd_ps(_mm512_set1_ps(scale[t][from + b]), v, acc[t]);
                a[t] += kActsBlock;
            }
        }
    }
    for (int t = 0; t < kT; ++t) endSum(c, token + t, acc[t]);
}

/// Tokens [t, nTokens).
template <PanelKind kKind, class Source>
void allTokens(const Chunk& c, const Source& source, std::int64_t t = 0) {
    for (; t + 8 <= c.args.nTokens; t += 8) tile<kKind, 8>(c, source, t);
    const std::int64_t left = c.args.nTokens - t;
    if (left & 4) tile<kKind, 4>(c, source, t);
    if (left & 2) tile<kKind, 2>(c, source, t + (left & 4));
    if (left & 1) tile<kKind, 1>(c, source, t + (left & 6));
}

}  // namespace
}  // namespace lanescope::kernels::avx512vnni
