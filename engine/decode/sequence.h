#pragma once
// One sequence at work: its block table and length.

#include <cstdint>

#include "engine/backend/attention_pattern.h"
#include "engine/cache/block_pool.h"
#include "engine/decode/evict_light.h"

namespace lanescope {

/// Gives its blocks back when the request ends, however it ends.
struct Sequence {
    Sequence(BlockPool& owner, const trace::Cursor& labels) : pool(owner), cursor(labels) {}
    ~Sequence() { pool.shrink(table, 0, cursor); }
    Sequence(const Sequence&) = delete;
    Sequence& operator=(const Sequence&) = delete;

    [[nodiscard]] std::uint64_t kvBytes() const {
        return static_cast<std::uint64_t>(table.nHeld()) * pool.layout().blockBytes();
    }

    BlockPool& pool;
    trace::Cursor cursor;
    BlockTable table;
    std::int64_t nTokens = 0;  ///< in the cache
    std::int64_t nPrompt = 0;  ///< Segment::firstPicking
    HeavyHitters heavy;        ///< used where the lane evicts by weight
};

/// What a sequence's passes add weights to; null: the lane does not ask.
inline HeavyHitters* heavyOf(const AttentionPattern& pattern, HeavyHitters& own) {
    return pattern.kind == AttentionPattern::Kind::HeavyHitters ? &own : nullptr;
}

/// The first nTokens tokens of a sequence have been computed: gives up what nobody will look at.
inline void settle(BlockPool& pool, BlockTable& table, std::int64_t nTokens, const ModelSpec& spec,
                   const AttentionPattern& pattern, const HeavyHitters& heavy,
                   const trace::Cursor& cursor) {
    pool.settle(table, nTokens);
    if (pattern.kind == AttentionPattern::Kind::HeavyHitters)
        evictLight(pool, table, nTokens, pattern, heavy, cursor);
    const UnseenRange unseen = unseenFrom(spec, pattern, nTokens);
    const std::int64_t n = pool.layout().blockTokens;
    if (unseen.begin < unseen.end)
        pool.forget(table, (unseen.begin + n - 1) / n, unseen.end / n, cursor);
}

}  // namespace lanescope
