// Coding of whole blocks of keys, and their bounds.

#include "kernels/cuda/kv_seal.cuh"

#include "kernels/cuda/launch.h"

namespace lanescope::kernels::cuda {

Status kvSeal(const PagedSealArgs& args, Stream stream) {
    if (args.kv.kFormat != KvFormat::Int4 && args.kv.bounds == nullptr) return kSuccess;
    return launch(stream,
                  {static_cast<unsigned>(args.nTokens), static_cast<unsigned>(args.kv.nKvHeads)},
                  {kSealThreads}, 0, kvSealKernel, args, kvSlices(args.kv));
}

}  // namespace lanescope::kernels::cuda
