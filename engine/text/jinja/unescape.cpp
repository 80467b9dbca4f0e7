#include "engine/text/jinja/unescape.h"

#include <cstdint>
#include <optional>

#include "engine/text/jinja/text.h"

namespace lanescope::jinja {

namespace {

std::optional<std::uint32_t> digits(std::string_view text, std::size_t from, std::size_t count,
                                    unsigned base) {
    if (from + count > text.size()) return std::nullopt;
    std::uint32_t value = 0;
    for (const char c : text.substr(from, count)) {
        unsigned digit = 99;
        if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
        if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
        if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
        if (digit >= base) return std::nullopt;
        value = value * base + digit;
    }
    return value;
}

/// The low half of a surrogate pair at `at`, if there is one.
std::optional<std::uint32_t> lowSurrogate(std::string_view text, std::size_t at) {
    if (text.substr(at, 2) != "\\u") return std::nullopt;
    const auto low = digits(text, at + 2, 4, 16);
    return low && *low >= 0xDC00 && *low < 0xE000 ? low : std::nullopt;
}

char simpleEscape(char c) {
    switch (c) {
        case 'n':
            return '\n';
        case 't':
            return '\t';
        case 'r':
            return '\r';
        case 'a':
            return '\a';
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'v':
            return '\v';
        case '\\':
        case '\'':
        case '"':
            return c;
        default:
            return '\0';
    }
}

}  // namespace

std::string unescape(std::string_view text, int line) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] != '\\' || i + 1 >= text.size()) {
            out.push_back(text[i++]);
            continue;
        }
        const char c = text[i + 1];
        i += 2;
        if (const char plain = simpleEscape(c); plain != '\0') {
            out.push_back(plain);
        } else if (c == '\n') {
            continue;  // a line joined to the next
        } else if (c == 'x' || c == 'u' || c == 'U') {
            const std::size_t count = c == 'x' ? 2 : c == 'u' ? 4 : 8;
            auto code = digits(text, i, count, 16);
            if (!code || *code > 0x10FFFF) {
                throw Failure{std::string("truncated or illegal \\") + c + " escape in a string",
                              line};
            }
            i += count;
            if (*code >= 0xD800 && *code < 0xDC00) {
                if (const auto low = lowSurrogate(text, i)) {
                    code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
                    i += 6;
                }
            }
            appendUtf8(out, *code);
        } else if (c >= '0' && c <= '7') {
            std::size_t count = 1;
            while (count < 3 && digits(text, i - 1, count + 1, 8)) ++count;
            appendUtf8(out, *digits(text, i - 1, count, 8));
            i += count - 1;
        } else if (c == 'N') {
            throw Failure{"\\N{…} escapes are not supported in strings", line};
        } else {
            out.push_back('\\');
            out.push_back(c);
        }
    }
    return out;
}

}  // namespace lanescope::jinja
