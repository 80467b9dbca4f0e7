#pragma once
// The launches that attention() is made of; attention.cu chooses.

#include "kernels/cuda/language/floats.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/ops.h"

namespace lanescope::kernels::cuda {

/// Tiles, KV heads, splits · blocks of the rows of the largest tile there may be.
Extent attentionGrid(const PagedAttentionArgs& args, int rowsPerBlock);

/// Computed in T (Half, BFloat16), whatever the cache has; the sums of splits are not combined yet.
template <class T>
Status attentionHalf(const PagedAttentionArgs& args, Stream stream);

extern template Status attentionHalf<Half>(const PagedAttentionArgs& args, Stream stream);
extern template Status attentionHalf<BFloat16>(const PagedAttentionArgs& args, Stream stream);

}  // namespace lanescope::kernels::cuda
