// Decoding of the small formats without a codebook (layouts: types/blocks.h) and the way to all
// rare formats. A row is decoded 32 elements an instruction, then eight rows are transposed.

#include "kernels/cpu/avx2_low_bit.h"

#include <bit>

#include "kernels/cpu/avx2_codes.h"
#include "kernels/types/iq_grids.h"

namespace lanescope::kernels::avx2 {
namespace {

/// Two-bit fields of run r (32 elements) of a half of 128.
inline __m256i twoBits(__m256i raw, int r) {
    return _mm256_and_si256(_mm256_srl_epi16(raw, _mm_cvtsi32_si128(2 * r)), _mm256_set1_epi8(3));
}

inline void decode(const BlockQ2_K& b, Codes& c) {
    for (int i = 0; i < 8; ++i) store32(c.q + 32 * i, twoBits(load32(b.q + 32 * (i / 4)), i % 4));
    const float d = halfToFloat(b.d);
    const float dmin = halfToFloat(b.dmin);
    c.super[0] = d;
    c.super[1] = -dmin;
    for (int i = 0; i < 16; ++i) {
        const int scale = b.scales[i] & 15;
        const int minimum = b.scales[i] >> 4;
        c.sub[i] = static_cast<std::int16_t>(scale | minimum << 8);
        c.d[i] = d * static_cast<float>(scale);
        c.m[i] = dmin * static_cast<float>(minimum);
    }
}

inline void decode(const BlockQ3_K& b, Codes& c) {
    const __m256i high = load32(b.high);
    for (int i = 0; i < 8; ++i) {
        const __m256i bit = _mm256_set1_epi8(static_cast<char>(1U << i));
        const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(high, bit), bit);
        const __m256i minus = _mm256_andnot_si256(set, _mm256_set1_epi8(4));
        store32(c.q + 32 * i, _mm256_sub_epi8(twoBits(load32(b.q + 32 * (i / 4)), i % 4), minus));
    }
    const float d = halfToFloat(b.d);
    c.super[0] = d;
    for (int i = 0; i < 16; ++i) {
        const int scale = subScale(b, i);
        c.sub[i] = static_cast<std::int16_t>(scale);
        c.d[i] = d * static_cast<float>(scale);
    }
}

/// Sixteen bytes as 32 table values: low nibbles, then high ones.
inline __m256i lookUp(const std::uint8_t* q, const std::int8_t (&table)[16]) {
    const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(q));
    const __m256i both =
        _mm256_inserti128_si256(_mm256_castsi128_si256(raw), _mm_srli_epi16(raw, 4), 1);
    const __m256i values =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
    return _mm256_shuffle_epi8(values, lowNibbles(both));
}

inline void decode(const BlockIQ4_NL& b, Codes& c) {
    store32(c.q, lookUp(b.q, kIq4Values));
    setScales(c, 0, 2, halfToFloat(b.d));
}

inline void decode(const BlockIQ4_XS& b, Codes& c) {
    for (int s = 0; s < 8; ++s) store32(c.q + 32 * s, lookUp(b.q + 16 * s, kIq4Values));
    setSubScales<DType::IQ4_XS>(b, c);
}

inline void decode(const BlockMXFP4& b, Codes& c) {
    store32(c.q, lookUp(b.q, kFp4Values));
    const std::uint32_t e = b.e;
    setScales(c, 0, 2, std::bit_cast<float>(e < 2 ? 0x00200000U << e : (e - 1) << 23));
}

inline void decode(const BlockNVFP4& b, Codes& c) {
    for (int pair = 0; pair < 2; ++pair) {  // 16 bytes are two sub-blocks of 16
        const __m256i v = lookUp(b.q + 16 * pair, kFp4Values);
        // Bytes 0-7, 16-23 make the first sub-block, 8-15, 24-31 the second.
        store32(c.q + 32 * pair, _mm256_permute4x64_epi64(v, 0xD8));
    }
    for (int s = 0; s < 4; ++s) c.d[s] = kUe4m3Half[b.d[s]];
}

