// int8 products: kernels for every block format by number of tokens. The choice has no part in the
// bits (matmul_product.cuh), only in the speed.

#include "kernels/cuda/gemm_int8.cuh"
#include "kernels/cuda/gemv_int8.cuh"
#include "kernels/cuda/matmul_launch.h"

namespace lanescope::kernels::cuda {
namespace {

template <class Block, int kTokens>
Status gemv(const Product& product, Stream stream) {
    return launch(stream, {tilesOf(product.nRows, kGemvRows)}, {kGemvThreads}, 0,
                  gemvInt8Kernel<Block, kTokens>, product);
}

template <class Block, int kRowTiles, int kTokenTiles>
Status gemm(const Product& product, Stream stream) {
    using Stage = Int8Stage<Block, kRowTiles, kTokenTiles>;
    return launch(stream,
                  {tilesOf(product.nRows, Stage::kRows), tilesOf(product.nTokens, Stage::kTokens)},
                  {kProductThreads}, static_cast<std::size_t>(Stage::sharedBytes(product.nTerms)),
                  gemmInt8Kernel<Block, kRowTiles, kTokenTiles>, product);
}

template <class Block>
Status multiply(const Product& product, Stream stream) {
    if (product.nTokens <= 1) return gemv<Block, 1>(product, stream);
    if (product.nTokens <= 4) return gemv<Block, 4>(product, stream);
    if (product.nTokens <= 8) return gemm<Block, 1, 1>(product, stream);
    // Larger tiles would need more registers than two blocks of a multiprocessor have.
    constexpr int kRowTiles = hasHalves(Coder<Block>::kKind) ? 1 : 2;
    return gemm<Block, kRowTiles, 4>(product, stream);
}

using Multiply = Status (*)(const Product&, Stream);

Multiply multiplyOf(DType type) {
    switch (type) {
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

bool canMultiplyInt8(DType type) {
    return multiplyOf(type) != nullptr;
}

Status matmulInt8(const MatmulArgs& args, Stream stream) {
    const Multiply multiply = multiplyOf(args.weightType);
    if (multiply == nullptr) return kInvalidValue;
    if (args.nTokens == 0) return kSuccess;
    return multiply(productOf(args), stream);
}

}  // namespace lanescope::kernels::cuda
