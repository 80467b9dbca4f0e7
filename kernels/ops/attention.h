#pragma once
// Causal attention of one sequence over its paged KV cache, and the write of new keys and values
// into it. Pages: block b of the sequence lives at physical block blockTable[b]; a physical block
// is a slice a KV head (kv_format.h); keys and values have storage of their own. A fully masked row
// gives zeros. Bits of a row do not depend on which other rows are in the call.

#include <cstdint>

#include "kernels/ops/kv_format.h"

namespace lanescope::kernels {

/// One layer's KV storage as a sequence sees it.
struct PagedKv {
    void* k = nullptr;  ///< [nBlocks, nKvHeads] slices of kFormat (kv_format.h)
    void* v = nullptr;  ///< [nBlocks, nKvHeads] slices of vFormat
    KvFormat kFormat = KvFormat::F32;
    KvFormat vFormat = KvFormat::F32;
    const std::int32_t* blockTable = nullptr;  ///< [ceil(context / blockTokens)] physical block ids
    std::int64_t blockTokens = 16;
    std::int64_t nKvHeads = 0;
    std::int64_t headDim = 0;
    /// Keys that are coded a block at a time (codesWholeBlocks): the keys of a sequence's last
    /// blocks as they are, [nTails, nKvHeads, blockTokens, headDim] f16. A query sees the keys of
    /// its own block here and those of earlier blocks coded, whatever is in the cache by then: so
    /// its result depends on nothing but the text before it.
    void* tail = nullptr;
    const std::int32_t* tailTable = nullptr;  ///< [blocks] its tail, < 0: none

    /// Least and largest coded key of every channel of whole blocks, [nBlocks, nKvHeads, 2,
    /// headDim] bf16, rounded outwards; null: not kept.
    std::uint16_t* bounds = nullptr;

