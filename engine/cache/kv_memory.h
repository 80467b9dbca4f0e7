#pragma once
// What a KV cache takes, in closed form, before anything is allocated. BlockPool allocates just
// this.

#include <cstdint>
#include <string>

#include "engine/cache/block_pool.h"

namespace lanescope {

struct KvMemory {
    double bytesPerTokenPerLayer = 0.0;  ///< of K and V, with a token's share of what scales them
    double bytesPerToken = 0.0;          ///< all layers
    std::int64_t blocksPerSequence = 0;
    std::uint64_t bytesPerSequence = 0;  ///< in whole blocks
    std::uint64_t tailBytes = 0;         ///< keys as they are, where they are coded by the block
    std::uint64_t total = 0;             ///< all sequences, with the tails
    /// "2 (K, V) × 30 layers × 3 KV heads × 64 columns × 2 bytes = 23040 bytes a token".
    std::string formula;
};
/// batch sequences of contextTokens each; passTokens: of a forward pass at most (for the tails).
KvMemory kvMemory(const KvLayout& layout, std::int64_t contextTokens, std::int64_t batch,
                  std::int64_t passTokens);

}  // namespace lanescope
