#pragma once
// Which instantiation of the tensor-core kernel a head size takes. Included by one .cu for each
// type.

#include <type_traits>

#include "kernels/cuda/attention_half.cuh"
#include "kernels/cuda/attention_launch.h"

namespace lanescope::kernels::cuda {

template <class T, int kDim>
Status attentionHalfOf(const PagedAttentionArgs& args, Stream stream) {
    return launch(stream, attentionGrid(args, kHalfRows), {kAttentionThreads},
                  kHalfSharedBytes<kDim>, attentionHalfKernel<T, kDim>, args,
                  kvSlices(args.kv, std::is_same_v<T, Half> ? KvFormat::F16 : KvFormat::BF16));
}

template <class T>
Status attentionHalf(const PagedAttentionArgs& args, Stream stream) {
    const std::int64_t headDim = args.kv.headDim;
    if (headDim <= 16) return attentionHalfOf<T, 16>(args, stream);
    if (headDim <= 32) return attentionHalfOf<T, 32>(args, stream);
    if (headDim <= 64) return attentionHalfOf<T, 64>(args, stream);
    if (headDim <= 80) return attentionHalfOf<T, 80>(args, stream);
    if (headDim <= 96) return attentionHalfOf<T, 96>(args, stream);
    if (headDim <= 128) return attentionHalfOf<T, 128>(args, stream);
    return attentionHalfOf<T, 256>(args, stream);
}

}  // namespace lanescope::kernels::cuda
