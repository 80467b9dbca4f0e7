#pragma once
// Heavy-hitter eviction (engine/backend/heavy_hitters.h): which blocks go.

#include "engine/backend/attention_pattern.h"
#include "engine/backend/heavy_hitters.h"
#include "engine/cache/block_pool.h"

namespace lanescope {

/// Tokens that may be computed from position `first` on until blocks may have to go: what a pass
/// computes at most, so that what a token sees does not depend on how a text is cut.
std::int64_t tokensUntilEviction(std::int64_t first, std::int64_t nPrompt,
                                 std::int64_t blockTokens);

/// After nTokens tokens: at the prompt's end and wherever a block is full behind it, of the blocks
/// older than the lane's window those with the least weight go (of equals the older) until as many
/// are left as the lane keeps. Both numbers are rounded up to blocks.
void evictLight(BlockPool& pool, BlockTable& table, std::int64_t nTokens,
                const AttentionPattern& pattern, const HeavyHitters& heavy,
                const trace::Cursor& cursor);

}  // namespace lanescope
