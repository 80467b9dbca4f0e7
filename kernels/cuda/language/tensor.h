#pragma once
// Tensor cores of sm_80: loads of 8x8 matrices from shared memory and products of small matrices by
// a whole, converged warp. Lane l holds (r = l / 4, p = l % 4):
//   a of 16x16   words: row r, columns 2p 2p+1 | row r+8 | row r, columns 2p+8 … | row r+8 …
//   b of 16x8    words: column r, rows 2p 2p+1 | rows 2p+8 2p+9
//   c, d of 16x8 row r, columns 2p 2p+1 | row r+8
//   int8 (a 16x32, b 32x8): as above with four bytes a word: columns 4p … 4p+3 and 4p+16 …
// loadMatrices<4>(a, …) of a row-major tile with lane l at row l % 16, column 8 (l / 16) gives a;
// loadMatricesTransposed<2>(b, …) of a row-major [k][n] tile with lane l at row l % 16 gives b.

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/language/async_copy.h"
#include "kernels/cuda/language/floats.h"
#include "kernels/cuda/language/keywords.h"

namespace lanescope::kernels::cuda {

/// Matrix m has its row i (8 elements of 16 bits, at a multiple of 16 bytes in shared memory) where
/// lane 8m + i points; lanes beyond 8 kCount may point anywhere. Lane l gets elements 2p, 2p + 1 of
/// row r.
template <int kCount>
SIMT_DEVICE void loadMatrices(std::uint32_t (&out)[kCount], const void* row SIMT_SITE) {
    static_assert(kCount == 1 || kCount == 2 || kCount == 4);
#if SIMT_ON_GPU
    const std::uint32_t at = sharedAddress(row);
    if constexpr (kCount == 1)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(out[0])
                     : "r"(at)
                     : "memory");
    else if constexpr (kCount == 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(out[0]), "=r"(out[1])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                     : "r"(at)
                     : "memory");
#else
    simt::loadMatrices(out, kCount, false, row, site);
#endif
}

/// The same, transposed: lane l gets elements r of rows 2p and 2p + 1.
template <int kCount>
SIMT_DEVICE void loadMatricesTransposed(std::uint32_t (&out)[kCount], const void* row SIMT_SITE) {
    static_assert(kCount == 1 || kCount == 2 || kCount == 4);
#if SIMT_ON_GPU
    const std::uint32_t at = sharedAddress(row);
    if constexpr (kCount == 1)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                     : "=r"(out[0])
                     : "r"(at)
                     : "memory");
    else if constexpr (kCount == 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(out[0]), "=r"(out[1])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                     : "r"(at)
                     : "memory");
#else
    simt::loadMatrices(out, kCount, true, row, site);
#endif
}

/// d += a · b, 16x16 by 16x8; T is Half or BFloat16.
template <class T>
SIMT_DEVICE void multiplyAdd(float (&d)[4], const std::uint32_t (&a)[4],
                             const std::uint32_t (&b)[2] SIMT_SITE) {
    static_assert(std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>);
#if SIMT_ON_GPU
    if constexpr (std::is_same_v<T, Half>)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
            "{%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    constexpr auto kElement =
        std::is_same_v<T, Half> ? simt::Element16::Half : simt::Element16::BFloat16;
    simt::mma16816(kElement, d, a, b, site);
#endif
}

/// d += a · b, 16x32 by 32x8 of int8.
SIMT_DEVICE void multiplyAddInt8(std::int32_t (&d)[4], const std::uint32_t (&a)[4],
                                 const std::uint32_t (&b)[2] SIMT_SITE) {
#if SIMT_ON_GPU
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    simt::mma16832(d, a, b, site);
#endif
}

}  // namespace lanescope::kernels::cuda
