// Conversions: stored rows to f32, f32 to the 16-bit floats, activations to int8. Dequantised
// values are bit-equal to the reference, so every multiply and add stays separate (the file is
// compiled with -ffp-contract=off).

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx2_low_bit.h"
#include "kernels/cpu/avx2_math.h"
#include "kernels/reference/reference.h"
#include "kernels/types/blocks.h"

namespace lanescope::kernels::avx2 {
namespace {

__m256 widen8(__m128i bytes) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}

/// dst[i] = q[i] * d + m for 16 bytes; m is skipped when null.
void scale16(__m128i q, __m256 d, const __m256* m, float* dst) {
    __m256 a = _mm256_mul_ps(widen8(q), d);
    __m256 b = _mm256_mul_ps(widen8(_mm_unpackhi_epi64(q, q)), d);
    if (m != nullptr) {
        a = _mm256_add_ps(a, *m);
        b = _mm256_add_ps(b, *m);
    }
    _mm256_storeu_ps(dst, a);
    _mm256_storeu_ps(dst + 8, b);
}

struct Nibbles {
    __m128i low, high;
};

Nibbles nibbles(const std::uint8_t* q) {
    const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(q));
    const __m128i mask = _mm_set1_epi8(15);
    return {_mm_and_si128(raw, mask), _mm_and_si128(_mm_srli_epi16(raw, 4), mask)};
}

/// 16 bytes that are 16 where bit i of the 16-bit field is set, else 0.
__m128i fifthBit(const std::uint8_t* field) {
    std::uint16_t bits;
    std::memcpy(&bits, field, sizeof bits);
    const __m128i spread = _mm_shuffle_epi8(
        _mm_cvtsi32_si128(bits), _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1));
    const __m128i select = _mm_set1_epi64x(static_cast<long long>(0x8040201008040201ULL));
    const __m128i set = _mm_cmpeq_epi8(_mm_and_si128(spread, select), select);
    return _mm_and_si128(set, _mm_set1_epi8(16));
}

__m256 scaleOf(HalfBits bits) {
    return _mm256_set1_ps(halfToFloat(bits));
}

void expand(const BlockQ4_0& b, float* y) {
    const Nibbles n = nibbles(b.q);
    const __m128i zero = _mm_set1_epi8(8);
    scale16(_mm_sub_epi8(n.low, zero), scaleOf(b.d), nullptr, y);
    scale16(_mm_sub_epi8(n.high, zero), scaleOf(b.d), nullptr, y + 16);
}

void expand(const BlockQ4_1& b, float* y) {
    const Nibbles n = nibbles(b.q);
    const __m256 m = scaleOf(b.m);
    scale16(n.low, scaleOf(b.d), &m, y);
    scale16(n.high, scaleOf(b.d), &m, y + 16);
}

void expand(const BlockQ5_0& b, float* y) {
    const Nibbles n = nibbles(b.q);
    const __m128i zero = _mm_set1_epi8(16);
    scale16(_mm_sub_epi8(_mm_or_si128(n.low, fifthBit(b.high)), zero), scaleOf(b.d), nullptr, y);
    scale16(_mm_sub_epi8(_mm_or_si128(n.high, fifthBit(b.high + 2)), zero), scaleOf(b.d), nullptr,
            y + 16);
}

void expand(const BlockQ5_1& b, float* y) {
    const Nibbles n = nibbles(b.q);
    const __m256 m = scaleOf(b.m);
    scale16(_mm_or_si128(n.low, fifthBit(b.high)), scaleOf(b.d), &m, y);
    scale16(_mm_or_si128(n.high, fifthBit(b.high + 2)), scaleOf(b.d), &m, y + 16);
}

void expand(const BlockQ8_0& b, float* y) {
    const auto* q = reinterpret_cast<const __m128i*>(b.q);
    scale16(_mm_loadu_si128(q), scaleOf(b.d), nullptr, y);
    scale16(_mm_loadu_si128(q + 1), scaleOf(b.d), nullptr, y + 16);
}

/// The eight 6-bit scales, then the eight 6-bit minima, a byte each.
void unpackScales(const std::uint8_t* packed, std::uint8_t (&out)[16]) {
    std::uint32_t w[3];
    std::memcpy(w, packed, sizeof w);
    const std::uint32_t parts[4] = {
        w[0] & 0x3F3F3F3FU,
        (w[2] & 0x0F0F0F0FU) | ((w[0] >> 2) & 0x30303030U),
        w[1] & 0x3F3F3F3FU,
        ((w[2] >> 4) & 0x0F0F0F0FU) | ((w[1] >> 2) & 0x30303030U),
    };
    std::memcpy(out, parts, sizeof parts);
}

