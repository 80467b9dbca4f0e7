#pragma once
// The KV cache calculator in words: the engine's own figures (engine/cache/kv_memory.h) with its
// formula in the language of the interface. Pure but for the language.

#include <QString>
#include <optional>
#include <vector>

#include "engine/cache/kv_memory.h"

namespace lanescope::app {

/// What is calculated.
struct KvShape {
    std::int64_t nLayers = 32, nKvHeads = 32, headDim = 128;
    std::int64_t contextTokens = 4096, batch = 1, blockTokens = 16;
    kernels::KvFormat keys = kernels::KvFormat::F32;
    kernels::KvFormat values = kernels::KvFormat::F32;
};

/// kvMemory of the shape; passTokens as the engine's default has it.
KvMemory kvMemoryOf(const KvShape& shape);
/// "2 (K, V) × 30 layers × 3 KV heads × 64 columns × 2 bytes = 23040 bytes a token".
QString kvFormula(const KvShape& shape);
/// Why a format cannot hold heads of this size; empty: it can.
QString kvProblem(const KvShape& shape);
KvLayout kvLayoutOf(const KvShape& shape);

}  // namespace lanescope::app