/// -1, 0 or 1: the first base-3 digit of byte / 256, minus one.
inline __m256i ternary(__m256i byte) {
    const __m256i one = _mm256_cmpeq_epi8(_mm256_max_epu8(byte, _mm256_set1_epi8(86)), byte);
    const __m256i two =
        _mm256_cmpeq_epi8(_mm256_max_epu8(byte, _mm256_set1_epi8(static_cast<char>(171))), byte);
    return _mm256_sub_epi8(_mm256_sub_epi8(_mm256_set1_epi8(-1), one), two);
}

inline __m256i timesThree(__m256i byte) {
    return _mm256_add_epi8(byte, _mm256_add_epi8(byte, byte));
}

inline void decode(const BlockTQ1_0& b, Codes& c) {
    __m256i bytes = load32(b.q);
    for (int digit = 0; digit < 5; ++digit, bytes = timesThree(bytes))
        store32(c.q + 32 * digit, ternary(bytes));
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b.q + 32));
    bytes = _mm256_castsi128_si256(sixteen);
    for (int digit = 0; digit < 5; ++digit, bytes = timesThree(bytes))
        _mm_store_si128(reinterpret_cast<__m128i*>(c.q + 160 + 16 * digit),
                        _mm256_castsi256_si128(ternary(bytes)));
    std::int32_t four;
    std::memcpy(&four, b.high, sizeof four);
    bytes = _mm256_castsi128_si256(_mm_cvtsi32_si128(four));
    for (int digit = 0; digit < 4; ++digit, bytes = timesThree(bytes)) {
        four = _mm_cvtsi128_si32(_mm256_castsi256_si128(ternary(bytes)));
        std::memcpy(c.q + 240 + 4 * digit, &four, sizeof four);
    }
    setScales(c, 0, 16, halfToFloat(b.d));
}

inline void decode(const BlockTQ2_0& b, Codes& c) {
    for (int i = 0; i < 8; ++i)
        store32(c.q + 32 * i,
                _mm256_sub_epi8(twoBits(load32(b.q + 32 * (i / 4)), i % 4), _mm256_set1_epi8(1)));
    setScales(c, 0, 16, halfToFloat(b.d));
}

}  // namespace

UnpackPanel lowBitUnpack(DType type) {
    switch (type) {
        case DType::Q2_K:
            return panelOfRows<DType::Q2_K, BlockQ2_K, kSuperBlock>;
        case DType::Q3_K:
            return panelOfRows<DType::Q3_K, BlockQ3_K, kSuperBlock>;
        case DType::IQ4_NL:
            return panelOfRows<DType::IQ4_NL, BlockIQ4_NL, kBlock>;
        case DType::IQ4_XS:
            return panelOfRows<DType::IQ4_XS, BlockIQ4_XS, kSuperBlock>;
        case DType::TQ1_0:
            return panelOfRows<DType::TQ1_0, BlockTQ1_0, kSuperBlock>;
        case DType::TQ2_0:
            return panelOfRows<DType::TQ2_0, BlockTQ2_0, kSuperBlock>;
        case DType::MXFP4:
            return panelOfRows<DType::MXFP4, BlockMXFP4, kBlock>;
        case DType::NVFP4:
            return panelOfRows<DType::NVFP4, BlockNVFP4, kNvBlock>;
        default:
            return gridUnpack(type);
    }
}

ValuesOfRow lowBitValues(DType type) {
    switch (type) {
        case DType::Q2_K:
            return valuesOfRow<DType::Q2_K, BlockQ2_K, kSuperBlock>;
        case DType::Q3_K:
            return valuesOfRow<DType::Q3_K, BlockQ3_K, kSuperBlock>;
        case DType::IQ4_NL:
            return valuesOfRow<DType::IQ4_NL, BlockIQ4_NL, kBlock>;
        case DType::IQ4_XS:
            return valuesOfRow<DType::IQ4_XS, BlockIQ4_XS, kSuperBlock>;
        case DType::TQ1_0:
            return valuesOfRow<DType::TQ1_0, BlockTQ1_0, kSuperBlock>;
        case DType::TQ2_0:
            return valuesOfRow<DType::TQ2_0, BlockTQ2_0, kSuperBlock>;
        case DType::MXFP4:
            return valuesOfRow<DType::MXFP4, BlockMXFP4, kBlock>;
        case DType::NVFP4:
            return valuesOfRow<DType::NVFP4, BlockNVFP4, kNvBlock>;
        default:
            return gridValues(type);
    }
}

}  // namespace lanescope::kernels::avx2
