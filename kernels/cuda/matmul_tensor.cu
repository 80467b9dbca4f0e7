// Tensor-core products of F16 and BF16 weights: kernels by number of tokens. The choice has no part
// in the bits (matmul_tensor.cuh), only in the speed.

#include "kernels/cuda/gemm_tensor.cuh"
#include "kernels/cuda/gemv_tensor.cuh"
#include "kernels/cuda/matmul_launch.h"

namespace lanescope::kernels::cuda {
namespace {

template <class T, int kRowTiles, int kTokenTiles>
Status gemv(const Product& product, Stream stream) {
    return launch(
        stream, {tilesOf(product.nRows, 16 * kRowTiles), tilesOf(product.nTokens, 8 * kTokenTiles)},
        {kProductThreads}, 0, gemvTensorKernel<T, kRowTiles, kTokenTiles>, product);
}

template <class T, int kWarpRows>
Status gemm(const Product& product, Stream stream) {
    using Stage = TensorStage<kWarpRows>;
    return launch(stream,
                  {tilesOf(product.nRows, Stage::kRows), tilesOf(product.nTokens, Stage::kTokens)},
                  {kProductThreads}, Stage::kSharedBytes, gemmTensorKernel<T, kWarpRows>, product);
}

template <class T>
Status multiply(const Product& product, Stream stream) {
    // More rows a block read x less often, which starts to count at a few tokens.
    if (product.nTokens <= 2) return gemv<T, 1, 1>(product, stream);
    if (product.nTokens <= 8) return gemv<T, 2, 1>(product, stream);
    if (product.nTokens <= 32) return gemv<T, 2, 4>(product, stream);
    return gemm<T, 4>(product, stream);
}

}  // namespace

Status matmulTensor(const MatmulArgs& args, Stream stream) {
    if (args.nCols % 8 != 0) return kInvalidValue;
    if (args.nTokens == 0) return kSuccess;
    if (args.weightType == DType::F16) return multiply<Half>(productOf(args), stream);
    if (args.weightType == DType::BF16) return multiply<BFloat16>(productOf(args), stream);
    return kInvalidValue;
}

}  // namespace lanescope::kernels::cuda