/// The 32 bytes of sub-blocks s (low nibbles) and s + 1 (high nibbles) as f32.
void expandPair(const std::uint8_t* q, const std::uint8_t* high, int s,
                const std::uint8_t (&scales)[16], float d, float dmin, float* y) {
    for (int odd = 0; odd < 2; ++odd) {
        const __m256 scale = _mm256_set1_ps(d * static_cast<float>(scales[s + odd]));
        const __m256 m = _mm256_set1_ps(-(dmin * static_cast<float>(scales[8 + s + odd])));
        for (int part = 0; part < 2; ++part) {
            const Nibbles n = nibbles(q + 16 * part);
            __m128i v = odd == 0 ? n.low : n.high;
            if (high != nullptr) {
                const __m128i h =
                    _mm_loadu_si128(reinterpret_cast<const __m128i*>(high + 16 * part));
                const __m128i bit = _mm_set1_epi8(static_cast<char>(1U << (s + odd)));
                const __m128i set = _mm_cmpeq_epi8(_mm_and_si128(h, bit), bit);
                v = _mm_or_si128(v, _mm_and_si128(set, _mm_set1_epi8(16)));
            }
            scale16(v, scale, &m, y + 32 * odd + 16 * part);
        }
    }
}

void expand(const BlockQ4_K& b, float* y) {
    std::uint8_t scales[16];
    unpackScales(b.scales, scales);
    for (int s = 0; s < 8; s += 2)
        expandPair(b.q + 16 * s, nullptr, s, scales, halfToFloat(b.d), halfToFloat(b.dmin),
                   y + 32 * s);
}

void expand(const BlockQ5_K& b, float* y) {
    std::uint8_t scales[16];
    unpackScales(b.scales, scales);
    for (int s = 0; s < 8; s += 2)
        expandPair(b.q + 16 * s, b.high, s, scales, halfToFloat(b.d), halfToFloat(b.dmin),
                   y + 32 * s);
}

void expand(const BlockQ6_K& b, float* y) {
    const float d = halfToFloat(b.d);
    for (int i = 0; i < 16; ++i) {  // 16 elements each
        const int half = i / 8;
        const int run = i % 8 / 2;
        const int part = i % 2;
        const Nibbles n = nibbles(b.low + 64 * half + 32 * (run % 2) + 16 * part);
        const __m128i h =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(b.high + 32 * half + 16 * part));
        const __m128i bits = _mm_and_si128(_mm_srli_epi16(h, 2 * run), _mm_set1_epi8(3));
        const __m128i q = _mm_or_si128(run < 2 ? n.low : n.high, _mm_slli_epi16(bits, 4));
        scale16(_mm_sub_epi8(q, _mm_set1_epi8(32)),
                _mm256_set1_ps(d * static_cast<float>(b.scales[i])), nullptr, y + 16 * i);
    }
}

template <class Block, int kElements>
void expandRow(const void* src, float* dst, std::int64_t n) {
    const auto* bytes = static_cast<const char*>(src);
    for (std::int64_t b = 0; b < n / kElements; ++b)
        expand(
            *reinterpret_cast<const Block*>(bytes + b * static_cast<std::int64_t>(sizeof(Block))),
            dst + b * kElements);
}

/// Reads n (1 to 8) 16-bit values.
__m128i load16(const char* src, std::int64_t n) {
    if (n == 8) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(src));
    alignas(16) std::uint16_t part[8] = {};
    std::memcpy(part, src, static_cast<std::size_t>(n) * 2);
    return _mm_load_si128(reinterpret_cast<const __m128i*>(part));
}

void store16(char* dst, __m128i v, std::int64_t n) {
    if (n == 8) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(dst), v);
        return;
    }
    alignas(16) std::uint16_t part[8];
    _mm_store_si128(reinterpret_cast<__m128i*>(part), v);
    std::memcpy(dst, part, static_cast<std::size_t>(n) * 2);
}

__m128i narrowBf16(__m256 v) {
    const __m256i bits = _mm256_srli_epi32(_mm256_castps_si256(roundToBf16(v)), 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
}

}  // namespace

void dequantiseRow(DType type, const void* src, float* dst, std::int64_t n) {
    if (n <= 0) return;
    const auto* bytes = static_cast<const char*>(src);
    switch (type) {
        case DType::F32:
            std::memcpy(dst, src, static_cast<std::size_t>(n) * sizeof(float));
            return;
        case DType::F16:
        case DType::BF16:
            for (std::int64_t i = 0; i < n; i += 8) {
                const std::int64_t count = n - i < 8 ? n - i : 8;
                const __m128i raw = load16(bytes + 2 * i, count);
                const __m256 v = type == DType::F16 ? _mm256_cvtph_ps(raw) : bf16ToFloat(raw);
                if (count == 8)
                    _mm256_storeu_ps(dst + i, v);
                else
                    _mm256_maskstore_ps(dst + i, laneMask(count), v);
            }
            return;
        case DType::Q4_0:
            return expandRow<BlockQ4_0, kBlock>(src, dst, n);
        case DType::Q4_1:
            return expandRow<BlockQ4_1, kBlock>(src, dst, n);
        case DType::Q5_0:
            return expandRow<BlockQ5_0, kBlock>(src, dst, n);
        case DType::Q5_1:
            return expandRow<BlockQ5_1, kBlock>(src, dst, n);
        case DType::Q8_0:
            return expandRow<BlockQ8_0, kBlock>(src, dst, n);
        case DType::Q4_K:
            return expandRow<BlockQ4_K, kSuperBlock>(src, dst, n);
        case DType::Q5_K:
            return expandRow<BlockQ5_K, kSuperBlock>(src, dst, n);
        case DType::Q6_K:
            return expandRow<BlockQ6_K, kSuperBlock>(src, dst, n);
        default:
            if (const ValuesOfRow values = lowBitValues(type))
                values(src, dst, n);
            else
                reference::dequantiseRow(type, src, dst, n);
    }
}