    [[nodiscard]] KvSlice keySlice() const {
        return kvSlice(kFormat, KvPart::Keys, blockTokens, headDim);
    }
    [[nodiscard]] KvSlice valueSlice() const {
        return kvSlice(vFormat, KvPart::Values, blockTokens, headDim);
    }
};

/// Stores keys and values of nTokens tokens at absolute positions[t] (round to nearest even).
struct KvWriteArgs {
    const float* k = nullptr;  ///< [nTokens, kStride] f32; head h at offset h * headDim
    const float* v = nullptr;  ///< [nTokens, vStride] f32
    std::int64_t kStride = 0;
    std::int64_t vStride = 0;
    const std::int32_t* positions = nullptr;  ///< [nTokens]
    PagedKv kv;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
};

/// Codes the keys of blocks [blockBegin, blockEnd) of a sequence out of their tails, where its
/// format does that a block at a time, and finds their bounds, where those are kept; heads
/// [headBegin, headEnd) of them. All tokens of these blocks have been written.
struct KvSealArgs {
    PagedKv kv;
    std::int64_t blockBegin = 0;
    std::int64_t blockEnd = 0;
    std::int64_t headBegin = 0;
    std::int64_t headEnd = 0;
};

/// Which keys a query sees beside the causal rule and the window, in groups of `groupTokens`
/// positions [g · groupTokens, (g + 1) · groupTokens): bit g of words[token · tokenStride + kvHead
/// · headStride + g / 64]. Groups up to the last position have bits.
struct KeyMask {
    const std::uint64_t* words = nullptr;  ///< null: all are seen
    std::int64_t groupTokens = 16;
    std::int64_t tokenStride = 0;
    std::int64_t headStride = 0;
};

/// Which whole blocks each token's query may match best, for each KV head: by the sum over the
/// heads of its group and the channels of the greater of query · least and query · largest key
/// (arXiv 2406.10774, algorithm 1, summed over a group). Bits as in KeyMask with groups of
/// blockTokens: the first block, the token's own, and the `keep` best in between; the lower of
/// equals. Tokens before firstPosition, and those with fewer blocks, see all.
struct KvSelectArgs {
    const float* q = nullptr;  ///< [nTokens, qStride] f32
    std::int64_t qStride = 0;
    std::int64_t nHeads = 0;
    const std::int32_t* positions = nullptr;  ///< [nTokens]
    PagedKv kv;                               ///< with bounds
    std::int64_t keep = 0;
    std::int64_t firstPosition = 0;
    std::uint64_t* words = nullptr;  ///< [nTokens, nKvHeads, wordsPerHead]
    std::int64_t wordsPerHead = 0;   ///< ceil((largest position / blockTokens + 1) / 64) at least
    float* scores = nullptr;         ///< scratch, [blocks]
    std::int32_t* order = nullptr;   ///< scratch, [blocks]
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
};

/// How scores are formed. Naive keeps all scores of a row; Flash runs a tiled online softmax (arXiv
/// 2307.08691).
enum class AttentionKind : std::uint8_t { Naive, Flash };

/// out[t, h] = softmax(scale · q[t, h] · Kᵀ) · V over positions 0 … positions[t] (window: the last
/// `window` of them). Work items are (KV head, tile of kAttentionTile tokens); [itemBegin, itemEnd)
/// of attentionItems() are computed.
struct AttentionArgs {
    AttentionKind kind = AttentionKind::Flash;
    const float* q = nullptr;  ///< [nTokens, qStride] f32; head h at offset h * headDim
    std::int64_t qStride = 0;
    float* out = nullptr;                     ///< [nTokens, nHeads * headDim] f32
    const std::int32_t* positions = nullptr;  ///< [nTokens], ascending
    std::int64_t nTokens = 0;
    std::int64_t nHeads = 0;  ///< multiple of kv.nKvHeads
    float scale = 0.0F;       ///< usually 1 / sqrt(headDim)
    std::int64_t window = 0;  ///< key j is seen by query i when 0 <= i - j < window; 0 = no window
    /// With a window: keys [0, sinks) are seen too (arXiv 2309.17453), by queries qSinks.
    std::int64_t sinks = 0;
    /// [nTokens, qStride] f32: the queries turned as if the window followed the sinks directly.
    const float* qSinks = nullptr;
    KeyMask mask;
    float softcap = 0.0F;  ///< scores become softcap * tanh(score / softcap); 0 = off
    PagedKv kv;
    /// Set (Naive only): also how much weight a token's heads put on groups of massGroup keys,
    /// [nTokens, nKvHeads, massStride]: of group g the sum over the heads of the KV head and the
    /// keys [g · massGroup, (g + 1) · massGroup); groups up to the token's own are written.
    float* mass = nullptr;
    std::int64_t massGroup = 16;
    std::int64_t massStride = 0;
    float* scratch = nullptr;  ///< attentionScratchFloats() floats for this thread
    std::int64_t itemBegin = 0;
    std::int64_t itemEnd = 0;
    /// Set (Flash only): the keys of an item are shared out too. [itemBegin, itemEnd) then counts
    /// (item, stretch of keys), stretches fastest, of attentionItems() · attentionStretches();
    /// sums go here, [unit, attentionPartialFloats() of the largest item], out is written by
    /// attentionCombine.
    float* partial = nullptr;
};

inline constexpr std::int64_t kAttentionTile = 16;
/// Keys are taken in tiles [64 i, 64 i + 64) of absolute positions.
inline constexpr std::int64_t kAttentionKeyTile = 64;

/// Flash sums keys up in stretches [512 i, 512 (i + 1)) of absolute positions and combines those in
/// order, so that the bits are the same whether one thread does them all or many share them.
inline constexpr std::int64_t kAttentionStretch = 512;

/// Number of work items of a call: nKvHeads · ceil(nTokens / kAttentionTile).
std::int64_t attentionItems(const AttentionArgs& args);
/// One work item: a KV head and a tile of tokens.
struct AttentionItem {
    std::int64_t kvHead;
    std::int64_t tokenBegin;
    std::int64_t tokenEnd;
};
/// Which head and tokens an item is. Cheap (early) and dear (late) tiles alternate, so that
/// contiguous ranges of items cost the same.
AttentionItem attentionItem(const AttentionArgs& args, std::int64_t item);
/// Stretches of keys up to the last token's position (a window may leave early ones empty).
std::int64_t attentionStretches(const AttentionArgs& args);
/// Floats of the sums of one stretch of an item of nRows = tokens · heads of a group.
std::int64_t attentionPartialFloats(std::int64_t nRows, std::int64_t headDim);
/// Floats of scratch one thread needs; for Flash it does not depend on the context length.
std::int64_t attentionScratchFloats(AttentionKind kind, std::int64_t nHeads, std::int64_t nKvHeads,
                                    std::int64_t headDim, std::int64_t maxContext);

}  // namespace lanescope::kernels
