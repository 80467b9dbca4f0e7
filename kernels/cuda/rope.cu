// Rotary embedding and cache writes.

#include "kernels/cuda/rope.cuh"

#include <cmath>

#include "kernels/cuda/launch.h"

namespace lanescope::kernels::cuda {
namespace {

float turnScale(std::int64_t headDim) {
    return 1.0F / std::sqrt(static_cast<float>(headDim & -headDim));
}

unsigned headBlocks(std::int64_t nHeads) {
    return static_cast<unsigned>((nHeads + kRopeHeads - 1) / kRopeHeads);
}

std::size_t tableBytes(const RopeArgs& args) {
    return static_cast<std::size_t>(args.rotaryDim / 2) * sizeof(Float2);
}

}  // namespace

Status rope(const RopeArgs& args, Stream stream) {
    if (args.rotaryDim == 0) return kSuccess;
    const auto nTokens = static_cast<unsigned>(args.tokenEnd - args.tokenBegin);
    return launch(stream, {nTokens, headBlocks(args.nHeads)}, {kRopeThreads}, tableBytes(args),
                  ropeKernel, args);
}

Status kvWrite(const KvWriteArgs& args, Stream stream) {
    const auto nTokens = static_cast<unsigned>(args.tokenEnd - args.tokenBegin);
    return launch(stream, {nTokens, headBlocks(args.kv.nKvHeads)}, {kRopeThreads}, 0, kvWriteKernel,
                  args, kvSlices(args.kv));
}

Status ropeKv(const RopeKvArgs& args, Stream stream) {
    const auto nTokens = static_cast<unsigned>(args.q.tokenEnd - args.q.tokenBegin);
    const unsigned qBlocks = headBlocks(args.q.nHeads);
    return launch(stream, {nTokens, qBlocks + headBlocks(args.k.nHeads)}, {kRopeThreads},
                  tableBytes(args.q), ropeKvKernel, args, kvSlices(args.kv.kv),
                  static_cast<int>(qBlocks),
                  args.turnedV != nullptr ? turnScale(args.k.headDim) : 0.0F);
}

Status hadamard(const HadamardArgs& args, Stream stream) {
    constexpr std::int64_t kHeads = kHadamardThreads / kWarp;
    const auto nTokens = static_cast<unsigned>(args.tokenEnd - args.tokenBegin);
    return launch(stream, {nTokens, static_cast<unsigned>((args.nHeads + kHeads - 1) / kHeads)},
                  {kHadamardThreads}, 0, hadamardKernel, args, turnScale(args.headDim));
}

}  // namespace lanescope::kernels::cuda
