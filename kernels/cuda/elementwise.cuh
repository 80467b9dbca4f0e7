#pragma once
// Gated activations, residual add, soft-cap, rounding to int8 and to 16 bits: a thread an element
// (of 16 bits two), 256 columns of a token a block. Bound by memory.

#include "kernels/cuda/ops.h"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/simt.h"

namespace lanescope::kernels::cuda {

inline constexpr int kElementThreads = 256;

template <Activation kKind>
SIMT_DEVICE float activated(float x) {
    if constexpr (kKind == Activation::GeluErf) {
        return 0.5F * x * (1.0F + erff(x * 0.70710678118654752F));
    } else if constexpr (kKind == Activation::GeluTanh) {
        // (1 + tanh u) / 2 = 1 / (1 + e^-2u): nothing cancels where u is far below zero.
        const float u = 0.79788456080286536F * (x + 0.044715F * x * x * x);
        return x / (1.0F + expf(-2.0F * u));
    } else {
        return x / (1.0F + expf(-x));
    }
}

/// Column of this thread, and token. A warp's columns are a block of the int8 format.
SIMT_DEVICE std::int64_t columnOf() {
    return static_cast<std::int64_t>(blockY()) * kElementThreads + threadX();
}

template <Activation kKind>
SIMT_KERNEL(kElementThreads)
void activateKernel(ActivateQ8Args all) {
    const ActivateArgs& args = all.args;
    const std::int64_t i = columnOf();
    const std::int64_t row = args.tokenBegin + blockX();
    if (i >= args.dim) return;
    float value = activated<kKind>(args.gate[row * args.gateStride + i]);
    if (args.up != nullptr) value *= args.up[row * args.upStride + i];
    if (args.y != nullptr) args.y[row * args.dim + i] = value;
    // dim is a multiple of 32 here, so whole warps have left or none of their lanes.
    if (all.out.q != nullptr)
        quantise32(value, all.out, all.rest, (row * args.dim + i) / kActsBlock);
}

SIMT_KERNEL(kElementThreads) void quantiseActsKernel(QuantiseActsArgs args) {
    const std::int64_t i = columnOf();
    if (i >= args.nCols) return;
    const std::int64_t at = (args.tokenBegin + blockX()) * args.nCols + i;
    quantise32(args.x[at], args.out, args.rest, at / kActsBlock);
}

/// Elements 2i and 2i + 1 by thread i of the grid, a word each thread.
template <class T>
SIMT_KERNEL(kElementThreads)
void roundActsKernel(RoundActsArgs args) {
    const std::int64_t i = 2 * (static_cast<std::int64_t>(blockX()) * kElementThreads + threadX());
    if (i >= args.n) return;
    T* out = static_cast<T*>(args.out);
    if (i + 1 < args.n)
        store(reinterpret_cast<std::uint32_t*>(out + i), packPair<T>(args.x[i], args.x[i + 1]));
    else
        out[i] = fromFloat<T>(args.x[i]);
}

SIMT_KERNEL(kElementThreads) void addKernel(AddArgs args) {
    const std::int64_t i = columnOf();
    if (i >= args.dim) return;
    const std::int64_t at = (args.tokenBegin + blockX()) * args.dim + i;
    args.x[at] = fusedMultiplyAdd(args.scale, args.delta[at], args.x[at]);
}

SIMT_KERNEL(kElementThreads) void softcapKernel(SoftcapArgs args) {
    const std::int64_t i = columnOf();
    if (i >= args.dim) return;
    const std::int64_t at = (args.tokenBegin + blockX()) * args.dim + i;
    args.x[at] = args.cap * tanhf(args.x[at] / args.cap);
}

}  // namespace lanescope::kernels::cuda
