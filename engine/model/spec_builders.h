#pragma once
// The families this build knows: one builder per family and format. A new family: a file
// spec_NAME.cpp with two functions, a line here, a row in spec.cpp.

#include "engine/model/spec.h"

namespace lanescope {

Result<ModelSpec> llamaFromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> llamaFromGguf(const Checkpoint& checkpoint);
Result<ModelSpec> qwen2FromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> qwen2FromGguf(const Checkpoint& checkpoint);

/// The fields that every decoder of the Llama kind spells the same way; the rest keeps its
/// defaults.
Result<ModelSpec> decoderFromConfig(const Checkpoint& checkpoint, const char* architecture);
Result<ModelSpec> decoderFromGguf(const Checkpoint& checkpoint, const char* architecture);

}  // namespace lanescope
