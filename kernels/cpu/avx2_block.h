#pragma once
// A block of 16 rows x 32 columns as the tiles of avx2_matmul_fast.cpp see it, out of an unpacked
// panel or straight out of packed weights. For files compiled for AVX2 or more only. Half p holds
// rows 8p … 8p + 7.

#include "kernels/cpu/avx2_math.h"
#include "kernels/cpu/panel.h"
#include "kernels/types/packed.h"

namespace lanescope::kernels::avx2 {
namespace {

/// One block of a Panel.
class PanelBlock {
  public:
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

    PackedBlock(const std::uint8_t* group, int i)
        : m_group(group),
          m_codes(group + i * kShape.codeBytes()),
          m_planes(group + kShape.planesAt() + i * kShape.planeBytes()),
          m_scales(group + kShape.scalesAt() + i * kShape.scaleBytes()) {}

    [[nodiscard]] __m256i w(int g, int p) const {
        if constexpr (kShape.bits == 8) return load(m_codes + 64 * g + 32 * p);
        const __m256i four = _mm256_set1_epi8(15);
        const __m256i pair = load(m_codes + 64 * (g / 2) + 32 * p);
        const __m256i low = _mm256_and_si256(g % 2 == 0 ? pair : _mm256_srli_epi16(pair, 4), four);
        if constexpr (kShape.bits == 5) {
            const __m256i plane = load(m_planes + 32 * p);
            const __m256i bit =
                g < 4 ? _mm256_slli_epi16(plane, 4 - g) : _mm256_srli_epi16(plane, g - 4);
            return _mm256_or_si256(low, _mm256_and_si256(bit, _mm256_set1_epi8(16)));
        }
        if constexpr (kShape.bits == 6) {
            const __m256i plane = load(m_planes + 64 * (g / 4) + 32 * p);
            const int at = 2 * (g % 4);
            const __m256i two =
                at < 4 ? _mm256_slli_epi16(plane, 4 - at) : _mm256_srli_epi16(plane, at - 4);
            return _mm256_or_si256(low, _mm256_and_si256(two, _mm256_set1_epi8(0x30)));
        }
        return low;
    }
    [[nodiscard]] __m256 d(int p) const {
        if constexpr (kShape.scales == ScaleKind::SuperMin)
            return _mm256_mul_ps(groupHalves(0, p), bytes(m_scales + 8 * p));
        else if constexpr (kShape.scales == ScaleKind::SuperSub)
            return groupHalves(0, p);
        else
            return halves(m_scales + 16 * p);
    }
    [[nodiscard]] __m256 m(int p) const {
        if constexpr (kShape.scales == ScaleKind::SuperMin)
            return _mm256_xor_ps(_mm256_mul_ps(groupHalves(1, p), bytes(m_scales + 16 + 8 * p)),
                                 _mm256_set1_ps(-0.0F));
        else
            return halves(m_scales + 32 + 16 * p);
    }
    /// Q6_K's two scales a row, 16 bits each.
    [[nodiscard]] __m256i sub(int p) const {
        return _mm256_cvtepi8_epi16(
            _mm_load_si128(reinterpret_cast<const __m128i*>(m_scales + 16 * p)));
    }

  private:
    static __m256i load(const void* from) {
        return _mm256_load_si256(static_cast<const __m256i*>(from));
    }
    static __m256 halves(const std::uint8_t* from) {
        return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
    }
    static __m256 bytes(const std::uint8_t* from) {
        return _mm256_cvtepi32_ps(
            _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
    }
    [[nodiscard]] __m256 groupHalves(int which, int p) const {
        return halves(m_group + kShape.groupScalesAt() + 32 * which + 16 * p);
    }

    const std::uint8_t* m_group;
    const std::uint8_t* m_codes;
    const std::uint8_t* m_planes;
    const std::uint8_t* m_scales;
};

}  // namespace
}  // namespace lanescope::kernels::avx2
