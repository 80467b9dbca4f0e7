#include "engine/text/jinja/print.h"

#include <utf8proc.h>

#include <array>
#include <charconv>
#include <cmath>

#include "engine/text/jinja/interpreter_types.h"

namespace lanescope::jinja {

std::string printInt(Int value) {
    if (value == 0) return "0";
    const bool negative = value < 0;
    std::string digits;
    while (value != 0) {
        const int digit = static_cast<int>(value % 10);
        digits.insert(digits.begin(), static_cast<char>('0' + (negative ? -digit : digit)));
        value /= 10;
    }
    return negative ? "-" + digits : digits;
}

std::string printFloat(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::scientific);
    std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
    std::string sign;
    if (text.front() == '-') {
        sign = "-";
        text.remove_prefix(1);
    }
    const std::size_t e = text.find('e');
    std::string digits(1, text[0]);
    if (e > 2) digits += text.substr(2, e - 2);
    const int exponent = std::stoi(std::string(text.substr(e + 1)));
    const int count = static_cast<int>(digits.size());
    if (exponent < -4 || exponent >= 16) {
        std::string out = sign + digits.substr(0, 1);
        if (count > 1) out += "." + digits.substr(1);
        const std::string power = std::to_string(std::abs(exponent));
        return out + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
    }
    if (exponent < 0) {
        return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    }
    if (exponent >= count - 1) {
        return sign + digits + std::string(static_cast<std::size_t>(exponent - count + 1), '0') +
               ".0";
    }
    return sign + digits.substr(0, static_cast<std::size_t>(exponent + 1)) + "." +
           digits.substr(static_cast<std::size_t>(exponent + 1));
}

namespace {

bool isPrintable(std::uint32_t code) {
    if (code < 0x7F) return code >= 0x20;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
        case UTF8PROC_CATEGORY_ZS:
            return false;
        default:
            return true;
    }
}

std::string hex(std::uint32_t code, int width) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (int shift = (width - 1) * 4; shift >= 0; shift -= 4) {
        out.push_back(kDigits[(code >> static_cast<unsigned>(shift)) & 15U]);
    }
    return out;
}

std::string escapeForRepr(std::uint32_t code, char quote) {
    switch (code) {
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        case '\\':
            return "\\\\";
        default:
            break;
    }
    if (code == static_cast<unsigned char>(quote)) return std::string("\\") + quote;
    if (isPrintable(code)) return {};
    if (code < 0x100) return "\\x" + hex(code, 2);
    return code < 0x10000 ? "\\u" + hex(code, 4) : "\\U" + hex(code, 8);
}

std::string escapeForJson(std::uint32_t code, bool ensureAscii) {
    switch (code) {
        case '"':
            return "\\\"";
        case '\\':
            return "\\\\";
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        case '\b':
            return "\\b";
        case '\f':
            return "\\f";
        default:
            break;
    }
    if (code < 0x20) return "\\u" + hex(code, 4);
    if (!ensureAscii || code < 0x7F) return {};
    if (code < 0x10000) return "\\u" + hex(code, 4);
    const std::uint32_t rest = code - 0x10000;
    return "\\u" + hex(0xD800 + (rest >> 10), 4) + "\\u" + hex(0xDC00 + (rest & 0x3FFU), 4);
}

/// Appends `text`, with `escape(code point)` in place of every one for which it is not empty.
template <class Escape>
void appendEscaped(TextBuilder& out, const Text& text, Escape escape) {
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.bytes.size();) {
        const std::size_t from = at;
        const auto byte = static_cast<unsigned char>(text.bytes[at]);
        if (byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\'' && byte != '\\') {
            ++at;
            continue;
        }
        const std::string replacement = escape(nextCodepoint(text.bytes, at));
        if (replacement.empty()) continue;
        out.append(text, done, from);
        out.append(replacement, text.fromInputAt(from));
        done = at;
    }
    out.append(text, done, text.bytes.size());
}

void appendReprItems(TextBuilder& out, const Values& items) {
    bool first = true;
    for (const Value& item : items) {
        if (!first) out.append(", ");
        first = false;
        appendRepr(out, item);
    }
}

void appendReprPairs(TextBuilder& out, const Dict& dict) {
    bool first = true;
    out.append("{");
    for (const auto& [key, value] : dict.entries) {
        if (!first) out.append(", ");
        first = false;
        appendRepr(out, key);
        out.append(": ");
        appendRepr(out, value);
    }
    out.append("}");
}

void appendReprOfSequence(TextBuilder& out, const Value& value) {
    const Values& items = value.items().values;
    switch (value.kind()) {
        case Kind::Tuple:
            out.append("(");
            appendReprItems(out, items);
            out.append(items.size() == 1 ? ",)" : ")");
            break;
        case Kind::View:
            out.append(value.items().name);
            out.append("([");
            appendReprItems(out, items);
            out.append("])");
            break;
        default:
            out.append("[");
            appendReprItems(out, items);
            out.append("]");
    }
}

/// A namespace may hold itself; the depth is counted while it is printed.
void appendReprOfNamespace(TextBuilder& out, const Namespace& ns) {
    Budget* budget = currentBudget();
    if (budget == nullptr) return;
    const DepthGuard guard(*budget);
    out.append("<Namespace {");
    bool first = true;
    for (const auto& [key, value] : ns.attributes) {
        if (!first) out.append(", ");
        first = false;
        out.append("'" + key + "': ");
        appendRepr(out, value);
    }
    out.append("}>");
}

}  // namespace

