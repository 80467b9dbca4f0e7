#pragma once
// The input of a rendering as values.

#include <nlohmann/json_fwd.hpp>

#include "engine/text/jinja/value.h"

namespace lanescope::jinja {

/// Whatever came from messages, tools or variables. A known role name under the key "role" counts
/// as the template's own words: templates build control tokens from it ("<|" + role + "|>").
Value fromJson(const nlohmann::ordered_json& json, bool fromInput, int level = 0);

}  // namespace lanescope::jinja
