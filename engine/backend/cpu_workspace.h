#pragma once
// Where each activation lies in the CPU backend's one allocation.

#include <cstdint>

#include "engine/backend/arena.h"
#include "engine/backend/backend.h"

namespace lanescope {

/// With fewer items of attention than this a thread, their keys are shared out too.
inline constexpr std::int64_t kSharedItemsPerThread = 4;

/// Everything the CPU backend allocates.
struct CpuWorkspace {
    Workspace activations;
    std::int32_t* positions = nullptr;
    float* dynamicFrequencies = nullptr;
    float* sinkQueries = nullptr;           ///< [maxTokens, nHeads * headDim]; with sinks
    std::int32_t* sinkPositions = nullptr;  ///< [maxTokens]
    std::uint64_t* keyBits = nullptr;       ///< [maxTokens, keyBitHeads, keyBitWords]; with masks
    std::int64_t keyBitHeads = 0, keyBitWords = 0;
    float* pageScores = nullptr;        ///< [threads, maxPages]
    std::int32_t* pageOrder = nullptr;  ///< [threads, maxPages]
    std::int64_t maxPages = 0;
    float* mass = nullptr;  ///< [maxTokens, nKvHeads, massStride], to evict by weight
    std::int64_t massStride = 0;
    float* attentionScratch = nullptr;
    std::int64_t attentionFloats = 0;  ///< per thread
    float* attentionPartial = nullptr;
    std::int64_t partialFloats = 0;
};

/// The part that every backend has.
/// Bits of the blocks that each token sees (kernels::KeyMask): sets a token, 64-bit words a set;
/// none where the lane's pattern needs none.
struct KeyBitShape {
    std::int64_t heads = 0, words = 0;
};
KeyBitShape keyBitShape(const ModelSpec& spec, const BackendSettings& settings);
/// Whether queries are rotated a second time for sinks.
bool sinksRotate(const ModelSpec& spec, const AttentionPattern& pattern);

Workspace layOutActivations(const ModelSpec& spec, const BackendSettings& settings, Arena& arena);

CpuWorkspace layOutWorkspace(const ModelSpec& spec, const BackendSettings& settings, Arena& arena);

}  // namespace lanescope
