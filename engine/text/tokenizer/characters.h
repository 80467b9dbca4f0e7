#pragma once
// Classes of characters that the reference library tests outside of regular expressions, and the
// byte alphabet of byte-level BPE.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::tokenizer {

bool isWhitespace(char32_t c);   ///< Unicode White_Space
bool isNumeric(char32_t c);      ///< general categories Nd, Nl, No
bool isPunctuation(char32_t c);  ///< ASCII punctuation or general categories P*
bool isWordChar(char32_t c);     ///< letters, marks, digits, connectors: what \w stands for
bool isMark(char32_t c);         ///< general category Mn

/// GPT-2's alphabet: every byte as a printable character (space is U+0120 "Ġ").
namespace byte_level {

/// The character that stands for a byte.
char32_t charOf(unsigned char byte);
/// The byte that a character stands for, or -1.
int byteOf(char32_t c);
/// Appends the bytes, each as its character.
void appendMapped(std::string& out, std::string_view bytes);
/// The bytes a token stands for; nothing if one of its characters stands for none.
std::optional<std::string> unmapped(std::string_view token);

}  // namespace byte_level

}  // namespace lanescope::tokenizer
