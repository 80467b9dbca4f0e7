// The matrix product: which way it goes.

#include "kernels/cuda/matmul_paths.h"

namespace lanescope::kernels::cuda {

bool canMultiply(DType type, bool int8) {
    return int8 ? canMultiplyInt8(type) : canMultiplyF32(type);
}

Status matmul(const MatmulArgs& args, Stream stream) {
    return args.xq != nullptr ? matmulInt8(args, stream) : matmulF32(args, stream);
}

}  // namespace lanescope::kernels::cuda
