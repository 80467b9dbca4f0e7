#pragma once
// What an engine is made of. Ways of decoding beside one request at a time (schedule/) work on the
// parts of an engine that stands still meanwhile.

#include <cstdint>
#include <memory>

#include "engine/backend/backend.h"
#include "engine/cache/block_pool.h"
#include "engine/decode/engine.h"

namespace lanescope {

struct EngineParts {
    std::shared_ptr<const Model> model;
    EffectiveSettings effective;
    MemoryEstimate estimate;
    std::shared_ptr<const PackedWeights> packed;  ///< null: none
    std::uint64_t deviceWeightBytes = 0;          ///< on a GPU; else 0
    std::unique_ptr<Backend> backend;
    std::unique_ptr<BlockPool> pool;
};

}  // namespace lanescope
