#pragma once
// The formats that are small integers with scales once they are decoded: two and three bits,
// ternary, four-bit floats, non-linear four bits, codebooks. Safe to include anywhere; the files
// behind it are compiled for AVX2.

#include "kernels/cpu/panel.h"

namespace lanescope::kernels::avx2 {

/// dst[n] of a stored row.
using ValuesOfRow = void (*)(const void* src, float* dst, std::int64_t n);

// Both are chosen here and called from other files: GCC 12.2 takes the functions behind them for
// pure and removes calls from the file that defines them (ipa-modref with ipa-pure-const).

/// How rows of the format become a panel. Precondition: a block format that avx2_unpack.h lacks.
UnpackPanel lowBitUnpack(DType type);
/// Null for formats that are not of this kind.
ValuesOfRow lowBitValues(DType type);

// avx2_grids.cpp: the same for the formats with a codebook only.
UnpackPanel gridUnpack(DType type);
ValuesOfRow gridValues(DType type);

}  // namespace lanescope::kernels::avx2
