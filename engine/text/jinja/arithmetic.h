#pragma once
// Python's operators on values.

#include "engine/text/jinja/ast.h"

namespace lanescope::jinja {

Value arithmetic(Op op, const Value& left, const Value& right);
Value negate(const Value& value);
Value positive(const Value& value);
bool compare(Op op, const Value& left, const Value& right);
/// left + right for strings: if one is markup, the other is escaped.
Value addText(const Text& left, const Text& right);

}  // namespace lanescope::jinja
