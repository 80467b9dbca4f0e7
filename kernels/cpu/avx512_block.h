#pragma once
// A block of 16 rows x 32 columns as the tiles of avx512vnni_matmul.cpp see it, out of an unpacked
// panel or straight out of packed weights: avx2_block.h for 512-bit vectors. For files compiled for
// AVX-512 only.

#include <immintrin.h>

#include "kernels/cpu/packed_codes.h"
#include "kernels/types/packed.h"

namespace lanescope::kernels::avx512vnni {
namespace {

/// One block of a Panel.
template <PanelKind kKind>
class PanelBlock {
  public:
    static constexpr CodeRange kCodes = panelCodes(kKind);

    PanelBlock(const Panel& panel, int b) : m_panel(panel), m_b(b) {}
    /// Codes of column group g.
    [[nodiscard]] __m512i w(int g) const { return _mm512_load_si512(m_panel.w[m_b][g]); }
    [[nodiscard]] __m512 d() const { return _mm512_load_ps(m_panel.d[m_b]); }
    [[nodiscard]] __m512 m() const { return _mm512_load_ps(m_panel.m[m_b]); }
    [[nodiscard]] __m512i sub() const { return _mm512_load_si512(m_panel.sub[m_b]); }

  private:
    const Panel& m_panel;
    int m_b;
};

/// One block of a packed group.
template <DType kType>
class PackedBlock {
  public:
    static constexpr PackedShape kShape = packedShape(kType);
    static constexpr CodeRange kCodes = packedCodes(kType);

    PackedBlock(const std::uint8_t* group, int i)
        : m_group(group),
          m_codes(group + i * kShape.codeBytes()),
          m_planes(group + kShape.planesAt() + i * kShape.planeBytes()),
          m_scales(group + kShape.scalesAt() + i * kShape.scaleBytes()) {}

    [[nodiscard]] __m512i w(int g) const {
        if constexpr (needsTable(kType))
            return _mm512_shuffle_epi8(_mm512_load_si512(CodeTable<kType>::kBytes.data()),
                                       number(g));
        else
            return number(g);
    }
    [[nodiscard]] __m512 d() const {
        if constexpr (kShape.scales == ScaleKind::SuperMin)
            return _mm512_mul_ps(groupHalves(0), bytes(m_scales));
        else if constexpr (kShape.scales == ScaleKind::SuperByte)
            return _mm512_mul_ps(
                unit(), _mm512_cvtepi32_ps(kCodes.rowZeros ? _mm512_abs_epi32(signedBytes())
                                                           : signedBytes()));
        else if constexpr (kShape.scales == ScaleKind::SuperSub && kSplit)
            return _mm512_mul_ps(unit(), bytesOfPairs(load256(m_scales), 0));
        else if constexpr (kShape.groupScaleBytes() > 0)
            return groupHalves(0);
        else if constexpr (kShape.scales == ScaleKind::Bf16)
            return _mm512_castsi512_ps(
                _mm512_slli_epi32(_mm512_cvtepu16_epi32(load256(m_scales)), 16));
        else if constexpr (kShape.scales == ScaleKind::Ue4m3)
            return ue4m3(_mm256_slli_epi16(load256(m_scales), 8));
        else
            return halves(m_scales);
    }
    [[nodiscard]] __m512 m() const {
        // Minima are exact in either order: the sign goes to the scale.
        if constexpr (kShape.scales == ScaleKind::SuperMin)
            return _mm512_mul_ps(groupHalves(1), minus(bytes(m_scales + 16)));
        else if constexpr (kShape.scales == ScaleKind::SuperNibble)
            return minus(groupHalves(1));
        else if constexpr (kShape.scales == ScaleKind::SuperSub)
            return _mm512_mul_ps(unit(), bytesOfPairs(load256(m_scales), 8));
        else if constexpr (kShape.scales == ScaleKind::Ue4m3)
            return ue4m3(load256(m_scales));
        else
            return halves(m_scales + 32);
    }
    /// Two scales a row, 16 bits each, as in Panel; or the row's zero point twice.
    [[nodiscard]] __m512i sub() const {
        if constexpr (kShape.scales == ScaleKind::SuperNibble) {
            const __m512i both = _mm512_cvtepu8_epi16(load256(m_scales));
            return _mm512_and_si512(_mm512_or_si512(both, _mm512_slli_epi16(both, 4)),
                                    _mm512_set1_epi32(0x0F0F0F0F));
        } else if constexpr (kCodes.rowZeros) {
            const __m512i minus = _mm512_srai_epi32(signedBytes(), 31);
            return _mm512_add_epi32(_mm512_set1_epi32(0x00070007),
                                    _mm512_and_si512(minus, _mm512_set1_epi32(0x00020002)));
        } else {
            return _mm512_cvtepi8_epi16(load256(m_scales));
        }
    }

