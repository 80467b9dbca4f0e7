#pragma once
// From MatmulArgs to what kernels take. Included by the .cu files of the matrix product.

#include "kernels/cuda/launch.h"
#include "kernels/cuda/matmul_paths.h"
#include "kernels/cuda/matmul_product.cuh"

namespace lanescope::kernels::cuda {

inline Product productOf(const MatmulArgs& args) {
    Product out;
    out.weight = static_cast<const std::uint8_t*>(args.weight);
    out.rowBytes = rowBytes(args.weightType, args.nCols);
    out.nCols = args.nCols;
    out.x = args.x;
    if (args.xq != nullptr) out.terms[out.nTerms++] = *args.xq;
    if (args.rest != nullptr) out.terms[out.nTerms++] = *args.rest;
    out.accumulate = args.accumulate ? 1 : 0;
    out.bias = args.bias;
    out.y = args.y;
    out.yStride = args.yStride;
    out.nRows = static_cast<int>(args.nRows);
    out.nTokens = static_cast<int>(args.nTokens);
    return out;
}

inline unsigned tilesOf(int n, int tile) {
    return static_cast<unsigned>((n + tile - 1) / tile);
}

}  // namespace lanescope::kernels::cuda
