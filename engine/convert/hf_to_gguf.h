#pragma once
// A Hugging Face folder as a GGUF file that other software loads too: llama.cpp's names, keys and
// row order. Weights keep their values (f32, f16 or bf16); tensors are converted while they are
// written. Families: llama, mistral and qwen2. Quantising is quantise/'s business.

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_writer.h"

namespace lanescope {

/// A writer with all keys, vocabulary and tensors. `type`: what matrices become; none: each keeps
/// its own (vectors are always f32). The checkpoint must stay open until write() is done. Errors:
/// Unsupported naming the family, scaling or vocabulary that has no GGUF form here; BadInput naming
/// a missing key or tensor.
Result<GgufWriter> ggufFromHuggingFace(const Checkpoint& checkpoint,
                                       std::optional<kernels::DType> type);

}  // namespace lanescope
