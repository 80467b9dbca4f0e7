#pragma once
// y = x · Wᵀ (+ bias): the op nearly all time goes to. Weights stay in their stored (mapped)
// format. Three paths: exact (fp32 activations), fast (block-quantised weights meet int8
// activations per 32) and bf16 (both operands rounded to bf16). Batch invariance: the bits of y[t,
// r] depend on x[t], W[r] and the path only — never on nTokens, on the row range or on the number
// of threads. Read next: quantise_acts.h, reference/matmul.cpp.

#include <cstdint>

#include "kernels/ops/quantise_acts.h"
#include "kernels/types/dtype.h"

namespace lanescope::kernels {

/// One call computes rows [rowBegin, rowEnd) for all tokens; threads get disjoint row ranges.
struct MatmulArgs {
    DType weightType = DType::F32;
    const void* weight = nullptr;  ///< [nRows, nCols] weightType, rows contiguous, any alignment
    /// The same weights packed (pack.h), or null. Read instead of `weight` where xq is set;
    /// rowBegin is then a multiple of 16, and so is rowEnd unless it is nRows.
    const void* packed = nullptr;
    std::int64_t nRows = 0;
    std::int64_t nCols = 0;      ///< multiple of the weight format's block size
    const float* x = nullptr;    ///< [nTokens, nCols] f32; used unless xq is set
    const ActsQ8* xq = nullptr;  ///< [nTokens, nCols] int8 per 32; only with block formats
    /// Activations rounded to bf16, [nTokens, nCols], or null; x then holds these values too, xq is
    /// null, and weights are rounded to bf16 as well. Sums are f32, their order the form's own.
    const std::uint16_t* xb = nullptr;
    const ActsQ8* rest = nullptr;  ///< second term of xq, whose product is added; or null
    const float* bias = nullptr;   ///< [nRows] f32 or null
    bool accumulate = false;       ///< adds to y; int8 activations only
    float* y = nullptr;            ///< [nTokens, yStride] f32; row r goes to y[t * yStride + r]
    std::int64_t yStride = 0;      ///< >= nRows
    std::int64_t nTokens = 0;
    std::int64_t rowBegin = 0;
    std::int64_t rowEnd = 0;
};

}  // namespace lanescope::kernels
