#include "engine/text/utf8.h"

namespace lanescope::utf8 {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// Length of the run of plain ASCII at `at`.
std::size_t asciiRun(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && static_cast<unsigned char>(text[end]) < 0x80) ++end;
    return end - at;
}

}  // namespace

Step decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    if (lead < 0x80) return {lead, 1, true, false};
    // Table 3-7 of the Unicode standard: the second byte's range depends on the first.
    std::uint32_t more = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    char32_t value = 0;
    if (lead >= 0xC2 && lead <= 0xDF) {
        more = 1;
        value = lead & 0x1Fu;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        more = 2;
        value = lead & 0x0Fu;
        if (lead == 0xE0) low = 0xA0;
        if (lead == 0xED) high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        more = 3;
        value = lead & 0x07u;
        if (lead == 0xF0) low = 0x90;
        if (lead == 0xF4) high = 0x8F;
    } else {
        return {kReplacement, 1, false, false};
    }
    for (std::uint32_t i = 1; i <= more; ++i) {
        if (at + i >= text.size()) return {kReplacement, i, false, true};
        const unsigned char next = byte(at + i);
        if (next < low || next > high) return {kReplacement, i, false, false};
        value = (value << 6) | (next & 0x3Fu);
        low = 0x80;
        high = 0xBF;
    }
    return {value, more + 1, true, false};
}

void append(std::string& out, char32_t codePoint) {
    if (codePoint > 0x10FFFF || (codePoint >= 0xD800 && codePoint <= 0xDFFF)) {
        codePoint = kReplacement;
    }
    const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (codePoint < 0x80) {
        put(codePoint);
    } else if (codePoint < 0x800) {
        put(0xC0 | (codePoint >> 6));
        put(0x80 | (codePoint & 0x3F));
    } else if (codePoint < 0x10000) {
        put(0xE0 | (codePoint >> 12));
        put(0x80 | ((codePoint >> 6) & 0x3F));
        put(0x80 | (codePoint & 0x3F));
    } else {
        put(0xF0 | (codePoint >> 18));
        put(0x80 | ((codePoint >> 12) & 0x3F));
        put(0x80 | ((codePoint >> 6) & 0x3F));
        put(0x80 | (codePoint & 0x3F));
    }
}

bool isValid(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        at += asciiRun(text, at);
        if (at >= text.size()) break;
        const Step step = decode(text, at);
        if (!step.valid) return false;
        at += step.length;
    }
    return true;
}

std::string repaired(std::string_view text) {
    if (isValid(text)) return std::string(text);
    std::string out;
    out.reserve(text.size() + 16);
    for (std::size_t at = 0; at < text.size();) {
        const Step step = decode(text, at);
        if (step.valid) {
            out.append(text.substr(at, step.length));
        } else {
            append(out, kReplacement);
        }
        at += step.length;
    }
    return out;
}

}  // namespace lanescope::utf8
