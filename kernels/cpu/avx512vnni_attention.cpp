// Attention's two products for 512-bit vectors: a strip of sixteen columns is one vector, tiles of
// 12 rows keep twelve chains of FMAs and read one vector and twelve scalars a step. Every element
// is the same chain as in avx2_attention_tile.h, so the bits are; everything else is the AVX2 form.
// Tests compile this file over emulated intrinsics (tests/kernels/support/simde_avx512.h).

#include <immintrin.h>

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx512vnni.h"

namespace lanescope::kernels::avx512vnni {
namespace {

constexpr int kMaxRows = 12;

/// C[kR, 16] (+)= A[kR, depth] · B[depth, 16].
template <int kR>
void micro(const float* a, std::int64_t aStride, const float* b, std::int64_t bStride, float* c,
           std::int64_t cStride, std::int64_t depth, bool add) {
    __m512 acc[kR];
#pragma GCC unroll 12
    for (int r = 0; r < kR; ++r)
        acc[r] = add ? _mm512_loadu_ps(c + r * cStride) : _mm512_setzero_ps();
    for (std::int64_t k = 0; k < depth; ++k) {
        const __m512 row = _mm512_loadu_ps(b + k * bStride);
#pragma GCC unroll 12
        for (int r = 0; r < kR; ++r)
            acc[r] = _mm512_fmadd_ps(_mm512_set1_ps(a[r * aStride + k]), row, acc[r]);
    }
#pragma GCC unroll 12
    for (int r = 0; r < kR; ++r) _mm512_storeu_ps(c + r * cStride, acc[r]);
}

using Micro = void (*)(const float*, std::int64_t, const float*, std::int64_t, float*, std::int64_t,
                       std::int64_t, bool);
constexpr Micro kMicros[kMaxRows + 1] = {nullptr,   micro<1>,  micro<2>, micro<3>, micro<4>,
                                         micro<5>,  micro<6>,  micro<7>, micro<8>, micro<9>,
                                         micro<10>, micro<11>, micro<12>};

void product(const float* a, std::int64_t aStride, const float* b, std::int64_t bStride, float* c,
             std::int64_t cStride, std::int64_t rows, std::int64_t columns, std::int64_t depth,
             bool add) {
    for (std::int64_t j = 0; j < columns; j += 16) {
        for (std::int64_t r = 0; r < rows; r += kMaxRows) {
            const std::int64_t n = rows - r < kMaxRows ? rows - r : kMaxRows;
            kMicros[n](a + r * aStride, aStride, b + j, bStride, c + r * cStride + j, cStride,
                       depth, add);
        }
    }
}

}  // namespace

void attention(const AttentionArgs& args) {
    avx2::attentionBy(product, args);
}

}  // namespace lanescope::kernels::avx512vnni
