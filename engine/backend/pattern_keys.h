#pragma once
// How much of the context a lane's attention looks at: what bytes and FLOPs of its spans and the
// kept share are counted from, the same on every device.

#include "engine/backend/attention_pattern.h"
#include "engine/model/keys_seen.h"

namespace lanescope {

/// Tokens at positions [first, first + n) of a sequence; those before firstPicking see all keys
/// where the lane picks blocks (Segment::firstPicking).
struct PatternTokens {
    std::int64_t first = 0;
    std::int64_t n = 0;
    std::int64_t firstPicking = 0;
    std::int64_t nGone = 0;  ///< earlier keys that were given up by weight
};

struct PatternKeys {
    KeysSeen seen;           ///< keys: at most, of blocks picked for each token
    std::int64_t pairs = 0;  ///< that the layer would look at without the pattern
};

/// kvBlockTokens: what AttentionPattern::Pages picks.
PatternKeys patternKeys(const ModelSpec& spec, const AttentionPattern& pattern, int layer,
                        std::int64_t kvBlockTokens, const PatternTokens& tokens);

}  // namespace lanescope
