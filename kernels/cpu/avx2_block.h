#pragma once
// A block of 16 rows x 32 columns as the tiles of avx2_matmul_fast.cpp see it, out of an unpacked
// panel or straight out of packed weights. For files compiled for AVX2 or more only. Half p holds
// rows 8p … 8p + 7.

#include "kernels/cpu/avx2_math.h"
#include "kernels/cpu/packed_codes.h"
#include "kernels/types/packed.h"

namespace lanescope::kernels::avx2 {
namespace {

/// One block of a Panel that holds codes of the range kRange.
template <CodeRange kRange>
class PanelBlock {
  public:
    static constexpr CodeRange kCodes = kRange;

    PanelBlock(const Panel& panel, int b) : m_panel(panel), m_b(b) {}
    /// Codes of column group g.
    [[nodiscard]] __m256i w(int g, int p) const { return load(m_panel.w[m_b][g] + 32 * p); }
    [[nodiscard]] __m256 d(int p) const { return _mm256_load_ps(m_panel.d[m_b] + 8 * p); }
    [[nodiscard]] __m256 m(int p) const { return _mm256_load_ps(m_panel.m[m_b] + 8 * p); }
    [[nodiscard]] __m256i sub(int p) const { return load(m_panel.sub[m_b] + 16 * p); }

  private:
    static __m256i load(const void* from) {
        return _mm256_load_si256(static_cast<const __m256i*>(from));
    }
    const Panel& m_panel;
    int m_b;
};

/// One block of a packed group. Members are read where they are used: the compiler keeps in
/// registers what a tile reads twice.
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

    [[nodiscard]] __m256i w(int g, int p) const {
        if constexpr (needsTable(kType)) {
            const __m256i table = _mm256_broadcastsi128_si256(
                _mm_load_si128(reinterpret_cast<const __m128i*>(CodeTable<kType>::kBytes.data())));
            return _mm256_shuffle_epi8(table, number(g, p));
        } else {
            return number(g, p);
        }
    }
    [[nodiscard]] __m256 d(int p) const {
        if constexpr (kShape.scales == ScaleKind::SuperMin)
            return _mm256_mul_ps(groupHalves(0, p), bytes(m_scales + 8 * p));
        else if constexpr (kShape.scales == ScaleKind::SuperByte)
            return _mm256_mul_ps(
                unit(p), _mm256_cvtepi32_ps(kCodes.rowZeros ? _mm256_abs_epi32(signedBytes(p))
                                                            : signedBytes(p)));
        else if constexpr (kShape.scales == ScaleKind::SuperSub && kSplit)
            return _mm256_mul_ps(unit(p), firstBytes(m_scales + 16 * p));
        else if constexpr (kShape.groupScaleBytes() > 0)
            return groupHalves(0, p);
        else if constexpr (kShape.scales == ScaleKind::Bf16)
            return _mm256_castsi256_ps(
                _mm256_slli_epi32(_mm256_cvtepu16_epi32(load128(m_scales + 16 * p)), 16));
        else if constexpr (kShape.scales == ScaleKind::Ue4m3)
            return ue4m3(_mm_slli_epi16(load128(m_scales + 16 * p), 8));
        else
            return halves(m_scales + 16 * p);
    }
    [[nodiscard]] __m256 m(int p) const {
        if constexpr (kShape.scales == ScaleKind::SuperMin)
            return minus(_mm256_mul_ps(groupHalves(1, p), bytes(m_scales + 16 + 8 * p)));
        else if constexpr (kShape.scales == ScaleKind::SuperNibble)
            return minus(groupHalves(1, p));
        else if constexpr (kShape.scales == ScaleKind::SuperSub)
            return _mm256_mul_ps(unit(p), secondBytes(m_scales + 16 * p));
        else if constexpr (kShape.scales == ScaleKind::Ue4m3)
            return ue4m3(load128(m_scales + 16 * p));
        else
            return halves(m_scales + 32 + 16 * p);
    }
    /// Two scales a row, 16 bits each, as in Panel; or the row's zero point twice.
    [[nodiscard]] __m256i sub(int p) const {
        if constexpr (kShape.scales == ScaleKind::SuperNibble) {
            const __m256i both = _mm256_cvtepu8_epi16(load128(m_scales + 16 * p));
            return _mm256_and_si256(_mm256_or_si256(both, _mm256_slli_epi16(both, 4)),
                                    _mm256_set1_epi16(0x0F0F));
        } else if constexpr (kCodes.rowZeros) {
            const __m256i minus = _mm256_srai_epi32(signedBytes(p), 31);
            return _mm256_add_epi16(_mm256_set1_epi16(7),
                                    _mm256_and_si256(minus, _mm256_set1_epi16(2)));
        } else {
            return _mm256_cvtepi8_epi16(load128(m_scales + 16 * p));
        }
    }

