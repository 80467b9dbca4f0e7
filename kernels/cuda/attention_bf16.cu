// Attention over bf16 caches on tensor cores.

#include "kernels/cuda/attention_half_launch.cuh"

namespace lanescope::kernels::cuda {

template Status attentionHalf<BFloat16>(const PagedAttentionArgs& args, Stream stream);

}  // namespace lanescope::kernels::cuda
