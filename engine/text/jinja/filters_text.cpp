// Filters on strings and numbers.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "engine/text/jinja/arithmetic.h"
#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/format.h"
#include "engine/text/jinja/print.h"
#include "engine/text/jinja/strings.h"

namespace lanescope::jinja {

namespace {

Value trimFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("trim", args, {"chars"});
    const TextPtr text = str(value);
    if (!bound.has(0) || bound.value(0).is(Kind::None)) {
        return Value::string(strip(*text, Ends::Both));
    }
    const TextPtr chars = bound.text(0);
    return Value::string(strip(*text, Ends::Both, chars.get()));
}

template <TextPtr (*Change)(const Text&)>
Value changed(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("filter", args, {});
    return Value::string(Change(*str(value)));
}

Value replaceFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("replace", args, {"old", "new", "count"}, 2);
    return Value::string(asMarkup(
        *replace(*str(value), *bound.text(0), *bound.text(1), bound.integer(2, -1)), false));
}

Value joinFilter(Interpreter& interpreter, const Value& value, const Args& args) {
    const Bound bound("join", args, {"d", "attribute"});
    Values items = iterate(value);
    if (bound.has(1) && !bound.value(1).is(Kind::None)) {
        for (Value& item : items) item = interpreter.getPath(item, bound.value(1));
    }
    return Value::string(joinTexts(*bound.text(0), items));
}

Value stringFilter(Interpreter&, const Value& value, const Args&) {
    return Value::string(str(value));
}

Value safeFilter(Interpreter&, const Value& value, const Args&) {
    return Value::string(asMarkup(*str(value), true));
}

Value escapeFilter(Interpreter&, const Value& value, const Args&) {
    const TextPtr text = str(value);
    return Value::string(text->markup ? text : escapeHtml(*text));
}

Value forceEscape(Interpreter&, const Value& value, const Args&) {
    return Value::string(escapeHtml(*str(value)));
}

Value toJsonFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("tojson", args, {"ensure_ascii", "indent", "separators", "sort_keys"});
    JsonStyle style;
    style.ensureAscii = bound.flag(0, false);
    style.sortKeys = bound.flag(3, false);
    if (bound.has(1) && !bound.value(1).is(Kind::None)) {
        if (bound.value(1).isString()) {
            style.indent = bound.text(1)->bytes;
        } else {
            const Int width = std::clamp<Int>(bound.integer(1, 0), 0, 1000);
            style.indent = std::string(static_cast<std::size_t>(width), ' ');
        }
        style.itemSeparator = ",";
    }
    if (bound.has(2) && !bound.value(2).is(Kind::None)) {
        const Values pair = iterate(bound.value(2));
        if (pair.size() != 2) fail("separators must be a pair of strings");
        style.itemSeparator = str(pair[0])->bytes;
        style.keySeparator = str(pair[1])->bytes;
    }
    return Value::string(toJson(value, style));
}

Value indentFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("indent", args, {"width", "first", "blank"});
    const TextPtr text = str(value);
    TextPtr margin;
    if (bound.has(0) && bound.value(0).isString()) {
        margin = bound.text(0);
    } else {
        TextBuilder spaces;
        const Int width = std::max<Int>(narrow(bound.integer(0, 4)), 0);
        spaces.repeat(" ", static_cast<std::size_t>(width));
        margin = spaces.finish();
    }
    const TextPtr quirk = addText(*text, *makeText("\n")).textPtr();  // as the reference does
    const Values lines = splitLines(*quirk, false);
    TextBuilder out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Text& line = lines[i].text();
        if (i > 0) out.append("\n");
        const bool wanted =
            i == 0 ? bound.flag(1, false) : bound.flag(2, false) || !line.bytes.empty();
        if (wanted) out.append(*margin);
        out.append(line);
    }
    return Value::string(out.finish());
}

Value truncateFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("truncate", args, {"length", "killwords", "end", "leeway"});
    const TextPtr text = str(value);
    const Int length = bound.integer(0, 255);
    const TextPtr end = bound.text(2, "...");
    const auto endLength = static_cast<Int>(end->length());
    const Int leeway = bound.integer(3, 5);
    if (length < endLength)
        fail("expected length >= " + printInt(endLength) + ", got " + printInt(length));
    if (leeway < 0) fail("expected leeway >= 0, got " + printInt(leeway));
    if (static_cast<Int>(text->length()) <= length + leeway) return Value::string(text);
    TextPtr kept = slice(*text, 0, text->byteOffset(static_cast<std::size_t>(length - endLength)));
    if (!bound.flag(1, false)) {
        const std::size_t space = kept->bytes.rfind(' ');
        if (space != std::string::npos) kept = slice(*kept, 0, space);
    }
    return addText(*kept, *end);
}

