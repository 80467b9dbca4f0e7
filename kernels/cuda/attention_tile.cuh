#pragma once
// What the attention kernels share (ops.h, PagedAttentionArgs): which rows and keys a block has,
// and how the sums of stretches become one. Pages: attention_pages.cuh.
//
// A block has the heads of one KV head for a tile of tokens: row r of the tile is token r /
// groupSize, head r % groupSize of the group; blocks of a tile share its rows out, kRows each.
// Blocks beside it have other stretches of keys (`split`). Inside a stretch keys go up, tile by
// tile; stretches are folded from the last to the first, and the last split has all stretches that
// got no block of their own, so that the order of a row's additions is the same for every number of
// splits. Keys that a row does not see have weight 0 and leave its sums as they are, so the rows
// beside it do not matter. Sinks (keys [0, sinks) seen beside a window, by queries of their own)
// are a stretch of their own, walked before all others by the block that has the last one.

#include "kernels/cuda/kv_rows.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/simt.h"

namespace lanescope::kernels::cuda {

inline constexpr int kAttentionThreads = 128;
inline constexpr float kLog2e = 1.44269504F;
inline constexpr float kMinusInf = -__builtin_inff();

/// Positions [first, last] of keys; none where first > last.
struct KeyRange {
    int first, last;
};

SIMT_DEVICE int smaller(int a, int b) {
    return a < b ? a : b;
}
SIMT_DEVICE int larger(int a, int b) {
    return a > b ? a : b;
}

/// The keys behind the sinks that a query at `position` sees, a mask aside.
SIMT_DEVICE KeyRange keysSeen(const PagedAttentionArgs& args, int position) {
    const std::int64_t start = args.window > 0 ? position + 1 - args.window : 0;
    return {larger(start > 0 ? static_cast<int>(start) : 0, static_cast<int>(args.sinks)),
            position};
}

SIMT_DEVICE int stretchOf(int position) {
    return position / static_cast<int>(kAttentionStretch);
}

/// A block's share.
struct AttentionWork {
    const std::int32_t* pages;  ///< the sequence's block table
    int kvHead, split;
    int tokenBegin;
    int groupSize;
    int rowBegin, nRows;           ///< rows of the tile: [rowBegin, rowBegin + nRows)
    KeyRange keys;                 ///< that any row of the tile sees, in this block's stretches
    int firstStretch, endStretch;  ///< none where equal
    int sinkKeys;                  ///< keys [0, sinkKeys) come first; 0: not in this block
    /// Keys from here on are read as they are (PagedKv::tail), out of `tail`; after all: none.
    int tailBegin;
    const unsigned char* tail;  ///< the KV head's, [blockTokens, headDim] f16
};

/// The tokens of a tile see the keys of their own block as they are where keys are coded a block at
/// a time. All are of one block then.
SIMT_DEVICE void findTail(const PagedAttentionArgs& args, AttentionWork& w, int sequence,
                          int position) {
    w.tailBegin = 0x7FFFFFFF;
    if (args.kv.kFormat != KvFormat::Int4 || position < 0) return;
    const int block = position / static_cast<int>(args.kv.blockTokens);
    w.tailBegin = block * static_cast<int>(args.kv.blockTokens);
    w.tail = tailAt(args.kv, args.tables.tails[sequence * args.tables.stride + block], w.kvHead);
}

/// Grid: tiles, KV heads, splits · blocks of kRows rows.
template <int kRows>
SIMT_DEVICE AttentionWork attentionWork(const PagedAttentionArgs& args) {
    AttentionWork w{};
    const AttentionTile tile = args.tiles[blockX()];
    const int nSplits = static_cast<int>(args.nSplits);
    w.kvHead = blockY();
    w.split = blockZ() % nSplits;
    w.tokenBegin = tile.tokenBegin;
    w.groupSize = static_cast<int>(args.nHeads / args.kv.nKvHeads);
    w.rowBegin = blockZ() / nSplits * kRows;
    w.nRows = smaller(kRows, tile.nTokens * w.groupSize - w.rowBegin);
    if (w.nRows <= 0) return w;
    const int sequence = args.tables.ofToken != nullptr ? args.tables.ofToken[tile.tokenBegin] : 0;
    w.pages = args.tables.blocks + sequence * args.tables.stride;
    findTail(args, w, sequence, args.positions[tile.tokenBegin]);
    w.keys = {keysSeen(args, args.positions[tile.tokenBegin]).first,
              args.positions[tile.tokenBegin + tile.nTokens - 1]};
    if (w.keys.last < 0) return w;
    const int lastStretch = stretchOf(w.keys.last);
    w.firstStretch = larger(smaller(stretchOf(w.keys.first), lastStretch), w.split);
    w.endStretch = lastStretch + 1;
    if (w.split + 1 < nSplits) w.endStretch = smaller(w.endStretch, w.split + 1);
    w.endStretch = larger(w.endStretch, w.firstStretch);
    if (w.firstStretch < w.endStretch && w.endStretch == lastStretch + 1)
        w.sinkKeys = smaller(static_cast<int>(args.sinks), w.keys.last + 1);
    return w;
}

/// Whether a block may leave at once: nothing to sum up, and no zeros to write.
SIMT_DEVICE bool nothingToDo(const PagedAttentionArgs& args, const AttentionWork& w) {
    return w.nRows <= 0 || (args.nSplits > 1 && w.firstStretch == w.endStretch);
}

SIMT_DEVICE int tokenOf(const AttentionWork& w, int row) {
    return w.tokenBegin + (w.rowBegin + row) / w.groupSize;
}
SIMT_DEVICE int headOf(const AttentionWork& w, int row) {
    return w.kvHead * w.groupSize + (w.rowBegin + row) % w.groupSize;
}

/// The keys that a row sees, a mask aside, of the sinks or behind them; none for one that does not
/// exist.
SIMT_DEVICE KeyRange rowKeys(const PagedAttentionArgs& args, const AttentionWork& w, int row,
                             bool sinks) {
    if (row >= w.nRows) return {0, -1};
    const int position = args.positions[tokenOf(w, row)];
    return sinks ? KeyRange{0, smaller(position, w.sinkKeys - 1)} : keysSeen(args, position);
}

/// Whether a key at `position` is in memory for this block.
SIMT_DEVICE bool isThere(const AttentionWork& w, int position) {
    return (position >= w.keys.first && position <= w.keys.last) || position < w.sinkKeys;
}

/// Whether the mask lets a token see a key. Precondition: there is a mask.
SIMT_DEVICE bool maskSees(const PagedAttentionArgs& args, const AttentionWork& w, int token,
                          int position) {
    const int group = position / static_cast<int>(args.mask.groupTokens);
    const std::uint64_t word =
        args.mask
            .words[token * args.mask.tokenStride + w.kvHead * args.mask.headStride + group / 64];
    return (word >> (group % 64) & 1U) != 0;
}

/// Which of the keys [base, base + kKeys) the mask lets a row see: bit j is base + j. All bits
/// without a mask; those behind the row's own position mean nothing.
template <int kKeys>
SIMT_DEVICE std::uint64_t maskBits(const PagedAttentionArgs& args, const AttentionWork& w, int row,
                                   int base) {
    if (args.mask.words == nullptr) return ~std::uint64_t{0};
    if (row >= w.nRows) return 0;
    const auto group = static_cast<int>(args.mask.groupTokens);
    const int token = tokenOf(w, row);
    const int end = smaller(base + kKeys, args.positions[token] + 1);
    std::uint64_t bits = 0;
    for (int at = base; at < end; at = (at / group + 1) * group) {
        if (!maskSees(args, w, token, at)) continue;
        const int n = smaller((at / group + 1) * group, base + kKeys) - at;
        bits |= (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << (at - base);
    }
    return bits;
}

/// Whether the mask lets any row see any of the keys [base, base + kKeys).
template <int kKeys>
SIMT_DEVICE bool tileSeen(const PagedAttentionArgs& args, const AttentionWork& w, int base) {
    if (args.mask.words == nullptr) return true;
    const int lastToken = tokenOf(w, w.nRows - 1);
    for (int token = tokenOf(w, 0); token <= lastToken; ++token) {
        const int row = larger((token - w.tokenBegin) * w.groupSize - w.rowBegin, 0);
        if (maskBits<kKeys>(args, w, row, base) != 0) return true;
    }
    return false;
}

/// The queries of the keys at work.
SIMT_DEVICE const float* queriesFor(const PagedAttentionArgs& args, bool sinks) {
    return sinks && args.qSinks != nullptr ? args.qSinks : args.q;
}

/// An element of a row's query; zero beyond the rows and the head.
SIMT_DEVICE float queryAt(const PagedAttentionArgs& args, const AttentionWork& w, const float* q,
                          int row, int column) {
    const auto headDim = static_cast<int>(args.kv.headDim);
    if (row >= w.nRows || column >= headDim) return 0.0F;
    return q[tokenOf(w, row) * args.qStride + headOf(w, row) * headDim + column];
}

/// For a tile whose rows see nothing.
SIMT_DEVICE void writeZeros(const PagedAttentionArgs& args, const AttentionWork& w) {
    const auto headDim = static_cast<int>(args.kv.headDim);
    for (int i = threadX(); i < w.nRows * headDim; i += kAttentionThreads) {
        const int row = i / headDim;
        args.out[(tokenOf(w, row) * args.nHeads + headOf(w, row)) * headDim + i % headDim] = 0.0F;
    }
}

/// Where the sums of a token's head go: a row of `out`, or of `partial` with maximum and sum after
/// it.
SIMT_DEVICE float* sumsAt(const PagedAttentionArgs& args, std::int64_t token, std::int64_t head,
                          int split) {
    const std::int64_t row = token * args.nHeads + head;
    if (args.nSplits == 1) return args.out + row * args.kv.headDim;
    return args.partial + (row * args.nSplits + split) * (args.kv.headDim + 2);
}

/// Where a block is in its keys: the sinks, then stretches from the last to the first, tiles in
/// them upwards. Tiles that no row sees are left out but for the first.
template <int kKeys>
struct KeyCursor {
    int stretch;  ///< of the sinks: w.endStretch
    int base;     ///< the tile's first position, a multiple of kKeys

    SIMT_DEVICE static int begin(const AttentionWork& w, int stretch) {
        return larger(w.keys.first, stretch * static_cast<int>(kAttentionStretch)) / kKeys * kKeys;
    }
    SIMT_DEVICE static KeyCursor start(const AttentionWork& w) {
        if (w.sinkKeys > 0) return {w.endStretch, 0};
        return {w.endStretch - 1, begin(w, w.endStretch - 1)};
    }
    [[nodiscard]] SIMT_DEVICE bool sinks(const AttentionWork& w) const {
        return stretch == w.endStretch;
    }
    [[nodiscard]] SIMT_DEVICE bool done(const AttentionWork& w) const {
        return stretch < w.firstStretch;
    }
    [[nodiscard]] SIMT_DEVICE KeyCursor step(const AttentionWork& w) const {
        const int end = sinks(w) ? w.sinkKeys
                                 : smaller((stretch + 1) * static_cast<int>(kAttentionStretch),
                                           w.keys.last + 1);
        if (base + kKeys < end) return {stretch, base + kKeys};
        return {stretch - 1, begin(w, stretch - 1)};
    }
    [[nodiscard]] SIMT_DEVICE KeyCursor next(const PagedAttentionArgs& args,
                                             const AttentionWork& w) const {
        KeyCursor at = step(w);
        while (!at.done(w) && !tileSeen<kKeys>(args, w, at.base)) at = at.step(w);
        return at;
    }
};

/// What a maximum takes off scores; nothing where no key has been seen.
SIMT_DEVICE float shiftOf(float best) {
    return best == kMinusInf ? 0.0F : best;
}

/// Maximum and sum of weights of a row over the stretches so far.
struct RunningSum {
    float best = kMinusInf;
    float total = 0.0F;
};
/// The new sums of a row's elements: before · keep + stretch · take.
struct FoldFactors {
    float keep, take;
};

/// Folds in the maximum and sum of the next stretch.
SIMT_DEVICE FoldFactors fold(RunningSum& sum, float best, float total) {
    if (sum.total == 0.0F) {
        sum = {best, total};
        return {0.0F, 1.0F};
    }
    if (total == 0.0F) return {1.0F, 0.0F};
    const float top = fmaxf(sum.best, best);
    const FoldFactors f{fastExp2(sum.best - top), fastExp2(best - top)};
    sum = {top, fusedMultiplyAdd(total, f.take, sum.total * f.keep)};
    return f;
}

/// `before` is not used where keep is 0.
SIMT_DEVICE float folded(const FoldFactors& f, float before, float stretch) {
    const float kept = f.keep == 0.0F ? 0.0F : before * f.keep;
    return fusedMultiplyAdd(stretch, f.take, kept);
}

/// What a row's elements are multiplied by in the end.
SIMT_DEVICE float weightOf(const RunningSum& sum) {
    return sum.total == 0.0F ? 0.0F : 1.0F / sum.total;
}
/// Adding 0 makes one zero of two, whatever keys of weight 0 did to its sign.
SIMT_DEVICE float finished(float value, float weight) {
    return fusedMultiplyAdd(value, weight, 0.0F);
}

}  // namespace lanescope::kernels::cuda
