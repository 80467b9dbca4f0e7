#pragma once
// Turns eight rows of mapped blocks into half a panel (see panel.h), for files compiled for AVX2 or
// more only. Rows are transposed four bytes at a time: vectors hold row r in the low and row r + 4
// in the high half, so that lane order after the transpose is the row order.

#include "kernels/cpu/avx2_math.h"
#include "kernels/cpu/panel.h"
#include "kernels/types/blocks.h"

namespace lanescope::kernels::avx2 {
namespace {

/// Half a panel as the target of one pass.
struct Part {
    Panel& panel;
    int first;  ///< 0 or kPartRows
    std::uint8_t* w(int block, int group) const { return panel.w[block][group] + 4 * first; }
    float* d(int block) const { return panel.d[block] + first; }
    float* m(int block) const { return panel.m[block] + first; }
    std::int16_t* sub(int block) const { return panel.sub[block] + 2 * first; }
};

/// Fetches a block of every row of the next panel. Measured on Zen 3 out of cache, one token, Q8_0
/// 49152 x 576, busy machine: 4.1 to 5.6 GB/s; the hardware's prefetcher restarts at every panel.
inline void prefetchNext(const PanelRows& p, std::int64_t at, std::int64_t bytes) {
#pragma GCC unroll 8
    for (int r = 0; r < kPartRows; ++r) {
        const auto address =
            reinterpret_cast<std::uintptr_t>(p.row[r]) + static_cast<std::uintptr_t>(at + p.ahead);
        for (std::int64_t i = 0; i < bytes; i += 64)
            _mm_prefetch(reinterpret_cast<const char*>(address + static_cast<std::uintptr_t>(i)),
                         _MM_HINT_T0);
    }
}

/// Four dwords of eight rows: out[i] lane r is dword i of row r at `offset`.
inline void loadColumns(const PanelRows& p, std::int64_t offset, __m256i (&out)[4]) {
    __m256i x[4];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
        const auto* low = reinterpret_cast<const __m128i*>(p.row[r] + offset);
        const auto* high = reinterpret_cast<const __m128i*>(p.row[r + 4] + offset);
        x[r] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)),
                                       _mm_loadu_si128(high), 1);
    }
    const __m256i a = _mm256_unpacklo_epi32(x[0], x[1]);
    const __m256i b = _mm256_unpackhi_epi32(x[0], x[1]);
    const __m256i c = _mm256_unpacklo_epi32(x[2], x[3]);
    const __m256i d = _mm256_unpackhi_epi32(x[2], x[3]);
    out[0] = _mm256_unpacklo_epi64(a, c);
    out[1] = _mm256_unpackhi_epi64(a, c);
    out[2] = _mm256_unpacklo_epi64(b, d);
    out[3] = _mm256_unpackhi_epi64(b, d);
}

/// The low (kShift 0) or high (16) halves of eight dwords as f32.
template <int kShift>
inline __m256 halves(__m256i dwords) {
    const __m256i bits = kShift == 0 ? _mm256_and_si256(dwords, _mm256_set1_epi32(0xFFFF))
                                     : _mm256_srli_epi32(dwords, 16);
    return _mm256_cvtph_ps(
        _mm_packus_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1)));
}

inline __m256i lowNibbles(__m256i v) {
    return _mm256_and_si256(v, _mm256_set1_epi8(15));
}
inline __m256i highNibbles(__m256i v) {
    return _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
}

/// Splits 16 stored bytes a row into the groups of one block: low nibbles, then high ones.
inline void splitNibbles(const __m256i (&raw)[4], __m256i (&w)[8]) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        w[i] = lowNibbles(raw[i]);
        w[i + 4] = highNibbles(raw[i]);
    }
}

/// Sets bit 4 of column k where bit k of the row's dword is set.
inline void addFifthBits(__m256i bits, __m256i (&w)[8]) {
    const __m256i even = _mm256_set1_epi32(static_cast<int>(0x80402010U));
    const __m256i sixteen = _mm256_set1_epi8(16);
    __m256i spread = _mm256_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0,
                                      0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
#pragma GCC unroll 4
    for (int byte = 0; byte < 4; ++byte) {
        // Bits 4 to 7 of the byte are in place for a minimum with 16; bits 0 to 3 after a shift.
        const __m256i high = _mm256_shuffle_epi8(bits, spread);
        const __m256i low = _mm256_slli_epi16(high, 4);
        w[2 * byte] =
            _mm256_or_si256(w[2 * byte], _mm256_min_epu8(_mm256_and_si256(low, even), sixteen));
        w[2 * byte + 1] = _mm256_or_si256(w[2 * byte + 1],
                                          _mm256_min_epu8(_mm256_and_si256(high, even), sixteen));
        spread = _mm256_add_epi8(spread, _mm256_set1_epi8(1));
    }
}

