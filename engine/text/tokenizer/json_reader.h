#pragma once
// Hugging Face's tokenizer.json, or the tokenizer.model of older folders (with
// tokenizer_config.json and the end-of-sequence ids of the other configs) as a pipeline.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/base/result.h"
#include "engine/text/tokenizer.h"

namespace lanescope::tokenizer {

/// The JSON files around tokenizer.json; null where there is none.
struct SideFiles {
    const nlohmann::json& tokenizerConfig;
    const nlohmann::json& generationConfig;
    const nlohmann::json& config;
};

/// Reads the file at `path`. Errors name the entry that is not supported or wrong.
Result<std::shared_ptr<const Tokenizer>> readTokenizerJson(const std::string& path,
                                                           const SideFiles& side);

/// Reads a SentencePiece .model file, with the configs beside it. Errors as above.
Result<std::shared_ptr<const Tokenizer>> readSpModel(const std::string& path,
                                                     const SideFiles& side);

/// The same as readSpModel from the file's bytes.
Result<std::shared_ptr<const Tokenizer>> parseSpModel(std::string_view bytes,
                                                      const std::string& context,
                                                      const SideFiles& side);

/// The same as readTokenizerJson from the file's text; `context` names it in messages.
Result<std::shared_ptr<const Tokenizer>> parseTokenizerJson(std::string_view text,
                                                            const std::string& context,
                                                            const SideFiles& side);

}  // namespace lanescope::tokenizer
