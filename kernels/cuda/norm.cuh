#pragma once
// RMSNorm and LayerNorm with the residual add before and the int8 rounding after (ops.h, NormArgs).
// One block a token; thread t has columns t, t + nThreads, …, in every pass the same ones, so that
// what it wrote in one pass it may read in the next without a barrier. Warp w's 32 columns are a
// block of the int8 format. Bound by memory (prefill) or by latency (one token).

#include "kernels/cuda/ops.h"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/simt.h"

namespace lanescope::kernels::cuda {

inline constexpr int kNormThreads = 256;

template <NormKind kKind>
SIMT_KERNEL(kNormThreads)
void normKernel(NormArgs args) {
    const std::int64_t dim = args.dim;
    const std::int64_t row = args.tokenBegin + blockX();
    const int nThreads = blockSizeX();
    const float* x = args.x + row * dim;

    float sum = 0.0F;  // of values (Layer) or of squares (Rms)
    float* added = nullptr;
    if (args.delta != nullptr) {
        added = args.sum + row * dim;
        const float* delta = args.delta + row * dim;
        for (std::int64_t i = threadX(); i < dim; i += nThreads) {
            const float value = fusedMultiplyAdd(args.deltaScale, delta[i], x[i]);
            added[i] = value;
            sum += kKind == NormKind::Rms ? value * value : value;
        }
        x = added;
    } else {
        for (std::int64_t i = threadX(); i < dim; i += nThreads)
            sum += kKind == NormKind::Rms ? x[i] * x[i] : x[i];
    }
    const auto n = static_cast<float>(dim);
    float mean = 0.0F;
    float squares = 0.0F;
    if constexpr (kKind == NormKind::Rms) {
        squares = blockSum(sum);
    } else {
        mean = blockSum(sum) / n;
        float own = 0.0F;
        for (std::int64_t i = threadX(); i < dim; i += nThreads) {
            const float d = x[i] - mean;
            own += d * d;
        }
        squares = blockSum(own);
    }
    const float scale = 1.0F / sqrtf(squares / n + args.eps);

    float* y = args.y != nullptr ? args.y + row * dim : nullptr;
    for (std::int64_t i = threadX(); i < dim; i += nThreads) {
        float value = (x[i] - mean) * scale * args.weight[i];
        if (args.bias != nullptr) value += args.bias[i];
        if (y != nullptr) y[i] = value;
        // dim is a multiple of 32 here, so a warp's lanes come together or not at all.
        if (args.out.q != nullptr)
            quantise32(value, args.out, args.rest, (row * dim + i) / kActsBlock);
    }
}

}  // namespace lanescope::kernels::cuda
