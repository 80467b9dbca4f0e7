#pragma once
// How 512-bit forms add a chunk's sums to y. For files compiled for AVX-512 only.

#include <immintrin.h>

#include "kernels/cpu/exact_loop.h"

namespace lanescope::kernels::avx512vnni {
namespace {

/// Adds a step's sums of its rows for one token to y, as avx2::addSums does.
inline void addSums(const avx2::ExactStep& s, std::int64_t token, __m512 sums) {
    const auto mask = static_cast<__mmask16>((1U << s.nRows) - 1);
    float* y = s.y(token);
    if (!s.first()) sums = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, y), sums);
    if (s.last() && s.args.bias != nullptr)
        sums = _mm512_add_ps(sums, _mm512_maskz_loadu_ps(mask, s.args.bias + s.row));
    _mm512_mask_storeu_ps(y, mask, sums);
}

}  // namespace
}  // namespace lanescope::kernels::avx512vnni
