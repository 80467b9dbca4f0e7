// Decoding of the formats with a codebook (layouts: types/blocks.h): four or eight table look-ups
// and one vector of signs per 32 elements.

#include "kernels/cpu/avx2_codes.h"
#include "kernels/cpu/avx2_low_bit.h"
#include "kernels/types/iq_grids.h"

namespace lanescope::kernels::avx2 {
namespace {

inline std::uint32_t dword(const void* bytes) {
    std::uint32_t v;
    std::memcpy(&v, bytes, sizeof v);
    return v;
}

inline __m256i four(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    return _mm256_set_epi64x(static_cast<long long>(d), static_cast<long long>(c),
                             static_cast<long long>(b), static_cast<long long>(a));
}

/// Negates element j where bit j is set.
inline __m256i withSigns(__m256i v, std::uint32_t signs) {
    const __m256i spread =
        _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(signs)),
                            _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2,
                                             2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
    const __m256i select = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ULL));
    const __m256i minus = _mm256_cmpeq_epi8(_mm256_and_si256(spread, select), select);
    return _mm256_sub_epi8(_mm256_xor_si256(v, minus), minus);
}

/// The 32 signs of four 7-bit fields.
inline std::uint32_t signsOfSevens(std::uint32_t fields) {
    std::uint32_t signs = 0;
    for (int i = 0; i < 4; ++i) signs |= evenSigns(fields >> (7 * i) & 127) << (8 * i);
    return signs;
}

inline void decode(const BlockIQ2_XXS& b, Codes& c) {
    const auto& grid = kIq2XxsGrid;
    for (int s = 0; s < 8; ++s) {
        const std::uint32_t i = dword(b.q + 4 * s);
        const std::uint32_t rest = dword(b.q + 4 * s + 2);
        const __m256i v =
            four(grid[i & 255], grid[i >> 8 & 255], grid[i >> 16 & 255], grid[i >> 24]);
        store32(c.q + 32 * s, withSigns(v, signsOfSevens(rest)));
    }
    setSubScales<DType::IQ2_XXS>(b, c);
}

inline void decode(const BlockIQ2_XS& b, Codes& c) {
    for (int s = 0; s < 8; ++s) {
        std::uint64_t entry[4];
        std::uint32_t signs = 0;
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t q = b.q[4 * s + i];
            entry[i] = kIq2XsGrid[q & 511];
            signs |= evenSigns(q >> 9) << (8 * i);
        }
        store32(c.q + 32 * s, withSigns(four(entry[0], entry[1], entry[2], entry[3]), signs));
    }
    setSubScales<DType::IQ2_XS>(b, c);
}

inline void decode(const BlockIQ2_S& b, Codes& c) {
    for (int s = 0; s < 8; ++s) {
        std::uint64_t entry[4];
        for (int i = 0; i < 4; ++i)
            entry[i] = kIq2SGrid[b.q[4 * s + i] | (b.high[s] >> (2 * i) & 3U) << 8];
        store32(c.q + 32 * s,
                withSigns(four(entry[0], entry[1], entry[2], entry[3]), dword(b.signs + 4 * s)));
    }
    setSubScales<DType::IQ2_S>(b, c);
}

inline void decode(const BlockIQ3_XXS& b, Codes& c) {
    for (int s = 0; s < 8; ++s) {
        const std::uint32_t rest = dword(b.signsAndScale + 4 * s);
        alignas(32) std::uint32_t entry[8];
        for (int i = 0; i < 8; ++i) entry[i] = kIq3XxsGrid[b.q[8 * s + i]];
        store32(c.q + 32 * s, withSigns(load32(entry), signsOfSevens(rest)));
    }
    setSubScales<DType::IQ3_XXS>(b, c);
}

inline void decode(const BlockIQ3_S& b, Codes& c) {
    for (int s = 0; s < 8; ++s) {
        alignas(32) std::uint32_t entry[8];
        for (int i = 0; i < 8; ++i)
            entry[i] = kIq3SGrid[b.q[8 * s + i] | (b.high[s] >> i & 1U) << 8];
        store32(c.q + 32 * s, withSigns(load32(entry), dword(b.signs + 4 * s)));
    }
    setSubScales<DType::IQ3_S>(b, c);
}

