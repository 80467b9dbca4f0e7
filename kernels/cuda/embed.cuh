#pragma once
// Gather of embedding rows from a table in its stored format: a thread an element, 256 columns of a
// token a block. A few rows a step: bound by latency, so nothing is shared.

#include "kernels/cuda/decode.cuh"
#include "kernels/cuda/simt.h"
#include "kernels/ops/elementwise.h"

namespace lanescope::kernels::cuda {

inline constexpr int kEmbedThreads = 256;

/// T: element or block type of the table. Plain elements are aligned to their size.
template <class T>
SIMT_KERNEL(kEmbedThreads)
void embedKernel(EmbedArgs args) {
    const std::int64_t i = static_cast<std::int64_t>(blockY()) * kEmbedThreads + threadX();
    if (i >= args.dim) return;
    const std::int64_t token = args.tokenBegin + blockX();
    const T* row = static_cast<const T*>(args.table) + args.ids[token] * (args.dim / kElements<T>);
    const float value = decode(row[i / kElements<T>], static_cast<int>(i % kElements<T>));
    args.y[token * args.dim + i] = value * args.scale;
}

}  // namespace lanescope::kernels::cuda