Value centerFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("center", args, {"width"});
    return Value::string(pad(*str(value), bound.integer(0, 80), Ends::Both, *makeText(" ")));
}

Value wordCount(Interpreter&, const Value& value, const Args&) {
    const TextPtr text = str(value);
    chargeWork(text->bytes.size() * 8);
    Int count = 0;
    bool inWord = false;
    for (std::size_t at = 0; at < text->bytes.size();) {
        const std::uint32_t c = nextCodepoint(text->bytes, at);
        const bool word = isLetter(c) || c == '_' || (c >= '0' && c <= '9');
        if (word && !inWord) ++count;
        inWord = word;
    }
    return Value::integer(count);
}

/// Removes <…> and <!--…-->, then joins what is left with single spaces.
Value stripTags(Interpreter&, const Value& value, const Args&) {
    const TextPtr text = str(value);
    TextBuilder out;
    std::size_t done = 0;
    for (std::size_t at = text->bytes.find('<'); at != std::string::npos;
         at = text->bytes.find('<', done)) {
        const bool comment = text->bytes.compare(at, 4, "<!--") == 0;
        const std::size_t end = text->bytes.find(comment ? "-->" : ">", at);
        if (end == std::string::npos) break;
        out.append(*text, done, at);
        done = end + (comment ? 3 : 1);
    }
    out.append(*text, done, text->bytes.size());
    return Value::string(joinTexts(*makeText(" "), split(*out.finish(), nullptr, -1, false)));
}

Value urlEncode(Interpreter&, const Value& value, const Args&) {
    const auto quote = [](const Text& text, TextBuilder& out) {
        static constexpr std::string_view kHex = "0123456789ABCDEF";
        for (std::size_t i = 0; i < text.bytes.size(); ++i) {
            const auto byte = static_cast<unsigned char>(text.bytes[i]);
            const bool plain =
                std::isalnum(byte) != 0
                    ? byte < 0x80
                    : std::string_view("_.-~/").find(text.bytes[i]) != std::string_view::npos;
            if (plain) {
                out.append(text, i, i + 1);
            } else {
                const std::string code = {'%', kHex[byte >> 4U], kHex[byte & 15U]};
                out.append(code, text.fromInputAt(i));
            }
        }
    };
    if (!value.is(Kind::Dict)) {
        TextBuilder out;
        quote(*str(value), out);
        return Value::string(out.finish());
    }
    TextBuilder out;
    for (const auto& [key, item] : value.dict().entries) {
        if (out.size() > 0) out.append("&");
        quote(*str(key), out);
        out.append("=");
        quote(*str(item), out);
    }
    return Value::string(out.finish());
}

Value formatFilter(Interpreter&, const Value& value, const Args& args) {
    if (!args.positional.empty() && !args.keywords.empty()) {
        fail("can't handle positional and keyword arguments at the same time");
    }
    if (args.keywords.empty()) return formatPercent(*str(value), Value::tuple(args.positional));
    auto dict = std::make_shared<Dict>();
    for (const auto& [name, item] : args.keywords) dict->set(Value::string(name), item);
    return formatPercent(*str(value), Dict::seal(std::move(dict)));
}

std::optional<Value> parseInt(const Text& text, int base) {
    std::string bytes = strip(text, Ends::Both)->bytes;
    bytes.erase(std::remove(bytes.begin(), bytes.end(), '_'), bytes.end());
    if (bytes.empty() || bytes.size() > 40) return std::nullopt;
    const bool negative = bytes[0] == '-';
    std::size_t at = bytes[0] == '-' || bytes[0] == '+' ? 1 : 0;
    if ((base == 16 || base == 8 || base == 2) && bytes.size() > at + 2 && bytes[at] == '0') {
        const int prefix = std::tolower(static_cast<unsigned char>(bytes[at + 1]));
        if (prefix == (base == 16 ? 'x' : base == 8 ? 'o' : 'b')) at += 2;
    }
    if (at == bytes.size()) return std::nullopt;
    Int value = 0;
    for (; at < bytes.size(); ++at) {
        const auto c = static_cast<unsigned char>(bytes[at]);
        const int digit = std::isdigit(c) != 0   ? c - '0'
                          : std::isalpha(c) != 0 ? std::tolower(c) - 'a' + 10
                                                 : 99;
        if (digit >= base) return std::nullopt;
        if (__builtin_mul_overflow(value, static_cast<Int>(base), &value) ||
            __builtin_add_overflow(value, static_cast<Int>(digit), &value)) {
            fail("number limit reached: an integer does not fit into 127 bits");
        }
    }
    return Value::integer(negative ? -value : value);
}

