#pragma once
// Python's two ways of formatting: "%s" % x and "{}".format(x).

#include "engine/text/jinja/interpreter.h"

namespace lanescope::jinja {

/// text % value
Value formatPercent(const Text& text, const Value& value);
/// text.format(args)
Value formatBraces(Interpreter& interpreter, const Text& text, const Args& args);

/// How one value is to be written; both ways come down to this.
struct FormatSpec {
    std::string fill = " ";
    char align = '\0';  ///< < > ^ =; '\0': numbers right, the rest left
    char sign = '-';    ///< + - or space
    bool alternate = false;
    bool zero = false;
    char grouping = '\0';  ///< , or _
    Int width = 0;
    Int precision = -1;
    char type = '\0';
};

/// Digits of a number by spec.type (d b o x X c e f g % …), without padding.
std::string formatNumberBody(const Value& value, const FormatSpec& spec, bool& negative);
/// Pads body to the width; `prefix` (sign, 0x) stays in front of zeros.
void appendPadded(TextBuilder& out, const Text& body, const std::string& prefix,
                  const FormatSpec& spec, bool isNumber);

}  // namespace lanescope::jinja
