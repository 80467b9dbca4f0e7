#pragma once
// One forward pass of one sequence, driven by ModelSpec: the same few lines run every architecture
// on every backend. Knows nothing of sampling, text or requests.

#include <cstdint>
#include <span>

#include "engine/backend/backend.h"
#include "engine/base/cancel.h"
#include "engine/cache/block_pool.h"
#include "engine/model/model.h"

namespace lanescope {

/// A pass over tokens at consecutive positions.
struct ForwardPass {
    std::span<const TokenId> tokens;  ///< at most the backend's maxTokens, all inside the embedding
    std::int32_t firstPosition = 0;
    std::int64_t callLength = 0;           ///< see PassTokens
    const BlockTable* table = nullptr;     ///< has room for every position up to the last
    std::span<const std::int32_t> wanted;  ///< rows whose logits are computed, ascending
    float* logits = nullptr;               ///< [wanted.size(), vocab] f32
};

/// Keys and values of the tokens are in the cache afterwards. Error: Cancelled, polled once a
/// layer.
Result<void> forward(const Model& model, Backend& backend, const BlockPool& pool,
                     const ForwardPass& pass, const trace::Cursor& cursor,
                     const CancelToken& cancel);

}  // namespace lanescope
