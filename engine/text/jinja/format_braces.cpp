// "{}".format(…): fields, conversions and Python's format specifications.
#include <algorithm>
#include <cmath>

#include "engine/text/jinja/format.h"
#include "engine/text/jinja/print.h"

namespace lanescope::jinja {

namespace {

FormatSpec parseSpec(const std::string& text) {
    FormatSpec spec;
    std::size_t at = 0;
    const auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
    const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
    std::size_t behindFill = 0;
    if (!text.empty()) nextCodepoint(text, behindFill);
    if (behindFill < text.size() && behindFill > 0 && isAlign(text[behindFill])) {
        spec.fill = text.substr(0, behindFill);
        spec.align = text[behindFill];
        at = behindFill + 1;
    } else if (isAlign(peek())) {
        spec.align = text[at++];
    }
    if (peek() == '+' || peek() == '-' || peek() == ' ') spec.sign = text[at++];
    if (peek() == '#') spec.alternate = true, ++at;
    if (peek() == '0') spec.zero = true, ++at;
    const auto number = [&] {
        Int value = 0;
        while (peek() >= '0' && peek() <= '9') {
            if (value > (Int{1} << 40)) fail("Too many decimal digits in format string");
            value = value * 10 + (text[at++] - '0');
        }
        return value;
    };
    spec.width = number();
    if (peek() == ',' || peek() == '_') spec.grouping = text[at++];
    if (peek() == '.') {
        ++at;
        if (peek() < '0' || peek() > '9') fail("Format specifier missing precision");
        spec.precision = number();
    }
    if (at < text.size()) spec.type = text[at++];
    if (at < text.size()) fail("Invalid format specifier");
    return spec;
}

void appendFormatted(TextBuilder& out, const Value& value, const std::string& specText) {
    if (specText.empty()) {
        appendStr(out, value);
        return;
    }
    FormatSpec spec = parseSpec(specText);
    if (value.isString() || value.isUndefined()) {
        if (spec.type != '\0' && spec.type != 's') {
            fail(std::string("Unknown format code '") + spec.type + "' for object of type 'str'");
        }
        TextPtr body = str(value);
        if (spec.precision >= 0) {
            const auto most = static_cast<std::size_t>(std::min<Int>(spec.precision, Int{1} << 40));
            body = slice(*body, 0, body->byteOffset(most));
        }
        if (spec.align == '\0' && spec.zero) spec.align = '<', spec.fill = "0";
        appendPadded(out, *body, {}, spec, false);
        return;
    }
    if (!value.isNumber()) {
        fail("unsupported format string passed to " + typeName(value) + ".__format__");
    }
    if (value.is(Kind::Bool) && spec.type == '\0') {
        appendPadded(out, *str(value), {}, spec, true);
        return;
    }
    static constexpr std::string_view kInt = "bcdoxXneEfFgG%";
    static constexpr std::string_view kReal = "eEfFgGn%";
    const std::string_view allowed = value.is(Kind::Float) ? kReal : kInt;
    if (spec.type != '\0' && allowed.find(spec.type) == std::string_view::npos) {
        fail(std::string("Unknown format code '") + spec.type + "' for object of type '" +
             typeName(value) + "'");
    }
    if (spec.type == 'c') {
        TextBuilder one;
        one.append(static_cast<std::uint32_t>(narrow(value.asInt())), false);
        appendPadded(out, *one.finish(), {}, spec, true);
        return;
    }
    bool negative = false;
    const std::string body = formatNumberBody(value, spec, negative);
    std::string prefix = negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
    if (spec.alternate && std::string_view("boxX").find(spec.type) != std::string_view::npos) {
        prefix += std::string("0") + spec.type;
    }
    appendPadded(out, *makeText(body), prefix, spec, true);
}

class BraceFormatter {
  public:
    BraceFormatter(Interpreter& interpreter, const Args& args)
        : m_interpreter(interpreter), m_args(args) {}

