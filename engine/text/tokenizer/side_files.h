#pragma once
// What the JSON files beside a tokenizer say: which tokens are BOS and EOS, whether BOS is added,
// and what ends a generation.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/base/result.h"
#include "engine/text/tokenizer/json_reader.h"
#include "engine/text/tokenizer/pipeline.h"

namespace lanescope::tokenizer {

/// Reads them into `parts`, whose vocabulary and added tokens are complete.
void readSpecialTokens(const SideFiles& side, Parts& parts);

/// An entry of "added_tokens" or "added_tokens_decoder" without its id.
AddedToken readAddedToken(const nlohmann::json& entry);

/// The error with the file's path as its context.
Error inFile(Error error, const std::string& path);

}  // namespace lanescope::tokenizer