std::optional<double> parseReal(const Text& text) {
    std::string bytes = strip(text, Ends::Both)->bytes;
    bytes.erase(std::remove(bytes.begin(), bytes.end(), '_'), bytes.end());
    if (bytes.empty() || bytes.size() > 400 || bytes.find_first_of("xXpP(") != std::string::npos) {
        return std::nullopt;
    }
    std::string_view digits = bytes;
    const bool negative = digits.front() == '-';
    if (digits.front() == '-' || digits.front() == '+') digits.remove_prefix(1);
    double value = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end.ptr != digits.data() + digits.size() || digits.empty() || digits.front() == '-') {
        return std::nullopt;
    }
    return negative ? -value : value;
}

Value intFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("int", args, {"default", "base"});
    const Value fallback = bound.has(0) ? bound.value(0) : Value::integer(0);
    if (value.isUndefined()) fail(value.whyUndefined());
    if (value.isIntegral()) return Value::integer(value.asInt());
    if (value.is(Kind::Float)) {
        if (!std::isfinite(value.asReal()) || std::abs(value.asReal()) > 1e37) return fallback;
        return Value::integer(static_cast<Int>(value.asReal()));
    }
    if (!value.isString()) return fallback;
    const auto base = static_cast<int>(std::clamp<Int>(bound.integer(1, 10), 2, 36));
    if (auto parsed = parseInt(value.text(), base)) return *parsed;
    if (const auto real = parseReal(value.text()); real && std::abs(*real) < 1e37) {
        return Value::integer(static_cast<Int>(*real));
    }
    return fallback;
}

Value floatFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("float", args, {"default"});
    const Value fallback = bound.has(0) ? bound.value(0) : Value::real(0);
    if (value.isUndefined()) fail(value.whyUndefined());
    if (value.isNumber()) return Value::real(value.asReal());
    if (!value.isString()) return fallback;
    const auto real = parseReal(value.text());
    return real ? Value::real(*real) : fallback;
}

Value absFilter(Interpreter&, const Value& value, const Args&) {
    if (value.isIntegral())
        return Value::integer(value.asInt() < 0 ? -value.asInt() : value.asInt());
    if (value.is(Kind::Float)) return Value::real(std::abs(value.asReal()));
    if (value.isUndefined()) fail(value.whyUndefined());
    fail("bad operand type for abs(): '" + typeName(value) + "'");
}

/// Correctly rounded decimal, halves to even, as Python's round().
double roundDecimal(double value, int places) {
    if (!std::isfinite(value) || places > 300) return value;
    if (places < 0) {
        const double unit = std::pow(10.0, -places);
        return std::nearbyint(value / unit) * unit;
    }
    char buffer[800];
    std::snprintf(buffer, sizeof buffer, "%.*f", places, value);
    for (char& c : buffer) {
        if (c == ',') c = '.';
        if (c == '\0') break;
    }
    double out = value;
    const std::string_view text = buffer;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

Value roundFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("round", args, {"precision", "method"});
    const auto places = static_cast<int>(std::clamp<Int>(bound.integer(0, 0), -300, 400));
    const std::string method = bound.text(1, "common")->bytes;
    if (method != "common" && method != "ceil" && method != "floor") {
        fail("method must be common, ceil or floor");
    }
    if (value.isUndefined()) fail(value.whyUndefined());
    if (!value.isNumber()) fail("type " + typeName(value) + " doesn't define __round__ method");
    if (method == "common") {
        if (value.isIntegral() && places >= 0) return Value::integer(value.asInt());
        const double rounded = roundDecimal(value.asReal(), places);
        return value.isIntegral() ? Value::integer(static_cast<Int>(rounded))
                                  : Value::real(rounded);
    }
    const double unit = std::pow(10.0, places);
    const double scaled = value.asReal() * unit;
    return Value::real((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit);
}

}  // namespace

FilterTable textFilters() {
    return {{"trim", trimFilter},
            {"upper", changed<upper>},
            {"lower", changed<lower>},
            {"title", changed<titleFilter>},
            {"capitalize", changed<capitalize>},
            {"replace", replaceFilter},
            {"join", joinFilter},
            {"string", stringFilter},
            {"safe", safeFilter},
            {"escape", escapeFilter},
            {"e", escapeFilter},
            {"forceescape", forceEscape},
            {"tojson", toJsonFilter},
            {"indent", indentFilter},
            {"truncate", truncateFilter},
            {"center", centerFilter},
            {"wordcount", wordCount},
            {"striptags", stripTags},
            {"urlencode", urlEncode},
            {"format", formatFilter},
            {"int", intFilter},
            {"float", floatFilter},
            {"abs", absFilter},
            {"round", roundFilter}};
}

}  // namespace lanescope::jinja
