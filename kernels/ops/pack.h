#pragma once
// Repacking of a block-quantised matrix into the layout the fast product reads at the speed of
// memory (types/packed.h). Done once at load; the product gives the same bits from either layout.

#include <cstdint>

#include "kernels/types/packed.h"

namespace lanescope::kernels {

/// Packs rows [rowBegin, rowEnd); threads get disjoint ranges that start at multiples of 16.
struct PackArgs {
    DType weightType = DType::Q4_0;  ///< canPack()
    const void* weight = nullptr;    ///< [nRows, nCols] weightType, any alignment
    std::int64_t nRows = 0;
    std::int64_t nCols = 0;
    void* out = nullptr;  ///< packedBytes(), aligned to 64
    std::int64_t rowBegin = 0;
    std::int64_t rowEnd = 0;
};

}  // namespace lanescope::kernels
