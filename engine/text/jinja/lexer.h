#pragma once
// A template's source as tokens, with Jinja's white-space rules already applied (trim_blocks,
// lstrip_blocks, "-" and "+" marks, no trailing newline).

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/jinja/value.h"

namespace lanescope::jinja {

enum class TokenKind : std::uint8_t {
    Data,           ///< text to output as it is
    VariableBegin,  ///< {{
    VariableEnd,
    BlockBegin,  ///< {%
    BlockEnd,
    Name,
    String,
    Integer,
    Float,
    Operator,
    Eof,
};

struct Token {
    TokenKind kind = TokenKind::Eof;
    int line = 1;
    std::string text;  ///< data, name, unescaped string, operator
    Int integer = 0;
    double real = 0;
};

/// Throws Failure with the line. The last token is Eof.
std::vector<Token> tokenize(std::string_view source);

/// As error messages name it.
std::string describe(const Token& token);

}  // namespace lanescope::jinja