  private:
    static constexpr bool kSplit = panelKind(kType) == PanelKind::Split8;

    /// What is stored for column group g.
    [[nodiscard]] __m512i number(int g) const {
        if constexpr (kShape.bits == 8) {
            return _mm512_load_si512(m_codes + 64 * g);
        } else if constexpr (kShape.bits == 2) {
            const __m512i raw = _mm512_load_si512(m_codes + 64 * (g / 4));
            return _mm512_and_si512(_mm512_srli_epi16(raw, static_cast<unsigned>(2 * (g % 4))),
                                    _mm512_set1_epi8(3));
        } else if constexpr (kShape.bits == 3) {
            // A table does not look at the fourth bit.
            return nibble(g < 6 ? _mm512_load_si512(m_codes + 64 * (g / 2)) : topBits(), g,
                          needsTable(kType) ? 15 : 7);
        } else {
            const __m512i low = nibble(_mm512_load_si512(m_codes + 64 * (g / 2)), g, 15);
            if constexpr (kShape.bits == 5)
                return withUpper(low, _mm512_load_si512(m_planes), g, 0x10);
            if constexpr (kShape.bits == 6)
                return withUpper(low, _mm512_load_si512(m_planes + 64 * (g / 4)), 2 * (g % 4),
                                 0x30);
            return low;
        }
    }
    static __m512i nibble(__m512i pair, int g, char mask) {
        return _mm512_and_si512(g % 2 == 0 ? pair : _mm512_srli_epi16(pair, 4),
                                _mm512_set1_epi8(mask));
    }
    /// Groups 6 and 7 of three-bit numbers as nibbles.
    [[nodiscard]] __m512i topBits() const {
        const __m512i top = _mm512_set1_epi8(static_cast<char>(0x88));
        const __m512i v0 = _mm512_and_si512(_mm512_load_si512(m_codes), top);
        const __m512i v1 = _mm512_and_si512(_mm512_load_si512(m_codes + 64), top);
        const __m512i v2 = _mm512_and_si512(_mm512_load_si512(m_codes + 128), top);
        return _mm512_or_si512(_mm512_srli_epi16(v0, 3),
                               _mm512_or_si512(_mm512_srli_epi16(v1, 2), _mm512_srli_epi16(v2, 1)));
    }
    /// Field of `plane` from bit `at` on becomes the bits of `mask`, whose lowest is bit 4.
    static __m512i withUpper(__m512i low, __m512i plane, int at, int mask) {
        const __m512i moved = at < 4 ? _mm512_slli_epi16(plane, static_cast<unsigned>(4 - at))
                                     : _mm512_srli_epi16(plane, static_cast<unsigned>(at - 4));
        return _mm512_or_si512(low,
                               _mm512_and_si512(moved, _mm512_set1_epi8(static_cast<char>(mask))));
    }
    static __m128i load128(const std::uint8_t* from) {
        return _mm_load_si128(reinterpret_cast<const __m128i*>(from));
    }
    static __m256i load256(const std::uint8_t* from) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
    }
    /// A block's whole scales.
    [[nodiscard]] __m512i signedBytes() const { return _mm512_cvtepi8_epi32(load128(m_scales)); }
    static __m512 halves(const std::uint8_t* from) { return _mm512_cvtph_ps(load256(from)); }
    static __m512 minus(__m512 v) { return _mm512_sub_ps(_mm512_setzero_ps(), v); }
    static __m512 bytes(const std::uint8_t* from) {
        return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(load128(from)));
    }
    /// The lower (from 0) or upper (from 8) bytes of sixteen pairs, none of them negative.
    static __m512 bytesOfPairs(__m256i pairs, int from) {
        const __m256i one =
            _mm256_and_si256(_mm256_srli_epi16(pairs, from), _mm256_set1_epi16(0xFF));
        return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(one));
    }
    /// Half the e4m3 numbers in the upper bytes: a half whose exponent is 7 less.
    static __m512 ue4m3(__m256i upper) {
        const __m256i bits =
            _mm256_and_si256(_mm256_srli_epi16(upper, 1), _mm256_set1_epi16(0x3F80));
        return _mm512_mul_ps(_mm512_cvtph_ps(bits), _mm512_set1_ps(128.0F));
    }
    [[nodiscard]] __m512 groupHalves(int which) const {
        return halves(m_group + kShape.groupScalesAt() + 32 * which);
    }
    [[nodiscard]] __m512 unit() const {
        if constexpr (scaleUnit(kType) == 1.0F) return groupHalves(0);
        return _mm512_mul_ps(groupHalves(0), _mm512_set1_ps(scaleUnit(kType)));
    }

    const std::uint8_t* m_group;
    const std::uint8_t* m_codes;
    const std::uint8_t* m_planes;
    const std::uint8_t* m_scales;
};

}  // namespace
}  // namespace lanescope::kernels::avx512vnni
