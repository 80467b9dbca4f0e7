#pragma once
// Shared by avx2_low_bit.cpp and avx2_grids.cpp: a format there is one function
// `decode(block, codes)` that turns a stored block into small integers and their scales; this file
// makes f32 rows and panels of them. Bits equal the reference, because codes times scales are exact
// products of few bits, rounded at the same place.

#include "kernels/cpu/avx2_unpack.h"
#include "kernels/cpu/packed_codes.h"
#include "kernels/cpu/sub_scales.h"

namespace lanescope::kernels::avx2 {
namespace {

/// One decoded block of up to 256 elements.
struct Codes {
    alignas(32) std::int8_t q[kSuperBlock];
    float d[kSuperBlock / 16];           ///< scale of each 16: x = d * q - m
    float m[kSuperBlock / 16];           ///< Q2_K only
    std::int16_t sub[kSuperBlock / 16];  ///< Scaled6, Minimum2: as in Panel
    float super[2];                      ///< what the integers of sub multiply: d, -dmin
};

inline __m256i load32(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

inline void store32(std::int8_t* q, __m256i v) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(q), v);
}

inline void setScales(Codes& c, int begin, int end, float d) {
    for (int i = begin; i < end; ++i) c.d[i] = d;
}

/// The same of a super-block whose parts have whole scales: exact products, whatever their order.
template <DType kType, class Block>
inline void setSubScales(const Block& b, Codes& c) {
    const float unit = halfToFloat(superScale(b)) * scaleUnit(kType);
    for (int i = 0; i < kSuperBlock / 16; ++i) c.d[i] = unit * static_cast<float>(subScale(b, i));
}

/// y[0..15] = q * d, - m where the format has minima.
template <bool kMinimum>
inline void values16(const std::int8_t* q, float d, float m, float* y) {
    const __m128i v = _mm_load_si128(reinterpret_cast<const __m128i*>(q));
    const __m256 scale = _mm256_set1_ps(d);
    for (int half = 0; half < 2; ++half) {
        const __m128i bytes = half == 0 ? v : _mm_unpackhi_epi64(v, v);
        __m256 x = _mm256_mul_ps(scale, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)));
        if constexpr (kMinimum) x = _mm256_sub_ps(x, _mm256_set1_ps(m));
        _mm256_storeu_ps(y + 8 * half, x);
    }
}

template <DType kType, class Block, int kElements>
void valuesOfRow(const void* src, float* dst, std::int64_t n) {
    const auto* blocks = static_cast<const Block*>(src);  // packed: alignment 1
    Codes c;
    for (std::int64_t b = 0; b < n / kElements; ++b) {
        decode(blocks[b], c);
        for (int i = 0; i < kElements / 16; ++i)
            values16<kType == DType::Q2_K>(c.q + 16 * i, c.d[i], c.m[i],
                                           dst + b * kElements + 16 * i);
    }
}

/// Scales of 32 columns of one row.
template <PanelKind kKind>
inline void placeScales(const Codes& c, int s, Panel& panel, int block, int row) {
    if constexpr (kKind == PanelKind::Scaled6 || kKind == PanelKind::Minimum2) {
        panel.d[block][row] = c.super[0];
        if constexpr (kKind == PanelKind::Minimum2) panel.m[block][row] = c.super[1];
        panel.sub[block][2 * row] = c.sub[2 * s];
        panel.sub[block][2 * row + 1] = c.sub[2 * s + 1];
    } else {
        panel.d[block][row] = c.d[2 * s];
        if constexpr (kKind == PanelKind::Split8) panel.m[block][row] = c.d[2 * s + 1];
    }
}

template <DType kType, class Block, int kElements>
void panelOfRows(const PanelRows& p, int nBlocks, Panel& panel, int first) {
    constexpr PanelKind kKind = panelKind(kType);
    constexpr int kSubs = kElements / kBlock;
    const __m256i zero = _mm256_set1_epi8(static_cast<char>(zeroPoint(kKind)));
    Codes codes[kPartRows];
    PanelRows tile{};
    for (int r = 0; r < kPartRows; ++r)
        // cppcheck-suppress uninitvar  // only its address is taken
        tile.row[r] = reinterpret_cast<const std::uint8_t*>(codes[r].q);
    for (int b = 0; b < nBlocks; b += kSubs) {
        const std::int64_t at = b / kSubs * static_cast<std::int64_t>(sizeof(Block));
        prefetchNext(p, at, sizeof(Block));
        for (int r = 0; r < kPartRows; ++r)
            decode(*reinterpret_cast<const Block*>(p.row[r] + at), codes[r]);
        for (int s = 0; s < kSubs; ++s) {
            for (int half = 0; half < 2; ++half) {
                __m256i groups[4];
                loadColumns(tile, 32 * s + 16 * half, groups);
                for (int g = 0; g < 4; ++g)
                    _mm256_store_si256(
                        reinterpret_cast<__m256i*>(panel.w[b + s][4 * half + g] + 4 * first),
                        _mm256_add_epi8(groups[g], zero));
            }
            for (int r = 0; r < kPartRows; ++r)
                placeScales<kKind>(codes[r], s, panel, b + s, first + r);
        }
    }
}

}  // namespace
}  // namespace lanescope::kernels::avx2
