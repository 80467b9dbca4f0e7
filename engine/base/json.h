#pragma once
// Parsing of untrusted JSON with a limit on depth, so that a hostile file ends in an Error, not in
// a stack overflow.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace lanescope {

/// Parses UTF-8 JSON. Errors: BadInput naming `context`, the byte and what is wrong; nesting over
/// maxDepth is refused.
Result<nlohmann::json> parseJson(std::string_view text, const std::string& context,
                                 int maxDepth = 64);

/// Dumps JSON for files and stdout: broken UTF-8 becomes U+FFFD, NaN and infinities become null;
/// never throws.
std::string dumpJson(const nlohmann::json& value, int indent = -1);
std::string dumpJson(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace lanescope
