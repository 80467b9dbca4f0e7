#include "engine/text/tokenizer/characters.h"

#include <utf8proc.h>

#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

utf8proc_category_t categoryOf(char32_t c) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

}  // namespace

bool isWhitespace(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

bool isNumeric(char32_t c) {
    if (c < 0x80) return c >= '0' && c <= '9';
    const auto category = categoryOf(c);
    return category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL ||
           category == UTF8PROC_CATEGORY_NO;
}

bool isPunctuation(char32_t c) {
    if (c < 0x80) {
        return (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) ||
               (c >= 0x7B && c <= 0x7E);
    }
    const auto category = categoryOf(c);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool isWordChar(char32_t c) {
    const auto category = categoryOf(c);
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) ||
           category == UTF8PROC_CATEGORY_PC || c == 0x200C || c == 0x200D;
}

bool isMark(char32_t c) {
    return categoryOf(c) == UTF8PROC_CATEGORY_MN;
}

namespace byte_level {

namespace {

constexpr int kAlphabetEnd = 0x144;  ///< one past the largest character of the alphabet

/// Bytes that print stand for themselves; the others follow in order from U+0100.
struct Alphabet {
    std::array<char32_t, 256> charOf{};
    std::array<std::int16_t, kAlphabetEnd> byteOf{};

    constexpr Alphabet() {
        for (auto& byte : byteOf) byte = -1;
        char32_t next = 0x100;
        for (int byte = 0; byte < 256; ++byte) {
            const bool prints = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) ||
                                (byte >= 0xAE && byte <= 0xFF);
            const char32_t c = prints ? static_cast<char32_t>(byte) : next++;
            charOf[static_cast<std::size_t>(byte)] = c;
            byteOf[c] = static_cast<std::int16_t>(byte);
        }
    }
};

constexpr Alphabet kAlphabet;

}  // namespace

char32_t charOf(unsigned char byte) {
    return kAlphabet.charOf[byte];
}

int byteOf(char32_t c) {
    return c < kAlphabetEnd ? kAlphabet.byteOf[c] : -1;
}

void appendMapped(std::string& out, std::string_view bytes) {
    for (const char byte : bytes) {
        const char32_t c = kAlphabet.charOf[static_cast<unsigned char>(byte)];
        if (c < 0x80) {
            out.push_back(static_cast<char>(c));
        } else {
            out.push_back(static_cast<char>(0xC0 | (c >> 6)));
            out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
        }
    }
}

std::optional<std::string> unmapped(std::string_view token) {
    std::string bytes;
    bytes.reserve(token.size());
    for (std::size_t at = 0; at < token.size();) {
        const utf8::Step step = utf8::decode(token, at);
        const int byte = step.valid ? byteOf(step.codePoint) : -1;
        if (byte < 0) return std::nullopt;
        bytes.push_back(static_cast<char>(byte));
        at += step.length;
    }
    return bytes;
}

}  // namespace byte_level

}  // namespace lanescope::tokenizer
