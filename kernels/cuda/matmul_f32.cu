// f32 products: kernels for every format by number of tokens. The choice has no part in the bits
// (matmul_product.cuh), only in the speed.

#include "kernels/cuda/gemm_f32.cuh"
#include "kernels/cuda/gemv_f32.cuh"
#include "kernels/cuda/matmul_launch.h"

namespace lanescope::kernels::cuda {
namespace {

template <class T, int kTokens>
Status gemv(const Product& product, Stream stream) {
    return launch(stream, {tilesOf(product.nRows, kGemvF32Rows)}, {kGemvThreads}, 0,
                  gemvF32Kernel<T, kTokens>, product);
}

template <class T>
Status multiply(const Product& product, Stream stream) {
    if (product.nTokens <= 1) return gemv<T, 1>(product, stream);
    if (product.nTokens <= 4) return gemv<T, 4>(product, stream);
    return launch(stream,
                  {tilesOf(product.nRows, kGemmF32Tile), tilesOf(product.nTokens, kGemmF32Tile)},
                  {kProductThreads}, kGemmF32Shared, gemmF32Kernel<T>, product);
}

using Multiply = Status (*)(const Product&, Stream);

Multiply multiplyOf(DType type) {
    switch (type) {
        case DType::F32:
            return multiply<float>;
        case DType::F16:
            return multiply<Half>;
        case DType::BF16:
            return multiply<BFloat16>;
        case DType::Q4_0:
            return multiply<BlockQ4_0>;
        case DType::Q4_1:
            return multiply<BlockQ4_1>;
        case DType::Q5_0:
            return multiply<BlockQ5_0>;
        case DType::Q5_1:
            return multiply<BlockQ5_1>;
        case DType::Q8_0:
            return multiply<BlockQ8_0>;
        case DType::Q4_K:
            return multiply<BlockQ4_K>;
        case DType::Q5_K:
            return multiply<BlockQ5_K>;
        case DType::Q6_K:
            return multiply<BlockQ6_K>;
        default:
            return nullptr;
    }
}

}  // namespace

bool canMultiplyF32(DType type) {
    return multiplyOf(type) != nullptr;
}

Status matmulF32(const MatmulArgs& args, Stream stream) {
    const Multiply multiply = multiplyOf(args.weightType);
    if (multiply == nullptr) return kInvalidValue;
    if (args.nTokens == 0) return kSuccess;
    return multiply(productOf(args), stream);
}

}  // namespace lanescope::kernels::cuda
