#pragma once
// What reading or writing tokens of a cache moves.

#include <cstdint>

#include "kernels/ops/attention.h"

namespace lanescope {

/// Bytes of keys and values of nTokens tokens in one layer, with their share of what scales them.
inline std::uint64_t cacheBytes(const kernels::PagedKv& kv, std::int64_t nTokens) {
    const std::int64_t blockBytes = kv.nKvHeads * (kv.keySlice().bytes + kv.valueSlice().bytes);
    return static_cast<std::uint64_t>(nTokens * blockBytes / kv.blockTokens);
}

}  // namespace lanescope
