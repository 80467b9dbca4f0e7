// Attention, one row at a time in double: scores, maximum, exponentials, weighted sum. Both kinds
// are the same function here, as both must give the same result.

#include "kernels/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/reference/reference.h"

namespace lanescope::kernels::reference {
namespace {

/// Whether the query of a token sees the key at position p.
bool seen(const AttentionArgs& args, std::int64_t t, std::int64_t kvHead, std::int64_t p) {
    const std::int64_t position = args.positions[t];
    if (p > position) return false;
    if (args.window > 0 && position - p >= args.window && p >= args.sinks) return false;
    if (args.mask.words == nullptr) return true;
    const std::int64_t group = p / args.mask.groupTokens;
    const std::uint64_t word =
        args.mask.words[t * args.mask.tokenStride + kvHead * args.mask.headStride + group / 64];
    return (word >> (group % 64) & 1U) != 0;
}

void attendRow(const AttentionArgs& args, std::int64_t t, std::int64_t head) {
    const std::int64_t headDim = args.kv.headDim;
    const std::int64_t kvHead = head / (args.nHeads / args.kv.nKvHeads);
    const std::int64_t at = t * args.qStride + head * headDim;
    float* out = args.out + (t * args.nHeads + head) * headDim;
    const std::int64_t last = args.positions[t];

    std::vector<float> row(static_cast<std::size_t>(headDim));
    std::vector<std::pair<std::int64_t, double>> scores;  // position, score
    double best = -std::numeric_limits<double>::infinity();
    for (std::int64_t p = 0; p <= last; ++p) {
        if (!seen(args, t, kvHead, p)) continue;
        const float* q = (p < args.sinks && args.qSinks != nullptr ? args.qSinks : args.q) + at;
        loadKvRow(args.kv, KvPart::Keys, p, kvHead, last, row.data());
        double score = 0.0;
        for (std::int64_t i = 0; i < headDim; ++i) score += static_cast<double>(q[i]) * row[i];
        score *= args.scale;
        if (args.softcap > 0.0F) score = args.softcap * std::tanh(score / args.softcap);
        scores.emplace_back(p, score);
        best = std::fmax(best, score);
    }

    std::vector<double> sum(static_cast<std::size_t>(headDim), 0.0);
    double total = 0.0;
    for (const auto& [p, score] : scores) {
        const double weight = std::exp(score - best);
        total += weight;
        loadKvRow(args.kv, KvPart::Values, p, kvHead, last, row.data());
        for (std::int64_t i = 0; i < headDim; ++i) sum[i] += weight * row[i];
    }
    for (std::int64_t i = 0; i < headDim; ++i)
        out[i] = total > 0.0 ? static_cast<float>(sum[i] / total) : 0.0F;
    if (args.mass == nullptr || total <= 0.0) return;
    float* mass = args.mass + (t * args.kv.nKvHeads + kvHead) * args.massStride;
    std::vector<double> groups(static_cast<std::size_t>(last / args.massGroup + 1), 0.0);
    for (const auto& [p, score] : scores)
        groups[static_cast<std::size_t>(p / args.massGroup)] += std::exp(score - best) / total;
    for (std::size_t g = 0; g < groups.size(); ++g) mass[g] += static_cast<float>(groups[g]);
}

}  // namespace

void attention(const AttentionArgs& args) {
    const std::int64_t groupSize = args.nHeads / args.kv.nKvHeads;
    for (std::int64_t item = args.itemBegin; item < args.itemEnd; ++item) {
        const AttentionItem it = attentionItem(args, item);
        for (std::int64_t t = it.tokenBegin; t < it.tokenEnd; ++t) {
            if (args.mass != nullptr)
                std::fill_n(args.mass + (t * args.kv.nKvHeads + it.kvHead) * args.massStride,
                            std::max<std::int64_t>(args.positions[t] / args.massGroup + 1, 0),
                            0.0F);
            for (std::int64_t g = 0; g < groupSize; ++g)
                attendRow(args, t, it.kvHead * groupSize + g);
        }
    }
}

}  // namespace lanescope::kernels::reference
