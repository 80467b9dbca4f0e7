#include "engine/text/tokenizer/safe_cuts.h"

namespace lanescope::tokenizer {

namespace {

/// Length of a character by its first byte. Precondition: valid UTF-8.
std::size_t lengthOf(unsigned char lead) {
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

}  // namespace

void SafeCuts::addToken(std::string_view token) {
    std::size_t before = kClasses;
    for (std::size_t at = 0; at < token.size();) {
        const auto lead = static_cast<unsigned char>(token[at]);
        std::size_t kind = lead < 0x80 ? lead : kOther;
        if (token.substr(at, 3) == "\xE2\x96\x81") kind = kMeta;
        if (before != kClasses) m_together.set(before * kClasses + kind);
        before = kind;
        at += lengthOf(lead);
    }
}

void SafeCuts::allowBefore(char32_t character) {
    if (character < kMeta) m_allowed.set(character);
    if (character == 0x2581) m_allowed.set(kMeta);
}

std::size_t SafeCuts::next(std::string_view text, std::size_t begin) const {
    std::size_t before = kClasses;
    for (std::size_t at = begin; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at]);
        std::size_t kind = lead;
        if (lead >= 0x80) kind = text.substr(at, 3) == "\xE2\x96\x81" ? kMeta : kOther;
        if (before != kClasses && m_allowed[kind] && !m_together[before * kClasses + kind]) {
            return at;
        }
        before = kind;
        at += lengthOf(lead);
    }
    return text.size();
}

}  // namespace lanescope::tokenizer
