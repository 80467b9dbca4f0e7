// RMSNorm and LayerNorm.

#include "kernels/cuda/norm.cuh"

#include <algorithm>

#include "kernels/cuda/launch.h"

namespace lanescope::kernels::cuda {

Status norm(const NormArgs& args, Stream stream) {
    if (args.dim == 0) return kSuccess;
    const auto nTokens = static_cast<unsigned>(args.tokenEnd - args.tokenBegin);
    const auto warps = static_cast<unsigned>((args.dim + kWarp - 1) / kWarp);
    const Extent block{std::min(warps * kWarp, static_cast<unsigned>(kNormThreads))};
    return args.kind == NormKind::Rms
               ? launch(stream, {nTokens}, block, 0, normKernel<NormKind::Rms>, args)
               : launch(stream, {nTokens}, block, 0, normKernel<NormKind::Layer>, args);
}

}  // namespace lanescope::kernels::cuda
