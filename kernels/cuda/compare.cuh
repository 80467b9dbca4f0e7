#pragma once
// Divergence, agreement and Δp of two rows of logits (ops.h, CompareArgs), one block a row
// (vocab_row.cuh), three sweeps. With the differences d = (y - max y) - (x - max x) and weights
// e^(y - max y) of the reference y,  KL = Σ e·d / Σ e - log Σ e + log Σ e^(x - max x): small
// differences stay small, so f32 does for them. Bound by latency.

#include "kernels/cuda/sample.cuh"

namespace lanescope::kernels::cuda {

/// log softmax at an id.
SIMT_DEVICE double logProbabilityAt(const float* logits, std::int64_t id, float maximum,
                                    double sum) {
    return static_cast<double>(logits[id]) - static_cast<double>(maximum) - log(sum);
}

SIMT_KERNEL(kVocabThreads) void compareKernel(CompareArgs args) {
    const float* x = args.logits + blockX() * args.stride;
    const float* y = args.reference + blockX() * args.referenceStride;
    const RankKey bestX = scanLogits(x, args.vocab).best;
    const RankKey bestY = scanLogits(y, args.vocab).best;
    const float maxX = logitOf(bestX);
    const float maxY = logitOf(bestY);
    CompensatedSum ownX;
    CompensatedSum ownY;
    CompensatedSum ownProduct;
    for (std::int64_t id = threadX(); id < args.vocab; id += kVocabThreads) {
        const float shiftedX = x[id] - maxX;
        const float shiftedY = y[id] - maxY;
        const float e = expNegative(shiftedY);
        ownX.add(expNegative(shiftedX));
        ownY.add(e);
        ownProduct.add(e * (shiftedY - shiftedX));
    }
    const double sumX = blockTotal(ownX.value());
    const double sumY = blockTotal(ownY.value());
    const double product = blockTotal(ownProduct.value());
    if (threadX() != 0) return;
    CompareArgs::Row row;
    row.divergence = static_cast<float>(fmax(0.0, product / sumY - log(sumY) + log(sumX)));
    row.best = idOf(bestX);
    row.referenceBest = idOf(bestY);
    if (args.next != nullptr) {
        const double of = logProbabilityAt(x, args.next[blockX()], maxX, sumX);
        const double reference = logProbabilityAt(y, args.next[blockX()], maxY, sumY);
        row.logProbability = static_cast<float>(of);
        row.referenceLogProbability = static_cast<float>(reference);
        row.deltaP = static_cast<float>(exp(of) - exp(reference));
    }
    args.out[blockX()] = row;
}

}  // namespace lanescope::kernels::cuda