/// One block of a simple format in registers. m is left alone by formats without minimum.
template <DType kType>
inline void unpackBlock(const PanelRows& p, std::int64_t b, __m256i (&w)[8], __m256& d, __m256& m) {
    __m256i raw[4];
    if constexpr (kType == DType::Q8_0) {
        const std::int64_t at = b * static_cast<std::int64_t>(sizeof(BlockQ8_0));
        loadColumns(p, at, raw);
        d = halves<0>(raw[0]);
        loadColumns(p, at + 2, raw);
        for (int i = 0; i < 4; ++i) w[i] = raw[i];
        loadColumns(p, at + 18, raw);
        for (int i = 0; i < 4; ++i) w[i + 4] = raw[i];
    } else {
        constexpr bool kMin = hasMinimum(panelKind(kType));
        constexpr bool kFive = kType == DType::Q5_0 || kType == DType::Q5_1;
        constexpr std::int64_t kHead = (kMin ? 4 : 2) + (kFive ? 4 : 0);
        const std::int64_t at = b * (kHead + 16);
        __m256i head[4];
        loadColumns(p, at, head);
        d = halves<0>(head[0]);
        if constexpr (kMin) m = halves<16>(head[0]);
        loadColumns(p, at + kHead, raw);
        splitNibbles(raw, w);
        if constexpr (kType == DType::Q5_1) addFifthBits(head[1], w);
        if constexpr (kType == DType::Q5_0)  // the field starts in the middle of a dword
            addFifthBits(
                _mm256_or_si256(_mm256_srli_epi32(head[0], 16), _mm256_slli_epi32(head[1], 16)), w);
    }
}

inline void storeGroups(const __m256i (&w)[8], const Part& out, int block) {
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g)
        _mm256_store_si256(reinterpret_cast<__m256i*>(out.w(block, g)), w[g]);
}

template <DType kType>
void unpackSimple(const PanelRows& p, int nBlocks, const Part& out) {
    const std::int64_t blockBytes = rowBytes(kType, kBlock);
    for (int b = 0; b < nBlocks; ++b) {
        __m256i w[8];
        __m256 d = _mm256_setzero_ps();
        __m256 m = d;
        prefetchNext(p, b * blockBytes, 1);
        unpackBlock<kType>(p, b, w, d, m);
        storeGroups(w, out, b);
        _mm256_store_ps(out.d(b), d);
        if constexpr (hasMinimum(panelKind(kType))) _mm256_store_ps(out.m(b), m);
    }
}

/// The 6-bit scales and minima of a super-block, a byte each: sub-block s of row r is byte s % 4 of
/// lane r of [s / 4].
struct SuperScales {
    __m256i scale[2];
    __m256i minimum[2];
    __m256 d, dmin;
};

inline SuperScales superScales(const PanelRows& p, std::int64_t at) {
    __m256i head[4];
    loadColumns(p, at, head);
    const __m256i six = _mm256_set1_epi8(0x3F);
    const __m256i four = _mm256_set1_epi8(0x0F);
    const __m256i upper = _mm256_set1_epi8(0x30);
    SuperScales s;
    s.d = halves<0>(head[0]);
    s.dmin = halves<16>(head[0]);
    s.scale[0] = _mm256_and_si256(head[1], six);
    s.scale[1] = _mm256_or_si256(_mm256_and_si256(head[3], four),
                                 _mm256_and_si256(_mm256_srli_epi32(head[1], 2), upper));
    s.minimum[0] = _mm256_and_si256(head[2], six);
    s.minimum[1] = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi32(head[3], 4), four),
                                   _mm256_and_si256(_mm256_srli_epi32(head[2], 2), upper));
    return s;
}

inline __m256 byteOfLanes(__m256i v, int byte) {
    const __m256i shifted = _mm256_srl_epi32(v, _mm_cvtsi32_si128(8 * byte));
    return _mm256_cvtepi32_ps(_mm256_and_si256(shifted, _mm256_set1_epi32(0xFF)));
}

