#pragma once
// int8 product of few tokens: y[t, r] = Σ W[r] · x[t], bound by reading W once.
// A warp has four rows, eight lanes each; lane s of a row takes blocks s, s + 8, … (one run of 256
// columns at a time), decodes 32 weights in registers and meets each token's 32 bytes with dp4a.
// The activations are read by all rows, from L1. A block is four warps; no shared memory.
// Beyond four tokens gemm_int8.cuh wins: its tensor cores take eight in one instruction, and the
// loads of activations, which grow with the tokens here, are shared.

#include "kernels/cuda/matmul_int8.cuh"

namespace lanescope::kernels::cuda {

inline constexpr int kGemvRows = kGemvThreads / kSlices;

/// Token t's block b of a term.
SIMT_DEVICE ActsScale actsScale(const ActsQ8& acts, std::int64_t block) {
    return {loadConstant<float>(acts.scale + block),
            loadConstant<std::uint32_t>(acts.sum16 + 2 * block)};
}

template <PanelKind kKind>
SIMT_DEVICE std::int32_t dotWord(std::uint32_t w, std::uint32_t x, std::int32_t sum) {
    if constexpr (kKind == PanelKind::Signed8)
        return dot4(w, x, sum);
    else
        return dot4UnsignedSigned(w, x, sum);
}

template <class Block, int kTokens>
SIMT_KERNEL(kGemvThreads)
void gemvInt8Kernel(Product args) {
    using Code = Coder<Block>;
    constexpr PanelKind kKind = Code::kKind;
    const int slice = threadX() % kSlices;
    const int row = blockX() * kGemvRows + threadX() / kSlices;
    const int nBlocks = static_cast<int>(args.nCols / kActsBlock);
    const std::uint8_t* at =
        args.weight + atMost(row, args.nRows - 1) * args.rowBytes + Code::place(slice);

    float sums[kTokens] = {};
    // A single token leaves registers for the loads of several blocks at once.
#pragma unroll(kTokens == 1 ? 4 : 1)
    for (int b = slice; b < nBlocks; b += kSlices) {
        const Reader<GlobalMemory, Code::kShifts> run(at);
        std::uint32_t w[8];
        Code::all(run, slice, w);
        const Scales scales = Code::scales(run, slice);
        at += Code::kRunBytes;
#pragma unroll
        for (int t = 0; t < kTokens; ++t) {
            const int token = atMost(t, args.nTokens - 1);
#pragma unroll
            for (int term = 0; term < 2; ++term) {
                if (term >= args.nTerms) break;
                const ActsQ8& acts = args.terms[term];
                const std::int64_t i = token * nBlocks + b;
                const ActsScale x = actsScale(acts, i);
                const DotStart start = dotStart<kKind>(x.sums);
                std::int32_t first = start.first;
                std::int32_t second = start.second;
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    std::int32_t& sum = kHasHalves<kKind> && half == 1 ? second : first;
                    const auto q = loadConstant<Uint4>(acts.q + i * kActsBlock + 16 * half);
                    sum = dotWord<kKind>(w[4 * half], q.x, sum);
                    sum = dotWord<kKind>(w[4 * half + 1], q.y, sum);
                    sum = dotWord<kKind>(w[4 * half + 2], q.z, sum);
                    sum = dotWord<kKind>(w[4 * half + 3], q.w, sum);
                }
                sums[t] = addBlock<kKind>(sums[t], first, second, scales, x);
            }
        }
    }
#pragma unroll
    for (int t = 0; t < kTokens; ++t) {
        const float sum = warpSum<kSlices>(sums[t]);
        if (slice == t) finish(args, row, t, sum);
    }
}

}  // namespace lanescope::kernels::cuda
