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
    float* attentionScratch = nullptr;
    std::int64_t attentionFloats = 0;  ///< per thread
    float* attentionPartial = nullptr;
    std::int64_t partialFloats = 0;
};

/// The part that every backend has.
Workspace layOutActivations(const ModelSpec& spec, const BackendSettings& settings, Arena& arena);

CpuWorkspace layOutWorkspace(const ModelSpec& spec, const BackendSettings& settings, Arena& arena);

}  // namespace lanescope
