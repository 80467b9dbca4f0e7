#pragma once
// From the settings asked for to those that can be used, and the memory they need, before anything
// is allocated.

#include "engine/backend/backend.h"
#include "engine/base/memory.h"
#include "engine/cache/block_pool.h"
#include "engine/decode/engine.h"

namespace lanescope {

/// Fills defaults, applies LANESCOPE_EXACT and explains every difference. Error: Usage naming the
/// setting and its range.
Result<EffectiveSettings> resolveSettings(const ModelSpec& spec, const EngineSettings& asked);

/// Precondition of all: settings are resolved.
KvLayout kvLayout(const ModelSpec& spec, const EngineSettings& settings);
std::int32_t poolBlocks(const KvLayout& layout, const EngineSettings& settings);
std::int32_t poolTails(const KvLayout& layout, const EngineSettings& settings);
BackendSettings backendSettings(const EngineSettings& settings);

/// OutOfMemory with both numbers and a next step when the need is over what is available.
Result<void> checkFits(const MemoryEstimate& need, std::uint64_t availableBytes);

}  // namespace lanescope
