// Rotary embedding and cache writes.

#include "kernels/cuda/rope.cuh"

#include "kernels/cuda/launch.h"

namespace lanescope::kernels::cuda {
namespace {

unsigned headBlocks(std::int64_t nHeads) {
    return static_cast<unsigned>((nHeads + kRopeHeads - 1) / kRopeHeads);
}

std::size_t tableBytes(const RopeArgs& args) {
    return static_cast<std::size_t>(args.rotaryDim / 2) * sizeof(Float2);
}

template <class T>
Status ropeKvOf(const RopeKvArgs& args, Stream stream) {
    const auto nTokens = static_cast<unsigned>(args.q.tokenEnd - args.q.tokenBegin);
    const unsigned qBlocks = headBlocks(args.q.nHeads);
    return launch(stream, {nTokens, qBlocks + headBlocks(args.k.nHeads)}, {kRopeThreads},
                  tableBytes(args.q), ropeKvKernel<T>, args, static_cast<int>(qBlocks));
}

template <class T>
Status kvWriteOf(const KvWriteArgs& args, Stream stream) {
    const auto nTokens = static_cast<unsigned>(args.tokenEnd - args.tokenBegin);
    return launch(stream, {nTokens, headBlocks(args.kv.nKvHeads)}, {kRopeThreads}, 0,
                  kvWriteKernel<T>, args);
}

}  // namespace

Status rope(const RopeArgs& args, Stream stream) {
    if (args.rotaryDim == 0) return kSuccess;
    const auto nTokens = static_cast<unsigned>(args.tokenEnd - args.tokenBegin);
    return launch(stream, {nTokens, headBlocks(args.nHeads)}, {kRopeThreads}, tableBytes(args),
                  ropeKernel, args);
}

Status kvWrite(const KvWriteArgs& args, Stream stream) {
    switch (args.kv.kFormat) {
        case KvFormat::F16:
            return kvWriteOf<Half>(args, stream);
        case KvFormat::BF16:
            return kvWriteOf<BFloat16>(args, stream);
        default:
            return kvWriteOf<float>(args, stream);
    }
}

Status ropeKv(const RopeKvArgs& args, Stream stream) {
    switch (args.kv.kv.kFormat) {
        case KvFormat::F16:
            return ropeKvOf<Half>(args, stream);
        case KvFormat::BF16:
            return ropeKvOf<BFloat16>(args, stream);
        default:
            return ropeKvOf<float>(args, stream);
    }
}

}  // namespace lanescope::kernels::cuda
