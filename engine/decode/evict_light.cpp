#include "engine/decode/evict_light.h"

#include <algorithm>
#include <vector>

namespace lanescope {

std::int64_t tokensUntilEviction(std::int64_t first, std::int64_t nPrompt,
                                 std::int64_t blockTokens) {
    if (first < nPrompt) return nPrompt - first;
    return blockTokens - first % blockTokens;
}

void evictLight(BlockPool& pool, BlockTable& table, std::int64_t nTokens,
                const AttentionPattern& pattern, const HeavyHitters& heavy,
                const trace::Cursor& cursor) {
    const std::int64_t blockTokens = pool.layout().blockTokens;
    if (nTokens < heavy.nPrompt || (nTokens > heavy.nPrompt && nTokens % blockTokens != 0)) return;
    const auto blocksOf = [blockTokens](std::int64_t n) {
        return (n + blockTokens - 1) / blockTokens;
    };
    // The window's blocks, the last of them perhaps not full yet.
    const std::int64_t nOld = blocksOf(nTokens) - blocksOf(pattern.window);
    std::vector<std::int64_t> held;
    for (std::int64_t b = 0; b < std::min(nOld, table.nBlocks()); ++b)
        if (table.blocks()[static_cast<std::size_t>(b)] >= 0) held.push_back(b);
    std::ranges::stable_sort(held, {}, [&heavy](std::int64_t b) { return heavy.massOf(b); });
    const std::int64_t tooMany = std::ssize(held) - blocksOf(pattern.heavy);
    for (std::int64_t i = 0; i < tooMany; ++i) {
        const std::int64_t b = held[static_cast<std::size_t>(i)];
        pool.forget(table, b, b + 1, cursor);
    }
}

}  // namespace lanescope