  private:
    static constexpr bool kSplit = panelKind(kType) == PanelKind::Split8;

    /// What is stored for column group g.
    [[nodiscard]] __m256i number(int g, int p) const {
        if constexpr (kShape.bits == 8) {
            return load(m_codes + 64 * g + 32 * p);
        } else if constexpr (kShape.bits == 2) {
            return _mm256_and_si256(
                _mm256_srli_epi16(load(m_codes + 64 * (g / 4) + 32 * p), 2 * (g % 4)),
                _mm256_set1_epi8(3));
        } else if constexpr (kShape.bits == 3) {
            // A table does not look at the fourth bit.
            return nibble(g < 6 ? load(m_codes + 64 * (g / 2) + 32 * p) : topBits(p), g,
                          needsTable(kType) ? 15 : 7);
        } else {
            const __m256i low = nibble(load(m_codes + 64 * (g / 2) + 32 * p), g, 15);
            if constexpr (kShape.bits == 5) return withUpper(low, load(m_planes + 32 * p), g, 0x10);
            if constexpr (kShape.bits == 6)
                return withUpper(low, load(m_planes + 64 * (g / 4) + 32 * p), 2 * (g % 4), 0x30);
            return low;
        }
    }
    static __m256i nibble(__m256i pair, int g, char mask) {
        return _mm256_and_si256(g % 2 == 0 ? pair : _mm256_srli_epi16(pair, 4),
                                _mm256_set1_epi8(mask));
    }
    /// Groups 6 and 7 of three-bit numbers as nibbles.
    [[nodiscard]] __m256i topBits(int p) const {
        const __m256i top = _mm256_set1_epi8(static_cast<char>(0x88));
        __m256i v[3];
        for (int j = 0; j < 3; ++j)
            v[j] = _mm256_srli_epi16(_mm256_and_si256(load(m_codes + 64 * j + 32 * p), top), 3 - j);
        return _mm256_or_si256(v[0], _mm256_or_si256(v[1], v[2]));
    }
    /// Field of `plane` from bit `at` on becomes the bits of `mask`, whose lowest is bit 4.
    static __m256i withUpper(__m256i low, __m256i plane, int at, int mask) {
        const __m256i moved =
            at < 4 ? _mm256_slli_epi16(plane, 4 - at) : _mm256_srli_epi16(plane, at - 4);
        return _mm256_or_si256(low,
                               _mm256_and_si256(moved, _mm256_set1_epi8(static_cast<char>(mask))));
    }
    static __m256i load(const void* from) {
        return _mm256_load_si256(static_cast<const __m256i*>(from));
    }
    static __m128i load128(const void* from) {
        return _mm_load_si128(static_cast<const __m128i*>(from));
    }
    static __m256 halves(const std::uint8_t* from) { return _mm256_cvtph_ps(load128(from)); }
    static __m256 minus(__m256 v) { return _mm256_xor_ps(v, _mm256_set1_ps(-0.0F)); }
    /// Half the e4m3 numbers in the upper bytes: a half whose exponent is 7 less.
    static __m256 ue4m3(__m128i upper) {
        const __m128i bits = _mm_and_si128(_mm_srli_epi16(upper, 1), _mm_set1_epi16(0x3F80));
        return _mm256_mul_ps(_mm256_cvtph_ps(bits), _mm256_set1_ps(128.0F));
    }
    /// A block's whole scales.
    [[nodiscard]] __m256i signedBytes(int p) const {
        return _mm256_cvtepi8_epi32(
            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(m_scales + 8 * p)));
    }
    /// Scales of a row's two halves, none of them negative.
    static __m256 firstBytes(const std::uint8_t* from) {
        return _mm256_cvtepi32_ps(
            _mm256_cvtepu16_epi32(_mm_and_si128(load128(from), _mm_set1_epi16(0xFF))));
    }
    static __m256 secondBytes(const std::uint8_t* from) {
        return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_srli_epi16(load128(from), 8)));
    }
    static __m256 bytes(const std::uint8_t* from) {
        return _mm256_cvtepi32_ps(
            _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
    }
    [[nodiscard]] __m256 groupHalves(int which, int p) const {
        return halves(m_group + kShape.groupScalesAt() + 32 * which + 16 * p);
    }
    [[nodiscard]] __m256 unit(int p) const {
        if constexpr (scaleUnit(kType) == 1.0F) return groupHalves(0, p);
        return _mm256_mul_ps(groupHalves(0, p), _mm256_set1_ps(scaleUnit(kType)));
    }

    const std::uint8_t* m_group;
    const std::uint8_t* m_codes;
    const std::uint8_t* m_planes;
    const std::uint8_t* m_scales;
};

}  // namespace
}  // namespace lanescope::kernels::avx2
