#pragma once
// From source to syntax tree: the statements and expressions of Jinja 3.1, in its precedence.

#include <string_view>

#include "engine/text/jinja/ast.h"

namespace lanescope::jinja {

/// Throws Failure with the line and what was expected.
Block parseTemplate(std::string_view source);

}  // namespace lanescope::jinja
