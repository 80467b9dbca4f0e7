// Attention: in f32 here, on tensor cores in attention_f16.cu and attention_bf16.cu.

#include <algorithm>

#include "kernels/cuda/attention_combine.cuh"
#include "kernels/cuda/attention_f32.cuh"
#include "kernels/cuda/attention_launch.h"

namespace lanescope::kernels::cuda {
namespace {

constexpr Status kInvalidValue = 1;  // cudaErrorInvalidValue
constexpr std::int64_t kMaxHeadDim = 256;

template <int kPerLane>
Status f32Of(const PagedAttentionArgs& args, Stream stream) {
    return launch(stream, attentionGrid(args, kF32Rows), {kAttentionThreads},
                  kF32SharedFloats<kPerLane * kWarp> * sizeof(float), attentionF32Kernel<kPerLane>,
                  args, kvSlices(args.kv, KvFormat::F32));
}

Status attentionF32(const PagedAttentionArgs& args, Stream stream) {
    if (args.kv.headDim <= 32) return f32Of<1>(args, stream);
    if (args.kv.headDim <= 64) return f32Of<2>(args, stream);
    if (args.kv.headDim <= 96) return f32Of<3>(args, stream);
    if (args.kv.headDim <= 128) return f32Of<4>(args, stream);
    return f32Of<8>(args, stream);
}

Status combine(const PagedAttentionArgs& args, Stream stream) {
    const Extent grid{static_cast<unsigned>(args.nTiles), static_cast<unsigned>(args.nHeads)};
    const auto kernel =
        args.kv.headDim <= 128 ? attentionCombineKernel<4> : attentionCombineKernel<8>;
    return launch(stream, grid, {kAttentionThreads}, 0, kernel, args);
}

}  // namespace

Extent attentionGrid(const PagedAttentionArgs& args, int rowsPerBlock) {
    const std::int64_t rows =
        std::min(args.nTokens, kAttentionTile) * (args.nHeads / args.kv.nKvHeads);
    const std::int64_t blocks = (rows + rowsPerBlock - 1) / rowsPerBlock;
    return {static_cast<unsigned>(args.nTiles), static_cast<unsigned>(args.kv.nKvHeads),
            static_cast<unsigned>(blocks * args.nSplits)};
}

bool canAttend(std::int64_t headDim) {
    return headDim > 0 && headDim <= kMaxHeadDim && headDim % 8 == 0;
}

Status attention(const PagedAttentionArgs& args, Stream stream) {
    if (!canAttend(args.kv.headDim)) return kInvalidValue;
    const auto has = [&args](KvFormat format) {
        return args.kv.kFormat == format || args.kv.vFormat == format;
    };
    const Status status = has(KvFormat::F32)    ? attentionF32(args, stream)
                          : has(KvFormat::BF16) ? attentionHalf<BFloat16>(args, stream)
                                                : attentionHalf<Half>(args, stream);
    if (status != kSuccess || args.nSplits == 1) return status;
    return combine(args, stream);
}

}  // namespace lanescope::kernels::cuda
