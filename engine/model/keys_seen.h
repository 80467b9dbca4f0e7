#pragma once
// How much of the context attention looks at: what its bytes and FLOPs are counted from.

#include <algorithm>
#include <cstdint>

namespace lanescope {

/// Keys that n tokens see together, and query-key pairs.
struct KeysSeen {
    std::int64_t keys = 0;
    std::int64_t pairs = 0;
};

/// Tokens at positions [first, first + n), causal; window: the last so many keys
/// (ModelSpec::window), 0 = all.
inline KeysSeen keysSeen(std::int64_t first, std::int64_t n, std::int64_t window) {
    if (window == 0) return {first + n, n * first + n * (n + 1) / 2};
    // Token t sees min(t + 1, window); from position window - 1 on it is the window.
    const std::int64_t growing = std::clamp<std::int64_t>(window - 1 - first, 0, n);
    return {std::min(first + n, window - 1 + n),
            growing * first + growing * (growing + 1) / 2 + (n - growing) * window};
}

}  // namespace lanescope
