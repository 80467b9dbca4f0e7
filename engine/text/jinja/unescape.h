#pragma once
// String literals of a template: Python's escapes.

#include <string>
#include <string_view>

namespace lanescope::jinja {

/// Throws Failure for a cut or impossible escape; unknown ones stay as they are, as in Python.
std::string unescape(std::string_view literal, int line);

}  // namespace lanescope::jinja
