#include "engine/text/jinja/strings.h"

#include <utf8proc.h>

#include <algorithm>

#include "engine/text/jinja/interpreter_types.h"
#include "engine/text/jinja/print.h"

namespace lanescope::jinja {

namespace {

int category(std::uint32_t c) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

std::uint32_t upperOf(std::uint32_t c) {
    if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 32 : c;
    return static_cast<std::uint32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
}

std::uint32_t lowerOf(std::uint32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return static_cast<std::uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

/// Appends change(code point, index) for every code point.
template <class Change>
TextPtr mapCodepoints(const Text& text, Change change) {
    TextBuilder out;
    std::size_t index = 0;
    for (std::size_t at = 0; at < text.bytes.size(); ++index) {
        const bool fromInput = text.fromInputAt(at);
        const std::uint32_t c = nextCodepoint(text.bytes, at);
        const std::uint32_t changed = change(c, index);
        if (c == 0xDF && changed != c) {  // ß has no capital of one letter
            out.append("SS", fromInput);
        } else {
            out.append(changed, fromInput);
        }
    }
    return out.finish(text.markup);
}

bool holds(const Text& chars, std::uint32_t c) {
    for (std::size_t at = 0; at < chars.bytes.size();) {
        if (nextCodepoint(chars.bytes, at) == c) return true;
    }
    return false;
}

bool isLineBreak(std::uint32_t c) {
    return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

}  // namespace

bool isLetter(std::uint32_t c) {
    if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const int cat = category(c);
    return cat >= UTF8PROC_CATEGORY_LU && cat <= UTF8PROC_CATEGORY_LO;
}
bool isCasedUpper(std::uint32_t c) {
    return c < 0x80 ? c >= 'A' && c <= 'Z' : category(c) == UTF8PROC_CATEGORY_LU;
}
bool isCasedLower(std::uint32_t c) {
    return c < 0x80 ? c >= 'a' && c <= 'z' : category(c) == UTF8PROC_CATEGORY_LL;
}

TextPtr strip(const Text& text, Ends ends, const Text* chars) {
    const std::string_view bytes = text.bytes;
    const auto matches = [&](std::uint32_t c) {
        return chars != nullptr ? holds(*chars, c) : isSpace(c);
    };
    if (Budget* budget = currentBudget()) {
        budget->copied(chars == nullptr ? 0 : chars->bytes.size() * 4);
    }
    std::size_t from = 0;
    std::size_t to = bytes.size();
    const auto mask = static_cast<unsigned>(ends);
    while ((mask & 1U) != 0 && from < to) {
        std::size_t at = from;
        if (!matches(nextCodepoint(bytes, at))) break;
        from = at;
    }
    while ((mask & 2U) != 0 && from < to) {
        const std::size_t start = previousStart(bytes, to);
        std::size_t at = start;
        if (!matches(nextCodepoint(bytes, at))) break;
        to = start;
    }
    chargeWork((bytes.size() - (to - from)) * 16);  // each code point decoded and looked up
    return slice(text, from, to);
}

TextPtr upper(const Text& text) {
    return mapCodepoints(text, [](std::uint32_t c, std::size_t) {
        return c == 0xDF ? std::uint32_t{0x1E9E} : upperOf(c);
    });
}

TextPtr lower(const Text& text) {
    return mapCodepoints(text, [](std::uint32_t c, std::size_t) { return lowerOf(c); });
}

TextPtr swapcase(const Text& text) {
    return mapCodepoints(text, [](std::uint32_t c, std::size_t) {
        return isCasedUpper(c) ? lowerOf(c) : isCasedLower(c) ? upperOf(c) : c;
    });
}

TextPtr capitalize(const Text& text) {
    return mapCodepoints(text, [](std::uint32_t c, std::size_t index) {
        return index == 0 ? upperOf(c) : lowerOf(c);
    });
}

TextPtr titleMethod(const Text& text) {
    bool inWord = false;
    return mapCodepoints(text, [&](std::uint32_t c, std::size_t) {
        const std::uint32_t changed = inWord ? lowerOf(c) : upperOf(c);
        inWord = isLetter(c);
        return changed;
    });
}

TextPtr titleFilter(const Text& text) {
    bool start = true;
    return mapCodepoints(text, [&](std::uint32_t c, std::size_t) {
        const bool separator =
            c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || isSpace(c);
        const std::uint32_t changed = start ? upperOf(c) : lowerOf(c);
        start = separator;
        return separator ? c : changed;
    });
}

TextPtr replace(const Text& text, const Text& from, const Text& to, Int limit) {
    TextBuilder out;
    std::size_t done = 0;
    if (from.bytes.empty()) {  // between all characters, as Python does
        for (std::size_t at = 0; limit != 0; --limit) {
            out.append(to);
            if (at >= text.bytes.size()) break;
            nextCodepoint(text.bytes, at);
            out.append(text, done, at);
            done = at;
        }
        out.append(text, done, text.bytes.size());
        return out.finish(text.markup);
    }
    for (; limit != 0; --limit) {
        const std::size_t at = text.bytes.find(from.bytes, done);
        if (at == std::string::npos) break;
        out.append(text, done, at);
        out.append(to);
        done = at + from.bytes.size();
    }
    out.append(text, done, text.bytes.size());
    return out.finish(text.markup);
}

namespace {

Values splitAtSpace(const Text& text, Int limit, bool fromRight) {
    const std::string_view bytes = text.bytes;
    std::vector<std::pair<std::size_t, std::size_t>> words;
    for (std::size_t at = skipSpace(bytes, 0); at < bytes.size();) {
        const std::size_t from = at;
        std::size_t to = at;
        while (at < bytes.size() && !isSpace(nextCodepoint(bytes, at))) to = at;
        words.emplace_back(from, to);
        at = skipSpace(bytes, to);
    }
    Values out;
    const auto most = limit < 0 ? words.size() : static_cast<std::size_t>(limit);
    if (words.size() > most && fromRight) {
        const std::size_t first = words.size() - most;
        out.push_back(Value::string(slice(text, 0, words[first - 1].second)));
        for (std::size_t i = first; i < words.size(); ++i) {
            out.push_back(Value::string(slice(text, words[i].first, words[i].second)));
        }
        return out;
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool rest = i == most;
        out.push_back(
            Value::string(slice(text, words[i].first, rest ? bytes.size() : words[i].second)));
        if (rest) break;
    }
    return out;
}

}  // namespace

Values split(const Text& text, const Text* separator, Int limit, bool fromRight) {
    if (limit > static_cast<Int>(text.bytes.size())) limit = -1;
    if (separator == nullptr) return splitAtSpace(text, limit, fromRight);
    const std::string& mark = separator->bytes;
    if (mark.empty()) fail("empty separator");
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    if (!fromRight) {
        std::size_t from = 0;
        for (; limit != 0; --limit) {
            const std::size_t at = text.bytes.find(mark, from);
            if (at == std::string::npos) break;
            parts.emplace_back(from, at);
            from = at + mark.size();
        }
        parts.emplace_back(from, text.bytes.size());
    } else {
        std::size_t to = text.bytes.size();
        for (; limit != 0 && to >= mark.size(); --limit) {
            const std::size_t at = text.bytes.rfind(mark, to - mark.size());
            if (at == std::string::npos) break;
            parts.emplace_back(at + mark.size(), to);
            to = at;
        }
        parts.emplace_back(0, to);
        std::reverse(parts.begin(), parts.end());
    }
    Values out;
    out.reserve(parts.size());
    for (const auto& [from, to] : parts) out.push_back(Value::string(slice(text, from, to)));
    return out;
}

Values splitLines(const Text& text, bool keepEnds) {
    Values out;
    std::size_t from = 0;
    for (std::size_t at = 0; at < text.bytes.size();) {
        const std::size_t end = at;
        const std::uint32_t c = nextCodepoint(text.bytes, at);
        if (!isLineBreak(c)) continue;
        if (c == '\r' && at < text.bytes.size() && text.bytes[at] == '\n') ++at;
        out.push_back(Value::string(slice(text, from, keepEnds ? at : end)));
        from = at;
    }
    if (from < text.bytes.size()) {
        out.push_back(Value::string(slice(text, from, text.bytes.size())));
    }
    return out;
}

TextPtr joinTexts(const Text& separator, const Values& items) {
    TextBuilder out;
    bool first = true;
    for (const Value& item : items) {
        if (!first) out.append(separator);
        first = false;
        appendStr(out, item);
    }
    return out.finish();
}

TextPtr pad(const Text& text, Int width, Ends textAt, const Text& fill) {
    if (fill.length() != 1) fail("The fill character must be exactly one character long");
    const auto length = static_cast<Int>(text.length());
    const Int missing = std::max<Int>(narrow(width) - length, 0);
    Int left = textAt == Ends::Left ? 0 : missing;
    if (textAt == Ends::Both) left = missing / 2 + (missing & width & 1);
    TextBuilder out;
    out.repeat(fill.bytes, static_cast<std::size_t>(left));
    out.append(text);
    out.repeat(fill.bytes, static_cast<std::size_t>(missing - left));
    return out.finish(text.markup);
}

}  // namespace lanescope::jinja
