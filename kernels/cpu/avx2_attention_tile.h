#pragma once
// What attention's tiles are made of: the product of a few rows with a strip of 16 columns, and
// keys and values widened to f32. For files compiled for AVX2 or more only.

#include "kernels/cpu/avx2_kv_rows.h"
#include "kernels/ops/attention.h"

namespace lanescope::kernels::avx2 {
namespace {

constexpr std::int64_t kKeys = kAttentionKeyTile;
constexpr int kMaxRows = 6;

/// C[kR, 16] (+)= A[kR, depth] · B[depth, 16].
template <int kR>
void micro(const float* a, std::int64_t aStride, const float* b, std::int64_t bStride, float* c,
           std::int64_t cStride, std::int64_t depth, bool add) {
    __m256 acc[kR][2];
    for (int r = 0; r < kR; ++r)
        for (int i = 0; i < 2; ++i)
            acc[r][i] = add ? _mm256_loadu_ps(c + r * cStride + 8 * i) : _mm256_setzero_ps();
    for (std::int64_t k = 0; k < depth; ++k) {
        const __m256 b0 = _mm256_loadu_ps(b + k * bStride);
        const __m256 b1 = _mm256_loadu_ps(b + k * bStride + 8);
#pragma GCC unroll 6
        for (int r = 0; r < kR; ++r) {
            const __m256 v = _mm256_broadcast_ss(a + r * aStride + k);
            acc[r][0] = _mm256_fmadd_ps(v, b0, acc[r][0]);
            acc[r][1] = _mm256_fmadd_ps(v, b1, acc[r][1]);
        }
    }
    for (int r = 0; r < kR; ++r)
        for (int i = 0; i < 2; ++i) _mm256_storeu_ps(c + r * cStride + 8 * i, acc[r][i]);
}

/// C[rows, columns] (+)= A · B; columns is a multiple of 16.
void product(const float* a, std::int64_t aStride, const float* b, std::int64_t bStride, float* c,
             std::int64_t cStride, std::int64_t rows, std::int64_t columns, std::int64_t depth,
             bool add) {
    for (std::int64_t j = 0; j < columns; j += 16) {
        std::int64_t r = 0;
        const auto tile = [&](auto kernel) {
            kernel(a + r * aStride, aStride, b + j, bStride, c + r * cStride + j, cStride, depth,
                   add);
        };
        for (; r + kMaxRows <= rows; r += kMaxRows) tile(micro<kMaxRows>);
        switch (rows - r) {
            case 5:
                tile(micro<5>);
                break;
            case 4:
                tile(micro<4>);
                break;
            case 3:
                tile(micro<3>);
                break;
            case 2:
                tile(micro<2>);
                break;
            case 1:
                tile(micro<1>);
                break;
            default:
                break;
        }
    }
}

/// keys[headDim][64] = transposed keys; keys past the tile repeat a valid one (masked later).
template <KvFormat kFormat>
void widenKeys(const KvRow (&key)[kKeys], std::int64_t headDim, std::int64_t end, float* keys) {
    for (std::int64_t j = 0; j < end; j += 8) {
        for (std::int64_t i = 0; i < headDim; i += 8) {
            __m256 r[8];
            for (int u = 0; u < 8; ++u)
                r[u] = widen<kFormat, KvPart::Keys>(key[j + u], i, headDim - i);
            transpose8(r);
            for (int u = 0; u < 8; ++u) _mm256_storeu_ps(keys + (i + u) * kKeys + j, r[u]);
        }
    }
}

template <KvFormat kFormat>
void widenValues(const KvRow (&value)[kKeys], std::int64_t headDim, std::int64_t dim,
                 std::int64_t begin, std::int64_t end, float* values) {
    for (std::int64_t j = begin; j < end; ++j)
        for (std::int64_t i = 0; i < headDim; i += 8)
            _mm256_storeu_ps(values + j * dim + i,
                             widen<kFormat, KvPart::Values>(value[j], i, headDim - i));
}

}  // namespace
}  // namespace lanescope::kernels::avx2
