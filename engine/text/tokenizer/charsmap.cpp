#include "engine/text/tokenizer/charsmap.h"

#include <cstring>
#include <utility>

#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

// One unit of the double array: a label, whether a value hangs below, and the way to the children.
bool hasLeaf(std::uint32_t unit) {
    return ((unit >> 8) & 1) != 0;
}
std::uint32_t valueOf(std::uint32_t unit) {
    return unit & 0x7FFFFFFFu;
}
std::uint32_t labelOf(std::uint32_t unit) {
    return unit & (0x80000000u | 0xFFu);
}
std::uint32_t offsetOf(std::uint32_t unit) {
    return (unit >> 10) << ((unit & 0x200u) >> 6);
}

/// Whether a character goes on at this byte.
bool isInside(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

}  // namespace

Charsmap::Charsmap(std::vector<std::uint32_t> units, std::string replacements)
    : m_units(std::move(units)), m_replacements(std::move(replacements)) {
    for (std::uint32_t c = 1; c < 128; ++c) {
        const std::size_t at = offsetOf(m_units[0]) ^ c;
        m_asciiStarts[c] = at < m_units.size() && labelOf(m_units[at]) == c;
    }
}

Result<std::shared_ptr<const Charsmap>> Charsmap::parse(std::string_view blob) {
    std::uint32_t size = 0;
    if (blob.size() >= sizeof size) std::memcpy(&size, blob.data(), sizeof size);
    if (size < 4 || size % 4 != 0 || size > blob.size() - sizeof size) {
        return badInput("the table of character replacements is " + std::to_string(blob.size()) +
                        " bytes long, but says that its first part has " + std::to_string(size));
    }
    std::vector<std::uint32_t> units(size / 4);
    std::memcpy(units.data(), blob.data() + sizeof size, size);
    std::string replacements(blob.substr(sizeof size + size));
    if (replacements.empty() || replacements.back() != '\0') {
        return badInput("the replacements of the table of characters do not end with NUL");
    }
    if (!utf8::isValid(replacements)) {
        return badInput("the replacements of the table of characters are not UTF-8");
    }
    return std::shared_ptr<const Charsmap>(new Charsmap(std::move(units), std::move(replacements)));
}

Charsmap::Match Charsmap::find(std::string_view text, bool first) const {
    Match match;
    const auto lead = static_cast<unsigned char>(text.empty() ? 0 : text[0]);
    if (lead < 128 && !m_asciiStarts[lead]) return match;
    std::size_t node = offsetOf(m_units[0]);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte == 0) break;
        node ^= byte;
        if (node >= m_units.size() || labelOf(m_units[node]) != byte) break;
        const std::uint32_t unit = m_units[node];
        node ^= offsetOf(unit);
        if (!hasLeaf(unit)) continue;
        if (node >= m_units.size()) break;
        const std::uint32_t at = valueOf(m_units[node]);
        if (at >= m_replacements.size()) break;
        // Whole characters only, on both sides.
        if (isInside(text, i + 1) || isInside(m_replacements, at)) continue;
        match.length = i + 1;
        match.replacement = std::string_view(m_replacements.data() + at);
        if (first) break;
    }
    return match;
}

}  // namespace lanescope::tokenizer
