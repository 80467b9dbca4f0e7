#pragma once
// The tokenizer of a Hugging Face folder as GGUF keys. Used by hf_to_gguf.cpp only.

#include <cstdint>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_writer.h"

namespace lanescope {

/// Sets tokenizer.ggml.* and tokenizer.chat_template. `nRows`: rows of the embedding; ids without a
/// word become "[PADn]" of type unused. A folder without tokenizer.json sets nothing.
Result<void> setVocabularyKeys(GgufWriter& writer, const Checkpoint& checkpoint,
                               std::int64_t nRows);

}  // namespace lanescope
