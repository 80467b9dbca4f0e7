// Attention on tensor cores in f16.

#include "kernels/cuda/attention_half_launch.cuh"

namespace lanescope::kernels::cuda {

template Status attentionHalf<Half>(const PagedAttentionArgs& args, Stream stream);

}  // namespace lanescope::kernels::cuda
