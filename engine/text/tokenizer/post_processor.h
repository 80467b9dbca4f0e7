#pragma once
// What AddSpecial::Yes puts around the ids of one text.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/tokenizer.h"

namespace lanescope::tokenizer {

struct AroundIds {
    std::vector<TokenId> prefix;
    std::vector<TokenId> suffix;
};

/// From the "post_processor" entry of tokenizer.json; null adds nothing. Errors: Unsupported naming
/// the type, BadInput for ids that are not integers.
Result<AroundIds> readPostProcessor(const nlohmann::json& entry);

}  // namespace lanescope::tokenizer
