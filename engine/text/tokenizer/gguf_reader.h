#pragma once
// A vocabulary from GGUF metadata (tokenizer.ggml.*) as a pipeline. Supported: model "gpt2", that
// is byte-level BPE, with the pre-tokenizers of gguf_pre.h.

#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/text/tokenizer.h"

namespace lanescope::tokenizer {

/// Errors: Unsupported naming the kind or pre-tokenizer; BadInput with both numbers where lengths
/// or ids do not fit.
Result<std::shared_ptr<const Tokenizer>> readGguf(const Metadata& metadata,
                                                  const std::string& context);

}  // namespace lanescope::tokenizer