void fromF32(DType type, const float* src, void* dst, std::int64_t n) {
    if (n <= 0) return;
    if (type == DType::F32) {
        std::memcpy(dst, src, static_cast<std::size_t>(n) * sizeof(float));
        return;
    }
    auto* bytes = static_cast<char*>(dst);
    for (std::int64_t i = 0; i < n; i += 8) {
        const std::int64_t count = n - i < 8 ? n - i : 8;
        const __m256 v =
            count == 8 ? _mm256_loadu_ps(src + i) : _mm256_maskload_ps(src + i, laneMask(count));
        store16(bytes + 2 * i,
                type == DType::F16 ? _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT) : narrowBf16(v),
                count);
    }
}

namespace {

/// Rounds 32 values into block i of out; v becomes what that left over.
void quantiseBlock(__m256 (&v)[4], const ActsQ8& out, std::int64_t i) {
    const __m256i absMask = _mm256_set1_epi32(0x7FFFFFFF);
    __m256i largest = _mm256_setzero_si256();  // as integers, so that NaN counts as largest
    for (const __m256 part : v)
        largest = _mm256_max_epi32(largest, _mm256_and_si256(_mm256_castps_si256(part), absMask));
    __m128i m =
        _mm_max_epi32(_mm256_castsi256_si128(largest), _mm256_extracti128_si256(largest, 1));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4E));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0xB1));
    const int amaxBits = _mm_cvtsi128_si32(m);
    const float d = _mm_cvtss_f32(_mm_castsi128_ps(m)) / 127.0F;
    out.scale[i] = d;
    auto* q = reinterpret_cast<__m256i*>(out.q + i * kActsBlock);
    std::int16_t* sums = out.sum16 + 2 * i;
    if (d == 0.0F || amaxBits >= 0x7F800000) {
        _mm256_storeu_si256(q, _mm256_setzero_si256());
        sums[0] = sums[1] = 0;
        for (__m256& part : v) part = _mm256_setzero_ps();
        return;
    }
    const __m256 divisor = _mm256_set1_ps(d);
    __m256i n[4];
    for (int j = 0; j < 4; ++j) {
        const __m256 ratio = _mm256_div_ps(v[j], divisor);
        n[j] = _mm256_cvtps_epi32(
            _mm256_min_ps(_mm256_max_ps(ratio, _mm256_set1_ps(-127.0F)), _mm256_set1_ps(127.0F)));
        v[j] = _mm256_fnmadd_ps(_mm256_cvtepi32_ps(n[j]), divisor, v[j]);
    }
    const __m256i inOrder = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i packed =
        _mm256_packs_epi16(_mm256_packs_epi32(n[0], n[1]), _mm256_packs_epi32(n[2], n[3]));
    _mm256_storeu_si256(q, _mm256_permutevar8x32_epi32(packed, inOrder));
    // Lanes of 4 + 4 sums, folded to one sum for each half of the block.
    const __m256i first = _mm256_add_epi32(n[0], n[1]);
    const __m256i second = _mm256_add_epi32(n[2], n[3]);
    const __m256i pairs = _mm256_hadd_epi32(first, second);
    const __m256i quads = _mm256_hadd_epi32(pairs, pairs);
    const __m128i total =
        _mm_add_epi32(_mm256_castsi256_si128(quads), _mm256_extracti128_si256(quads, 1));
    sums[0] = static_cast<std::int16_t>(_mm_extract_epi32(total, 0));
    sums[1] = static_cast<std::int16_t>(_mm_extract_epi32(total, 1));
}

}  // namespace

void quantiseActs(const QuantiseActsArgs& args) {
    const std::int64_t nBlocks = args.nCols / kActsBlock;
    for (std::int64_t i = args.tokenBegin * nBlocks; i < args.tokenEnd * nBlocks; ++i) {
        __m256 v[4];
        for (int j = 0; j < 4; ++j) v[j] = _mm256_loadu_ps(args.x + i * kActsBlock + 8 * j);
        quantiseBlock(v, args.out, i);
        if (args.rest.q != nullptr) quantiseBlock(v, args.rest, i);
    }
}

}  // namespace lanescope::kernels::avx2
