#pragma once
// Values as text, exactly as Python's str(), repr() and json.dumps() write them.

#include <optional>
#include <string>

#include "engine/text/jinja/value.h"

namespace lanescope::jinja {

std::string printInt(Int value);
/// repr() of a float: the shortest digits that read back the same.
std::string printFloat(double value);

/// str(value); a string comes back as it is.
TextPtr str(const Value& value);
TextPtr repr(const Value& value);
void appendStr(TextBuilder& out, const Value& value);
void appendRepr(TextBuilder& out, const Value& value);

struct JsonStyle {
    bool ensureAscii = false;
    bool sortKeys = false;
    std::optional<std::string> indent;  ///< one level's; absent: all on one line
    std::string itemSeparator = ", ";
    std::string keySeparator = ": ";
};
TextPtr toJson(const Value& value, const JsonStyle& style);

}  // namespace lanescope::jinja
