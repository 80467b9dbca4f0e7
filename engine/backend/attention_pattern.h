#pragma once
// Which keys a lane's attention looks at, beside the causal rule and the model's own windows.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/model/spec.h"

namespace lanescope {

/// Window: the last `window` keys and the first `sinks` (arXiv 2309.17453).
/// BlockSparse: in blocks of `blockTokens`, the last `localBlocks` and every `strideBlocks`-th
/// (arXiv 1904.10509, by blocks).
/// Pages: of the blocks of the cache the `pages` whose keys may match the query best, by each
/// channel's least and largest key, beside the first and the last (arXiv 2406.10774).
/// HeavyHitters: the last `window` keys and `heavy` earlier ones, in blocks of the cache: those
/// that got the most weight so far; the others are given up (arXiv 2306.14048; heavy_hitters.h).
struct AttentionPattern {
    enum class Kind : std::uint8_t {
        Dense,
        Window,
        BlockSparse,
        Pages,
        HeavyHitters
    } kind = Kind::Dense;
    std::int64_t window = 0;
    std::int64_t sinks = 0;
    std::int64_t blockTokens = 64;
    std::int64_t localBlocks = 1;
    std::int64_t strideBlocks = 1;
    std::int64_t pages = 0;
    std::int64_t heavy = 0;
    std::vector<bool> denseLayers;  ///< layers that look at all; [nLayers] or empty: none

    /// Whether layer i follows it. Layers with a narrower window of their own go on as they are.
    [[nodiscard]] bool appliesTo(const ModelSpec& spec, int layer) const {
        if (kind == Kind::Dense) return false;
        const auto i = static_cast<std::size_t>(layer);
        if (i < denseLayers.size() && denseLayers[i]) return false;
        const std::int64_t own = spec.window(layer);
        return own == 0 || kind != Kind::Window || own > window;
    }
    /// Keys that layer i sees at most beside sinks; 0: no bound.
    [[nodiscard]] std::int64_t reach(const ModelSpec& spec, int layer) const {
        return kind == Kind::Window && appliesTo(spec, layer) ? window : spec.window(layer);
    }
};

/// Pairs of a query and a key so far: those that attention looked at, and those that it would have
/// looked at without the lane's pattern.
struct PairsSeen {
    std::uint64_t seen = 0, all = 0;
};

/// Positions [begin, end) that no query from position `next` on sees in any layer; empty where some
/// layer sees all.
struct UnseenRange {
    std::int64_t begin = 0, end = 0;
};
inline UnseenRange unseenFrom(const ModelSpec& spec, const AttentionPattern& pattern,
                              std::int64_t next) {
    std::int64_t reach = 0;
    std::int64_t sinks = 0;
    for (int i = 0; i < static_cast<int>(spec.nLayers); ++i) {
        const std::int64_t own = pattern.reach(spec, i);
        if (own == 0) return {};
        reach = std::max(reach, own);
        if (pattern.appliesTo(spec, i)) sinks = std::max(sinks, pattern.sinks);
    }
    return {sinks, std::max(next + 1 - reach, sinks)};
}

}  // namespace lanescope