void appendRepr(TextBuilder& out, const Value& value) {
    if (Budget* budget = currentBudget()) budget->step();
    switch (value.kind()) {
        case Kind::Undefined:
            out.append("Undefined");
            break;
        case Kind::String: {
            const Text& text = value.text();
            const bool hasSingle = text.bytes.find('\'') != std::string::npos;
            const char quote = hasSingle && text.bytes.find('"') == std::string::npos ? '"' : '\'';
            if (text.markup) out.append("Markup(");
            out.append(std::string_view(&quote, 1));
            appendEscaped(out, text, [&](std::uint32_t c) { return escapeForRepr(c, quote); });
            out.append(std::string_view(&quote, 1));
            if (text.markup) out.append(")");
            break;
        }
        case Kind::List:
        case Kind::Tuple:
        case Kind::View:
            appendReprOfSequence(out, value);
            break;
        case Kind::Iterator:
            out.append("<generator object>");
            break;
        case Kind::Range: {
            const RangeObject& range = value.rangeObject();
            out.append("range(" + printInt(range.start) + ", " + printInt(range.stop) +
                       (range.step == 1 ? "" : ", " + printInt(range.step)) + ")");
            break;
        }
        case Kind::Dict:
            appendReprPairs(out, value.dict());
            break;
        case Kind::Namespace:
            appendReprOfNamespace(out, value.ns());
            break;
        case Kind::Callable:
            out.append(value.callable().describe());
            break;
        case Kind::Loop:
            out.append("<LoopContext>");
            break;
        default:
            appendStr(out, value);
    }
}

void appendStr(TextBuilder& out, const Value& value) {
    switch (value.kind()) {
        case Kind::Undefined:
            break;
        case Kind::None:
            out.append("None");
            break;
        case Kind::Bool:
            out.append(value.asInt() != 0 ? "True" : "False");
            break;
        case Kind::Integer:
            out.append(printInt(value.asInt()));
            break;
        case Kind::Float:
            out.append(printFloat(value.asReal()));
            break;
        case Kind::String:
            out.append(value.text());
            break;
        default:
            appendRepr(out, value);
    }
}

TextPtr str(const Value& value) {
    if (value.isString()) return value.textPtr();
    TextBuilder out;
    appendStr(out, value);
    return out.finish();
}

TextPtr repr(const Value& value) {
    TextBuilder out;
    appendRepr(out, value);
    return out.finish();
}

namespace {

class JsonWriter {
  public:
    JsonWriter(TextBuilder& out, const JsonStyle& style) : m_out(out), m_style(style) {}

    void write(const Value& value, int level) {
        if (Budget* budget = currentBudget()) budget->step();
        switch (value.kind()) {
            case Kind::None:
                m_out.append("null");
                break;
            case Kind::Bool:
                m_out.append(value.asInt() != 0 ? "true" : "false");
                break;
            case Kind::Integer:
                m_out.append(printInt(value.asInt()));
                break;
            case Kind::Float:
                m_out.append(number(value.asReal()));
                break;
            case Kind::String:
                string(value.text());
                break;
            case Kind::List:
            case Kind::Tuple:
                array(value.items().values, level);
                break;
            case Kind::Dict:
                object(value.dict(), level);
                break;
            default:
                fail("Object of type " + typeName(value) + " is not JSON serializable");
        }
    }

  private:
    static std::string number(double d) {
        if (std::isnan(d)) return "NaN";
        if (std::isinf(d)) return d < 0 ? "-Infinity" : "Infinity";
        return printFloat(d);
    }

    void string(const Text& text) {
        m_out.append("\"");
        appendEscaped(m_out, text,
                      [&](std::uint32_t c) { return escapeForJson(c, m_style.ensureAscii); });
        m_out.append("\"");
    }

    void newline(int level) {
        if (!m_style.indent) return;
        m_out.append("\n");
        m_out.repeat(*m_style.indent, static_cast<std::size_t>(level));
    }

    void array(const Values& items, int level) {
        m_out.append("[");
        bool first = true;
        for (const Value& item : items) {
            if (!first) m_out.append(m_style.itemSeparator);
            first = false;
            newline(level + 1);
            write(item, level + 1);
        }
        if (!first) newline(level);
        m_out.append("]");
    }

    void key(const Value& key) {
        switch (key.kind()) {
            case Kind::String:
                string(key.text());
                break;
            case Kind::None:
                m_out.append("\"null\"");
                break;
            case Kind::Bool:
                m_out.append(key.asInt() != 0 ? "\"true\"" : "\"false\"");
                break;
            case Kind::Integer:
                m_out.append("\"" + printInt(key.asInt()) + "\"");
                break;
            case Kind::Float:
                m_out.append("\"" + number(key.asReal()) + "\"");
                break;
            default:
                fail("keys must be str, int, float, bool or None, not " + typeName(key));
        }
    }

    void object(const Dict& dict, int level) {
        std::vector<const std::pair<Value, Value>*> entries;
        entries.reserve(dict.entries.size());
        for (const auto& entry : dict.entries) entries.push_back(&entry);
        if (m_style.sortKeys) {
            std::stable_sort(entries.begin(), entries.end(),
                             [](const auto* a, const auto* b) { return less(a->first, b->first); });
        }
        m_out.append("{");
        bool first = true;
        for (const auto* entry : entries) {
            if (!first) m_out.append(m_style.itemSeparator);
            first = false;
            newline(level + 1);
            key(entry->first);
            m_out.append(m_style.keySeparator);
            write(entry->second, level + 1);
        }
        if (!first) newline(level);
        m_out.append("}");
    }

    TextBuilder& m_out;
    const JsonStyle& m_style;
};

}  // namespace

TextPtr toJson(const Value& value, const JsonStyle& style) {
    TextBuilder out;
    JsonWriter(out, style).write(value, 0);
    return out.finish();
}

}  // namespace lanescope::jinja
