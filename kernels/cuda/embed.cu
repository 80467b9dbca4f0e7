// Embedding rows from every format a table usually has.

#include "kernels/cuda/embed.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/ops.h"

namespace lanescope::kernels::cuda {
namespace {

using Kernel = void (*)(EmbedArgs);

Kernel kernelOf(DType type) {
    switch (type) {
        case DType::F32:
            return embedKernel<float>;
        case DType::F16:
            return embedKernel<Half>;
        case DType::BF16:
            return embedKernel<BFloat16>;
        case DType::Q4_0:
            return embedKernel<BlockQ4_0>;
        case DType::Q4_1:
            return embedKernel<BlockQ4_1>;
        case DType::Q5_0:
            return embedKernel<BlockQ5_0>;
        case DType::Q5_1:
            return embedKernel<BlockQ5_1>;
        case DType::Q8_0:
            return embedKernel<BlockQ8_0>;
        case DType::Q4_K:
            return embedKernel<BlockQ4_K>;
        case DType::Q5_K:
            return embedKernel<BlockQ5_K>;
        case DType::Q6_K:
            return embedKernel<BlockQ6_K>;
        default:
            return nullptr;
    }
}

}  // namespace

bool canEmbed(DType type) {
    return kernelOf(type) != nullptr;
}

Status embed(const EmbedArgs& args, Stream stream) {
    constexpr Status kInvalidValue = 1;  // cudaErrorInvalidValue
    const Kernel kernel = kernelOf(args.tableType);
    if (kernel == nullptr) return kInvalidValue;
    const auto columns = static_cast<unsigned>((args.dim + kEmbedThreads - 1) / kEmbedThreads);
    return launch(stream, {static_cast<unsigned>(args.tokenEnd - args.tokenBegin), columns},
                  {kEmbedThreads}, 0, kernel, args);
}

}  // namespace lanescope::kernels::cuda
