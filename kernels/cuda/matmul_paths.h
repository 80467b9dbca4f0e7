#pragma once
// The ways matmul() can go, a .cu each; for the .cu files of the matrix product only.

#include "kernels/cuda/ops.h"

namespace lanescope::kernels::cuda {

inline constexpr Status kInvalidValue = 1;  ///< cudaErrorInvalidValue

bool canMultiplyInt8(DType type);
bool canMultiplyF32(DType type);
/// args.xq is set.
Status matmulInt8(const MatmulArgs& args, Stream stream);
/// args.x is set.
Status matmulF32(const MatmulArgs& args, Stream stream);

}  // namespace lanescope::kernels::cuda
