#pragma once
// A block of 16 rows x 32 columns as the tiles of avx512vnni_matmul.cpp see it, out of an unpacked
// panel or straight out of packed weights: avx2_block.h for 512-bit vectors. For files compiled for
// AVX-512 only.

#include <immintrin.h>

#include "kernels/cpu/panel.h"
#include "kernels/types/packed.h"

namespace lanescope::kernels::avx512vnni {
namespace {

/// One block of a Panel.
class PanelBlock {
  public:
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

    PackedBlock(const std::uint8_t* group, int i)
        : m_group(group),
          m_codes(group + i * kShape.codeBytes()),
          m_planes(group + kShape.planesAt() + i * kShape.planeBytes()),
          m_scales(group + kShape.scalesAt() + i * kShape.scaleBytes()) {}

    [[nodiscard]] __m512i w(int g) const {
        if constexpr (kShape.bits == 8) return _mm512_load_si512(m_codes + 64 * g);
        const __m512i pair = _mm512_load_si512(m_codes + 64 * (g / 2));
        const __m512i low =
            _mm512_and_si512(g % 2 == 0 ? pair : _mm512_srli_epi16(pair, 4), _mm512_set1_epi8(15));
        if constexpr (kShape.bits == 5) return withUpper(low, _mm512_load_si512(m_planes), g, 0x10);
        if constexpr (kShape.bits == 6)
            return withUpper(low, _mm512_load_si512(m_planes + 64 * (g / 4)), 2 * (g % 4), 0x30);
        return low;
    }
    [[nodiscard]] __m512 d() const {
        if constexpr (kShape.scales == ScaleKind::SuperMin)
            return _mm512_mul_ps(groupHalves(0), bytes(m_scales));
        else if constexpr (kShape.scales == ScaleKind::SuperSub)
            return groupHalves(0);
        else
            return halves(m_scales);
    }
    [[nodiscard]] __m512 m() const {
        if constexpr (kShape.scales == ScaleKind::SuperMin) {
            // Exact in either order: the sign goes to the scale.
            const __m512 minus = _mm512_sub_ps(_mm512_setzero_ps(), bytes(m_scales + 16));
            return _mm512_mul_ps(groupHalves(1), minus);
        } else {
            return halves(m_scales + 32);
        }
    }
    /// Q6_K's two scales a row, 16 bits each.
    [[nodiscard]] __m512i sub() const {
        return _mm512_cvtepi8_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(m_scales)));
    }

  private:
    /// Field of `plane` from bit `at` on becomes the bits of `mask`, whose lowest is bit 4.
    static __m512i withUpper(__m512i low, __m512i plane, int at, int mask) {
        const __m512i moved = at < 4 ? _mm512_slli_epi16(plane, static_cast<unsigned>(4 - at))
                                     : _mm512_srli_epi16(plane, static_cast<unsigned>(at - 4));
        return _mm512_or_si512(low,
                               _mm512_and_si512(moved, _mm512_set1_epi8(static_cast<char>(mask))));
    }
    static __m512 halves(const std::uint8_t* from) {
        return _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(from)));
    }
    static __m512 bytes(const std::uint8_t* from) {
        return _mm512_cvtepi32_ps(
            _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(from))));
    }
    [[nodiscard]] __m512 groupHalves(int which) const {
        return halves(m_group + kShape.groupScalesAt() + 32 * which);
    }

    const std::uint8_t* m_group;
    const std::uint8_t* m_codes;
    const std::uint8_t* m_planes;
    const std::uint8_t* m_scales;
};

}  // namespace
}  // namespace lanescope::kernels::avx512vnni