/// Q4_K and Q5_K: eight blocks a super-block, scales multiplied out.
template <DType kType>
void unpackFourFiveK(const PanelRows& p, int nBlocks, const Part& out) {
    constexpr bool kFive = kType == DType::Q5_K;
    constexpr std::int64_t kBytes = kFive ? sizeof(BlockQ5_K) : sizeof(BlockQ4_K);
    constexpr std::int64_t kQ = kFive ? 48 : 16;
    const __m256 sign = _mm256_set1_ps(-0.0F);
    for (int b = 0; b < nBlocks; b += 8) {
        const std::int64_t at = b / 8 * kBytes;
        prefetchNext(p, at, kBytes);
        const SuperScales scales = superScales(p, at);
        __m256i high[8];
        if constexpr (kFive) {
            __m256i half[4];
            loadColumns(p, at + 16, half);
            for (int g = 0; g < 4; ++g) high[g] = half[g];
            loadColumns(p, at + 32, half);
            for (int g = 0; g < 4; ++g) high[g + 4] = half[g];
        }
        for (int s = 0; s < 8; s += 2) {
            __m256i raw[2][4];
            loadColumns(p, at + kQ + 16 * s, raw[0]);
            loadColumns(p, at + kQ + 16 * s + 16, raw[1]);
            for (int odd = 0; odd < 2; ++odd) {
                __m256i w[8];
                for (int g = 0; g < 8; ++g) {
                    w[g] =
                        odd == 0 ? lowNibbles(raw[g / 4][g % 4]) : highNibbles(raw[g / 4][g % 4]);
                    if constexpr (kFive) {
                        const __m256i bit = _mm256_srl_epi16(high[g], _mm_cvtsi32_si128(s + odd));
                        w[g] = _mm256_or_si256(
                            w[g], _mm256_slli_epi16(_mm256_and_si256(bit, _mm256_set1_epi8(1)), 4));
                    }
                }
                const int block = b + s + odd;
                storeGroups(w, out, block);
                const int word = (s + odd) / 4;
                const int byte = (s + odd) % 4;
                _mm256_store_ps(out.d(block),
                                _mm256_mul_ps(scales.d, byteOfLanes(scales.scale[word], byte)));
                const __m256 m =
                    _mm256_mul_ps(scales.dmin, byteOfLanes(scales.minimum[word], byte));
                _mm256_store_ps(out.m(block), _mm256_xor_ps(m, sign));
            }
        }
    }
}

/// Q6_K: values 0..63, and the two int8 scales of every block widened to 16 bits.
inline void unpackSixK(const PanelRows& p, int nBlocks, const Part& out) {
    constexpr std::int64_t kBytes = sizeof(BlockQ6_K);
    const __m256i pairs =
        _mm256_setr_epi8(-1, 0, -1, 1, -1, 4, -1, 5, -1, 8, -1, 9, -1, 12, -1, 13, -1, 0, -1, 1, -1,
                         4, -1, 5, -1, 8, -1, 9, -1, 12, -1, 13);
    for (int b = 0; b < nBlocks; b += 8) {
        const std::int64_t at = b / 8 * kBytes;
        prefetchNext(p, at, kBytes);
        __m256i scales[4];
        __m256i end[4];
        loadColumns(p, at + 192, scales);
        loadColumns(p, at + 194, end);  // the last 16 bytes: d is the upper half of dword 3
        const __m256 d = halves<16>(end[3]);
        for (int half = 0; half < 2; ++half) {
            __m256i low[4][4];
            __m256i high[2][4];
            for (int i = 0; i < 4; ++i) loadColumns(p, at + 64 * half + 16 * i, low[i]);
            for (int i = 0; i < 2; ++i) loadColumns(p, at + 128 + 32 * half + 16 * i, high[i]);
            for (int run = 0; run < 4; ++run) {
                const int block = b + 4 * half + run;
                __m256i w[8];
                for (int g = 0; g < 8; ++g) {
                    const __m256i raw = low[2 * (run % 2) + g / 4][g % 4];
                    const __m256i bits =
                        _mm256_srl_epi16(high[g / 4][g % 4], _mm_cvtsi32_si128(2 * run));
                    w[g] = _mm256_or_si256(
                        run < 2 ? lowNibbles(raw) : highNibbles(raw),
                        _mm256_slli_epi16(_mm256_and_si256(bits, _mm256_set1_epi8(3)), 4));
                }
                storeGroups(w, out, block);
                _mm256_store_ps(out.d(block), d);
                const int i = 4 * half + run;  // scales 2i and 2i + 1
                const __m256i two =
                    i % 2 == 0 ? scales[i / 2] : _mm256_srli_epi32(scales[i / 2], 16);
                _mm256_store_si256(reinterpret_cast<__m256i*>(out.sub(block)),
                                   _mm256_srai_epi16(_mm256_shuffle_epi8(two, pairs), 8));
            }
        }
    }
}

template <DType kType>
inline void unpackPanel(const PanelRows& p, int nBlocks, const Part& out) {
    if constexpr (kType == DType::Q6_K)
        unpackSixK(p, nBlocks, out);
    else if constexpr (kType == DType::Q4_K || kType == DType::Q5_K)
        unpackFourFiveK<kType>(p, nBlocks, out);
    else
        unpackSimple<kType>(p, nBlocks, out);
}

}  // namespace
}  // namespace lanescope::kernels::avx2
