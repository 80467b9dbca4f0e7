// Bits of the blocks that tokens may look at.

#include "kernels/cuda/kv_select.cuh"

#include <algorithm>

#include "kernels/cuda/launch.h"

namespace lanescope::kernels::cuda {

Status keyBlocks(const KeyBlocksArgs& args, Stream stream) {
    return launch(stream, {static_cast<unsigned>(args.nTokens)}, {kSelectThreads}, 0,
                  keyBlocksKernel, args);
}

Status kvSelect(const PagedSelectArgs& args, Stream stream) {
    for (std::int64_t first = 0; first < args.nTokens; first += kSelectTokens) {
        const std::int64_t n = std::min(kSelectTokens, args.nTokens - first);
        const Status status =
            launch(stream, {static_cast<unsigned>(n), static_cast<unsigned>(args.kv.nKvHeads)},
                   {kSelectThreads}, 0, kvSelectKernel, args, first);
        if (status != kSuccess) return status;
    }
    return kSuccess;
}

}  // namespace lanescope::kernels::cuda
