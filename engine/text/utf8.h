#pragma once
// UTF-8 for text that may be broken: walking over it, and replacing what is not a character the way
// the Unicode standard recommends (one U+FFFD for each maximal broken part).

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope::utf8 {

/// One step over a text.
struct Step {
    char32_t codePoint = 0xFFFD;
    std::uint32_t length = 0;  ///< bytes consumed, at least 1; a broken part: its maximal length
    bool valid = false;
    bool cut = false;  ///< broken only because the text ends here; more bytes could complete it
};

/// Decodes the character at `at`. Precondition: at < text.size().
Step decode(std::string_view text, std::size_t at);

/// Appends one code point (a surrogate or a value over U+10FFFF becomes U+FFFD).
void append(std::string& out, char32_t codePoint);

bool isValid(std::string_view text);

/// The text with each maximal broken part replaced by U+FFFD; valid text comes back as it is.
std::string repaired(std::string_view text);

}  // namespace lanescope::utf8
