// Sizes that callers of attention need, the same for every instruction set.

#include "kernels/ops/attention.h"

namespace lanescope::kernels {
namespace {

constexpr std::int64_t roundUp(std::int64_t n, std::int64_t to) {
    return (n + to - 1) / to * to;
}

}  // namespace

std::int64_t attentionItems(const AttentionArgs& args) {
    return args.kv.nKvHeads * ((args.nTokens + kAttentionTile - 1) / kAttentionTile);
}

AttentionItem attentionItem(const AttentionArgs& args, std::int64_t item) {
    const std::int64_t nTiles = (args.nTokens + kAttentionTile - 1) / kAttentionTile;
    const std::int64_t rank = item / args.kv.nKvHeads;
    const std::int64_t tile = rank % 2 == 0 ? rank / 2 : nTiles - 1 - rank / 2;
    const std::int64_t begin = tile * kAttentionTile;
    const std::int64_t end = begin + kAttentionTile;
    return {item % args.kv.nKvHeads, begin, end < args.nTokens ? end : args.nTokens};
}

std::int64_t attentionStretches(const AttentionArgs& args) {
    return args.positions[args.nTokens - 1] / kAttentionStretch + 1;
}

std::int64_t attentionPartialFloats(std::int64_t nRows, std::int64_t headDim) {
    // Accumulators, then maximum and sum of every row.
    return roundUp(nRows * (roundUp(headDim, 16) + 2), 16);
}

std::int64_t attentionScratchFloats(AttentionKind kind, std::int64_t nHeads, std::int64_t nKvHeads,
                                    std::int64_t headDim, std::int64_t maxContext) {
    const std::int64_t rows = roundUp(nHeads / nKvHeads * kAttentionTile, 8);
    const std::int64_t dim = roundUp(headDim, 16);
    // Queries (two sets) and scores of one key tile; sums of the present and of all earlier
    // stretches; keys and values of one tile; slack for alignment. See cpu/avx2_attention.cpp.
    const std::int64_t tile = rows * (2 * dim + kAttentionKeyTile) +
                              2 * attentionPartialFloats(rows, headDim) +
                              2 * kAttentionKeyTile * dim + 64;
    if (kind == AttentionKind::Flash) return tile;
    return tile + rows * roundUp(maxContext, kAttentionKeyTile);
}

}  // namespace lanescope::kernels
