// Attention on tensor cores in bf16.

#include "kernels/cuda/attention_half_launch.cuh"

namespace lanescope::kernels::cuda {

template Status attentionHalf<BFloat16>(const PagedAttentionArgs& args, Stream stream);

}  // namespace lanescope::kernels::cuda
