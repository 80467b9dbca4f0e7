#include "engine/text/jinja/text.h"

#include <algorithm>

namespace lanescope::jinja {

Object::~Object() {
    if (m_budget != nullptr) m_budget->release(m_charged);
}

void Object::charge(std::size_t bytes) {
    Budget* budget = currentBudget();
    if (budget == nullptr) return;
    budget->charge(bytes);
    m_budget = budget;
    m_charged += bytes;
}

std::size_t Text::length() const {
    if (ascii) return bytes.size();
    chargeWork(bytes.size());
    return static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

std::size_t Text::byteOffset(std::size_t codepoint) const {
    if (ascii) return std::min(codepoint, bytes.size());
    chargeWork(bytes.size());
    std::size_t at = 0;
    while (codepoint-- > 0 && at < bytes.size()) {
        ++at;
        while (at < bytes.size() && (static_cast<unsigned char>(bytes[at]) & 0xC0U) == 0x80U) ++at;
    }
    return at;
}

bool Text::fromInputAt(std::size_t byte) const {
    auto run = std::upper_bound(runs.begin(), runs.end(), byte,
                                [](std::size_t at, const Run& r) { return at < r.end; });
    return run != runs.end() && run->fromInput;
}

void TextBuilder::account(std::size_t added) {
    if (Budget* budget = currentBudget()) {
        budget->checkText(m_bytes.size() + added);
        budget->copied(added);
    }
}

void TextBuilder::mark(bool fromInput) {
    if (m_bytes.empty()) return;
    if (!m_runs.empty() && m_runs.back().fromInput == fromInput) {
        m_runs.back().end = m_bytes.size();
    } else if (m_runs.empty() || m_runs.back().end < m_bytes.size()) {
        m_runs.push_back({m_bytes.size(), fromInput});
    }
}

void TextBuilder::append(const Text& text, std::size_t from, std::size_t to) {
    if (from >= to) return;
    account(to - from);
    auto run = std::upper_bound(text.runs.begin(), text.runs.end(), from,
                                [](std::size_t at, const Run& r) { return at < r.end; });
    for (std::size_t at = from; at < to && run != text.runs.end(); ++run) {
        const std::size_t end = std::min(run->end, to);
        m_bytes.append(text.bytes, at, end - at);
        mark(run->fromInput);
        at = end;
    }
}

void TextBuilder::append(std::string_view bytes, bool fromInput) {
    account(bytes.size());
    m_bytes.append(bytes);
    mark(fromInput);
}

void TextBuilder::append(std::uint32_t codepoint, bool fromInput) {
    account(4);
    appendUtf8(m_bytes, codepoint);
    mark(fromInput);
}

void TextBuilder::repeat(std::string_view bytes, std::size_t times) {
    if (bytes.empty() || times == 0) return;
    if (Budget* budget = currentBudget()) {
        const std::size_t most = budget->limits().textBytes;
        budget->checkText(times > most ? most + 1 : m_bytes.size() + times * bytes.size());
        budget->copied(times * bytes.size());
    }
    for (std::size_t i = 0; i < times; ++i) m_bytes.append(bytes);
    mark(false);
}

TextPtr TextBuilder::finish(bool markup) {
    auto text = std::make_shared<Text>();
    text->charge(sizeof(Text) + m_bytes.size() + m_runs.size() * sizeof(Run));
    text->bytes = std::move(m_bytes);
    text->runs = std::move(m_runs);
    text->markup = markup;
    text->ascii = std::all_of(text->bytes.begin(), text->bytes.end(),
                              [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
    m_bytes.clear();
    m_runs.clear();
    return text;
}

TextPtr makeText(std::string_view bytes, bool fromInput) {
    TextBuilder builder;
    builder.append(bytes, fromInput);
    return builder.finish();
}

TextPtr slice(const Text& text, std::size_t fromByte, std::size_t toByte) {
    TextBuilder builder;
    builder.append(text, fromByte, std::max(fromByte, toByte));
    return builder.finish(text.markup);
}

TextPtr asMarkup(const Text& text, bool markup) {
    TextBuilder builder;
    builder.append(text);
    return builder.finish(markup);
}

TextPtr escapeHtml(const Text& text) {
    TextBuilder builder;
    std::size_t done = 0;
    for (std::size_t i = 0; i < text.bytes.size(); ++i) {
        std::string_view entity;
        switch (text.bytes[i]) {
            case '&':
                entity = "&amp;";
                break;
            case '<':
                entity = "&lt;";
                break;
            case '>':
                entity = "&gt;";
                break;
            case '"':
                entity = "&#34;";
                break;
            case '\'':
                entity = "&#39;";
                break;
            default:
                continue;
        }
        builder.append(text, done, i);
        builder.append(entity, text.fromInputAt(i));
        done = i + 1;
    }
    builder.append(text, done, text.bytes.size());
    return builder.finish(true);
}

std::uint32_t nextCodepoint(std::string_view bytes, std::size_t& at) {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
    };
    const std::uint32_t first = byte(at++);
    if (first < 0x80) return first;
    int more = 0;
    std::uint32_t code = 0;
    std::uint32_t least = 0;
    if (first >= 0xC2 && first < 0xE0) {
        more = 1, code = first & 0x1FU, least = 0x80;
    } else if (first >= 0xE0 && first < 0xF0) {
        more = 2, code = first & 0x0FU, least = 0x800;
    } else if (first >= 0xF0 && first < 0xF5) {
        more = 3, code = first & 0x07U, least = 0x10000;
    } else {
        return 0xFFFD;
    }
    std::size_t end = at;
    for (int i = 0; i < more; ++i, ++end) {
        if (end >= bytes.size() || (byte(end) & 0xC0U) != 0x80U) return 0xFFFD;
        code = (code << 6) | (byte(end) & 0x3FU);
    }
    if (code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0xFFFD;
    at = end;
    return code;
}

std::size_t previousStart(std::string_view bytes, std::size_t at) {
    --at;
    while (at > 0 && (static_cast<unsigned char>(bytes[at]) & 0xC0U) == 0x80U) --at;
    return at;
}

void appendUtf8(std::string& out, std::uint32_t code) {
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
    const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0U | (code >> 6));
        put(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        put(0xE0U | (code >> 12));
        put(0x80U | ((code >> 6) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    } else {
        put(0xF0U | (code >> 18));
        put(0x80U | ((code >> 12) & 0x3FU));
        put(0x80U | ((code >> 6) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    }
}

bool isSpace(std::uint32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
           c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::size_t skipSpace(std::string_view bytes, std::size_t from) {
    while (from < bytes.size()) {
        std::size_t at = from;
        if (!isSpace(nextCodepoint(bytes, at))) break;
        from = at;
    }
    return from;
}

std::size_t trimSpaceEnd(std::string_view bytes, std::size_t from, std::size_t end) {
    while (end > from) {
        const std::size_t start = previousStart(bytes, end);
        std::size_t at = start;
        if (start < from || !isSpace(nextCodepoint(bytes, at)) || at != end) break;
        end = start;
    }
    return end;
}

}  // namespace lanescope::jinja
