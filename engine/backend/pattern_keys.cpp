#include "engine/backend/pattern_keys.h"

#include <algorithm>

namespace lanescope {

namespace {

/// Keys of blocks that a fixed pattern lets the token at `position` see.
std::int64_t sparseKeys(const AttentionPattern& pattern, std::int64_t position) {
    const std::int64_t own = position / pattern.blockTokens;
    const std::int64_t local = std::max<std::int64_t>(own + 1 - pattern.localBlocks, 0);
    const std::int64_t strided = (local + pattern.strideBlocks - 1) / pattern.strideBlocks;
    return position + 1 - (local - strided) * pattern.blockTokens;
}

/// … and of the blocks that are picked for it beside the first and its own.
std::int64_t pickedKeys(const AttentionPattern& pattern, std::int64_t blockTokens,
                        std::int64_t position) {
    const std::int64_t own = position / blockTokens;
    return position + 1 - std::max<std::int64_t>(own - 1 - pattern.pages, 0) * blockTokens;
}

}  // namespace

PatternKeys patternKeys(const ModelSpec& spec, const AttentionPattern& pattern, int layer,
                        std::int64_t kvBlockTokens, const PatternTokens& tokens) {
    using Kind = AttentionPattern::Kind;
    const auto [first, n, firstPicking, nGone] = tokens;
    const KeysSeen dense = keysSeen(first, n, spec.window(layer));
    PatternKeys out{keysSeen(first, n, pattern.reach(spec, layer)), dense.pairs};
    if (!pattern.appliesTo(spec, layer)) return out;
    if (pattern.sinks > 0) {
        // Those behind the window, as far as it has moved on.
        const std::int64_t far =
            std::clamp<std::int64_t>(first + n - pattern.window, 0, pattern.sinks);
        out.seen.keys += far;
        out.seen.pairs = std::min(out.seen.pairs + n * far, dense.pairs);
    }
    if (pattern.kind == Kind::HeavyHitters) {
        out.seen.pairs = std::min(out.seen.pairs, dense.pairs - n * nGone);
        out.seen.keys = std::min(out.seen.keys, first + n - nGone);
        return out;
    }
    if (pattern.kind != Kind::BlockSparse && pattern.kind != Kind::Pages) return out;
    std::int64_t pairs = 0;
    for (std::int64_t p = first; p < first + n; ++p) {
        if (pattern.kind == Kind::BlockSparse)
            pairs += sparseKeys(pattern, p);
        else
            pairs += p < firstPicking ? p + 1 : pickedKeys(pattern, kvBlockTokens, p);
    }
    out.seen.pairs = std::min(out.seen.pairs, pairs);
    out.seen.keys = std::min(out.seen.keys, out.seen.pairs);
    return out;
}

}  // namespace lanescope