inline void decode(const BlockIQ1_S& b, Codes& c) {
    const auto& grid = kIq1Grid;
    for (int s = 0; s < 8; ++s) {
        const std::uint8_t* q = b.q + 4 * s;
        const std::uint32_t high = b.high[s];
        const __m256i v =
            four(grid[q[0] | (high & 7) << 8], grid[q[1] | (high >> 3 & 7) << 8],
                 grid[q[2] | (high >> 6 & 7) << 8], grid[q[3] | (high >> 9 & 7) << 8]);
        const __m256i delta = _mm256_set1_epi8((high & 0x8000) != 0 ? -1 : 1);
        store32(c.q + 32 * s, _mm256_add_epi8(v, delta));
    }
    setSubScales<DType::IQ1_S>(b, c);  // the codes are eighths
}

inline void decode(const BlockIQ1_M& b, Codes& c) {
    constexpr std::uint64_t kPlus = 0x0101010101010101ULL;
    constexpr std::uint64_t kMinus = ~std::uint64_t{0};
    for (int s = 0; s < 8; ++s) {
        std::uint64_t entry[4];
        std::uint64_t delta[4];
        for (int i = 0; i < 4; ++i) {
            const unsigned high = b.high[2 * s + i / 2] >> (4 * (i % 2)) & 15U;
            entry[i] = kIq1Grid[b.q[4 * s + i] | (high & 7) << 8];
            delta[i] = (high & 8) != 0 ? kMinus : kPlus;
        }
        store32(c.q + 32 * s, _mm256_add_epi8(four(entry[0], entry[1], entry[2], entry[3]),
                                              four(delta[0], delta[1], delta[2], delta[3])));
    }
    setSubScales<DType::IQ1_M>(b, c);
}

}  // namespace

UnpackPanel gridUnpack(DType type) {
    switch (type) {
        case DType::IQ1_S:
            return panelOfRows<DType::IQ1_S, BlockIQ1_S, kSuperBlock>;
        case DType::IQ1_M:
            return panelOfRows<DType::IQ1_M, BlockIQ1_M, kSuperBlock>;
        case DType::IQ2_XXS:
            return panelOfRows<DType::IQ2_XXS, BlockIQ2_XXS, kSuperBlock>;
        case DType::IQ2_XS:
            return panelOfRows<DType::IQ2_XS, BlockIQ2_XS, kSuperBlock>;
        case DType::IQ2_S:
            return panelOfRows<DType::IQ2_S, BlockIQ2_S, kSuperBlock>;
        case DType::IQ3_XXS:
            return panelOfRows<DType::IQ3_XXS, BlockIQ3_XXS, kSuperBlock>;
        case DType::IQ3_S:
            return panelOfRows<DType::IQ3_S, BlockIQ3_S, kSuperBlock>;
        default:
            return nullptr;
    }
}

ValuesOfRow gridValues(DType type) {
    switch (type) {
        case DType::IQ1_S:
            return valuesOfRow<DType::IQ1_S, BlockIQ1_S, kSuperBlock>;
        case DType::IQ1_M:
            return valuesOfRow<DType::IQ1_M, BlockIQ1_M, kSuperBlock>;
        case DType::IQ2_XXS:
            return valuesOfRow<DType::IQ2_XXS, BlockIQ2_XXS, kSuperBlock>;
        case DType::IQ2_XS:
            return valuesOfRow<DType::IQ2_XS, BlockIQ2_XS, kSuperBlock>;
        case DType::IQ2_S:
            return valuesOfRow<DType::IQ2_S, BlockIQ2_S, kSuperBlock>;
        case DType::IQ3_XXS:
            return valuesOfRow<DType::IQ3_XXS, BlockIQ3_XXS, kSuperBlock>;
        case DType::IQ3_S:
            return valuesOfRow<DType::IQ3_S, BlockIQ3_S, kSuperBlock>;
        default:
            return nullptr;
    }
}

}  // namespace lanescope::kernels::avx2
