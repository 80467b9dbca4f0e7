#pragma once
// The sums of a row's stretches, which several blocks left in `partial`, become the row of `out`:
// the same fold in the same order as where one block has all stretches. A block has a tile and a
// head, a warp every fourth token of it, a lane columns lane, lane + 32, …. Bound by latency.

#include "kernels/cuda/attention_tile.cuh"

namespace lanescope::kernels::cuda {

/// headDim is at most 32 kPerLane.
template <int kPerLane>
SIMT_KERNEL(kAttentionThreads)
void attentionCombineKernel(PagedAttentionArgs args) {
    const AttentionTile tile = args.tiles[blockX()];
    const auto headDim = static_cast<int>(args.kv.headDim);
    const int lastSplit = static_cast<int>(args.nSplits) - 1;
    if (tile.nTokens == 0) return;
    // The tile's last stretch has the sinks.
    const int lastStretch =
        stretchOf(larger(args.positions[tile.tokenBegin + tile.nTokens - 1], 0));
    for (int t = warpId(); t < tile.nTokens; t += kAttentionThreads / kWarp) {
        const std::int64_t token = tile.tokenBegin + t;
        const KeyRange keys = keysSeen(args, args.positions[token]);
        const int first = smaller(smaller(stretchOf(keys.first), lastStretch), lastSplit);
        RunningSum sum;
        float values[kPerLane] = {};
        int split = keys.last < 0 ? -1 : smaller(lastStretch, lastSplit);
        for (; split >= first; --split) {
            const float* sums = sumsAt(args, token, blockY(), split);
            const FoldFactors f = fold(sum, sums[headDim], sums[headDim + 1]);
            for (int i = 0; i < kPerLane; ++i) {
                const int column = i * kWarp + laneId();
                if (column < headDim) values[i] = folded(f, values[i], sums[column]);
            }
        }
        float* out = args.out + (token * args.nHeads + blockY()) * headDim;
        const float weight = weightOf(sum);
        for (int i = 0; i < kPerLane; ++i) {
            const int column = i * kWarp + laneId();
            if (column < headDim) out[column] = finished(values[i], weight);
        }
    }
}

}  // namespace lanescope::kernels::cuda
