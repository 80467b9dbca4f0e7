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

/// A pass over tokens of one or more sequences.
struct ForwardPass {
    std::span<const TokenId> tokens;  ///< at most the backend's maxTokens, all inside the embedding
    std::span<const Segment> segments;          ///< whose they are; at most kMaxSegments
    std::span<const BlockTable* const> tables;  ///< [segments]: room for every position to the last
    std::span<kernels::PagedKv> views;          ///< [segments]: room for a layer's caches
    std::span<const std::int32_t> wanted;       ///< rows whose logits are computed, ascending
    float* logits = nullptr;                    ///< [wanted.size(), vocab] f32
    SampleJob* sample = nullptr;                ///< instead of logits (PassTokens::sample)
};

inline constexpr std::size_t kMaxSegments = 256;

/// Keys and values of the tokens are in the cache afterwards. Errors: Cancelled, polled once a
/// layer; BadInput when the model's file was shortened meanwhile.
Result<void> forward(const Model& model, Backend& backend, const BlockPool& pool,
                     const ForwardPass& pass, const trace::Cursor& cursor,
                     const CancelToken& cancel);

}  // namespace lanescope
