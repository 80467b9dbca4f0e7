// Attention, one row at a time in double: scores, maximum, exponentials, weighted sum. Both kinds
// are the same function here, as both must give the same result.

#include "kernels/ops/attention.h"

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/reference/reference.h"

namespace lanescope::kernels::reference {
namespace {

/// Reads head h of position p as f32.
void loadHead(const PagedKv& kv, const void* base, std::int64_t p, std::int64_t h, float* out) {
    const std::int64_t block = kv.blockTable[p / kv.blockTokens];
    const std::int64_t row = (block * kv.nKvHeads + h) * kv.blockTokens + p % kv.blockTokens;
    dequantiseRow(kv.dtype, static_cast<const char*>(base) + row * rowBytes(kv.dtype, kv.headDim),
                  out, kv.headDim);
}

void attendRow(const AttentionArgs& args, std::int64_t t, std::int64_t head) {
    const std::int64_t headDim = args.kv.headDim;
    const std::int64_t kvHead = head / (args.nHeads / args.kv.nKvHeads);
    const float* q = args.q + t * args.qStride + head * headDim;
    float* out = args.out + (t * args.nHeads + head) * headDim;
    const std::int64_t last = args.positions[t];
    const std::int64_t first =
        args.window > 0 && last - args.window + 1 > 0 ? last - args.window + 1 : 0;

    std::vector<float> row(static_cast<std::size_t>(headDim));
    std::vector<double> scores;
    double best = -std::numeric_limits<double>::infinity();
    for (std::int64_t p = first; p <= last; ++p) {
        loadHead(args.kv, args.kv.k, p, kvHead, row.data());
        double score = 0.0;
        for (std::int64_t i = 0; i < headDim; ++i) score += static_cast<double>(q[i]) * row[i];
        score *= args.scale;
        if (args.softcap > 0.0F) score = args.softcap * std::tanh(score / args.softcap);
        scores.push_back(score);
        best = std::fmax(best, score);
    }

    std::vector<double> sum(static_cast<std::size_t>(headDim), 0.0);
    double total = 0.0;
    for (std::int64_t p = first; p <= last; ++p) {
        const double weight = std::exp(scores[static_cast<std::size_t>(p - first)] - best);
        total += weight;
        loadHead(args.kv, args.kv.v, p, kvHead, row.data());
        for (std::int64_t i = 0; i < headDim; ++i) sum[i] += weight * row[i];
    }
    for (std::int64_t i = 0; i < headDim; ++i)
        out[i] = total > 0.0 ? static_cast<float>(sum[i] / total) : 0.0F;
}

}  // namespace

void attention(const AttentionArgs& args) {
    const std::int64_t groupSize = args.nHeads / args.kv.nKvHeads;
    for (std::int64_t item = args.itemBegin; item < args.itemEnd; ++item) {
        const AttentionItem it = attentionItem(args, item);
        for (std::int64_t t = it.tokenBegin; t < it.tokenEnd; ++t)
            for (std::int64_t g = 0; g < groupSize; ++g)
                attendRow(args, t, it.kvHead * groupSize + g);
    }
}

}  // namespace lanescope::kernels::reference