    void run(const Text& format, TextBuilder& out, int depth) {
        if (depth > 2) fail("Max string recursion exceeded");
        const std::string& bytes = format.bytes;
        std::size_t done = 0;
        for (std::size_t at = 0; at < bytes.size();) {
            const char c = bytes[at];
            if (c != '{' && c != '}') {
                ++at;
                continue;
            }
            out.append(format, done, at);
            if (at + 1 < bytes.size() && bytes[at + 1] == c) {
                out.append(format, at, at + 1);
                at += 2;
            } else if (c == '}') {
                fail("Single '}' encountered in format string");
            } else {
                const std::size_t end = fieldEnd(bytes, at);
                field(format, at + 1, end, out, depth);
                at = end + 1;
            }
            done = at;
        }
        out.append(format, done, bytes.size());
    }

  private:
    static std::size_t fieldEnd(const std::string& bytes, std::size_t open) {
        int nested = 0;
        for (std::size_t at = open; at < bytes.size(); ++at) {
            if (bytes[at] == '{') ++nested;
            if (bytes[at] == '}' && --nested == 0) return at;
        }
        fail("expected '}' before end of string");
    }

    void field(const Text& format, std::size_t from, std::size_t to, TextBuilder& out, int depth) {
        const std::string_view bytes = std::string_view(format.bytes).substr(0, to);
        std::size_t nameEnd = from;
        for (int bracket = 0; nameEnd < to; ++nameEnd) {
            if (bytes[nameEnd] == '[') ++bracket;
            if (bytes[nameEnd] == ']') --bracket;
            if (bracket == 0 && (bytes[nameEnd] == '!' || bytes[nameEnd] == ':')) break;
        }
        Value value = lookUp(std::string(bytes.substr(from, nameEnd - from)));
        std::size_t at = nameEnd;
        if (at < to && bytes[at] == '!') {
            const char conversion = at + 1 < to ? bytes[at + 1] : '\0';
            if (conversion != 's' && conversion != 'r' && conversion != 'a') {
                fail("Unknown conversion specifier");
            }
            value = Value::string(conversion == 's' ? str(value) : repr(value));
            at += 2;
        }
        std::string spec;
        if (at < to) {
            if (bytes[at] != ':') fail("expected ':' after conversion specifier");
            TextBuilder nested;
            run(*slice(format, at + 1, to), nested, depth + 1);
            spec = nested.bytes();
        }
        appendFormatted(out, value, spec);
    }

    Value lookUp(const std::string& name) {
        const std::size_t end = std::min(name.find_first_of(".["), name.size());
        Value value = first(name.substr(0, end));
        for (std::size_t at = end; at < name.size();) {
            if (name[at] == '.') {
                const std::size_t stop = std::min(name.find_first_of(".[", at + 1), name.size());
                value = m_interpreter.getAttribute(value, name.substr(at + 1, stop - at - 1));
                at = stop;
            } else {
                const std::size_t stop = name.find(']', at);
                if (name[at] != '[' || stop == std::string::npos) {
                    fail("Missing ']' in format string");
                }
                const std::string key = name.substr(at + 1, stop - at - 1);
                value = m_interpreter.getItem(
                    value, isNumber(key) ? Value::integer(std::stoi(key)) : Value::string(key));
                at = stop + 1;
            }
        }
        return value;
    }

    static bool isNumber(const std::string& text) {
        return !text.empty() && text.size() < 9 &&
               text.find_first_not_of("0123456789") == std::string::npos;
    }

    Value first(const std::string& name) {
        if (name.empty() || isNumber(name)) {
            const std::size_t index = name.empty() ? m_next++ : std::stoul(name);
            if (index >= m_args.positional.size()) {
                fail("Replacement index " + std::to_string(index) +
                     " out of range for positional args tuple");
            }
            return m_args.positional[index];
        }
        if (const Value* value = m_args.keyword(name)) return *value;
        fail("'" + name + "'");
    }

    Interpreter& m_interpreter;
    const Args& m_args;
    std::size_t m_next = 0;
};

}  // namespace

Value formatBraces(Interpreter& interpreter, const Text& text, const Args& args) {
    TextBuilder out;
    BraceFormatter(interpreter, args).run(text, out, 0);
    return Value::string(out.finish(text.markup));
}

}  // namespace lanescope::jinja
