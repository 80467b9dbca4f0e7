// "%s" % x, and what both ways of formatting share. "{}".format: format_braces.cpp.
#include "engine/text/jinja/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "engine/text/jinja/print.h"

namespace lanescope::jinja {

namespace {

constexpr Int kMaxPrecision = 400;  ///< digits behind the point; more than a double ever has

std::string digitsOf(Int value, unsigned base, bool capital) {
    const char* digits = capital ? "0123456789ABCDEF" : "0123456789abcdef";
    std::string out;
    do {
        out.insert(out.begin(), digits[static_cast<std::size_t>(value % static_cast<Int>(base))]);
        value /= static_cast<Int>(base);
    } while (value != 0);
    return out;
}

void group(std::string& digits, char mark) {
    if (mark == '\0') return;
    const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
    for (std::size_t at = end; at > 3; at -= 3) digits.insert(at - 3, 1, mark);
}

std::string realBody(double value, const FormatSpec& spec) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return "inf";
    if (spec.type == '\0' && spec.precision < 0) return printFloat(value);
    char type = spec.type == '\0' ? 'g' : spec.type == 'n' ? 'g' : spec.type;
    if (type == '%') {
        type = 'f';
        value *= 100;
    }
    const auto precision =
        static_cast<int>(spec.precision < 0 ? 6 : std::min(spec.precision, kMaxPrecision));
    const std::array<char, 8> format = {'%',
                                        spec.alternate ? '#' : '.',
                                        spec.alternate ? '.' : '*',
                                        spec.alternate ? '*' : type,
                                        spec.alternate ? type : '\0',
                                        '\0'};
    std::array<char, 1024> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format.data(), precision, value);
    std::string out = buffer.data();
    std::replace(out.begin(), out.end(), ',', '.');  // whatever the locale's decimal point
    if (spec.type == '\0' && out.find_first_of(".en") == std::string::npos) out += ".0";
    if (spec.type == '%') out += "%";
    return out;
}

}  // namespace

std::string formatNumberBody(const Value& value, const FormatSpec& spec, bool& negative) {
    const std::string_view realTypes = "eEfFgG%";
    const bool asReal = value.is(Kind::Float) ||
                        (spec.type != '\0' && realTypes.find(spec.type) != std::string_view::npos);
    std::string body;
    if (asReal) {
        negative = std::signbit(value.asReal()) && !std::isnan(value.asReal());
        body = realBody(std::abs(value.asReal()), spec);
    } else {
        Int number = value.asInt();
        negative = number < 0;
        if (negative) number = -number;
        const unsigned base = spec.type == 'b'                       ? 2
                              : spec.type == 'o'                     ? 8
                              : spec.type == 'x' || spec.type == 'X' ? 16
                                                                     : 10;
        body = digitsOf(number, base, spec.type == 'X');
    }
    group(body, spec.grouping);
    return body;
}

void appendPadded(TextBuilder& out, const Text& body, const std::string& prefix,
                  const FormatSpec& spec, bool isNumber) {
    const auto length = static_cast<Int>(body.length() + prefix.size());
    const auto missing = static_cast<std::size_t>(std::max<Int>(narrow(spec.width) - length, 0));
    const char align = spec.align != '\0'      ? spec.align
                       : spec.zero && isNumber ? '='
                       : isNumber              ? '>'
                                               : '<';
    const std::string fill = spec.zero && spec.align == '\0' ? "0" : spec.fill;
    std::size_t left = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    out.repeat(fill, left);
    out.append(prefix);
    if (align == '=') {
        out.repeat(fill, missing);
        left = missing;
    }
    out.append(body);
    out.repeat(fill, missing - left);
}

namespace {

/// Walks the format and takes the arguments one by one.
class PercentFormatter {
  public:
    PercentFormatter(const Text& format, const Value& value) : m_format(format), m_value(value) {
        m_many = value.is(Kind::Tuple);
    }

    Value run() {
        const std::string& bytes = m_format.bytes;
        std::size_t done = 0;
        for (;;) {
            m_at = bytes.find('%', done);
            if (m_at == std::string::npos) break;
            m_out.append(m_format, done, m_at);
            ++m_at;
            conversion();
            done = m_at;
        }
        m_out.append(m_format, done, bytes.size());
        const bool unused = m_many
                                ? m_next < m_value.items().values.size()
                                : m_next == 0 && !m_value.is(Kind::Dict) && !m_value.is(Kind::List);
        if (unused) fail("not all arguments converted during string formatting");
        return Value::string(m_out.finish(m_format.markup));
    }

  private:
    char peek() const { return m_at < m_format.bytes.size() ? m_format.bytes[m_at] : '\0'; }

    Value next() {
        if (m_many) {
            if (m_next >= m_value.items().values.size()) {
                fail("not enough arguments for format string");
            }
            return m_value.items().values[m_next++];
        }
        if (m_next++ > 0) fail("not enough arguments for format string");
        return m_value;
    }

    Int number() {
        if (peek() == '*') {
            ++m_at;
            const Value value = next();
            if (!value.isIntegral()) fail("* wants int");
            return narrow(value.asInt());
        }
        Int value = 0;
        while (peek() >= '0' && peek() <= '9' && value < (Int{1} << 40)) {
            value = value * 10 + (m_format.bytes[m_at++] - '0');
        }
        return value;
    }

    Value mappingKey() {
        const std::size_t end = m_format.bytes.find(')', m_at);
        if (end == std::string::npos) fail("incomplete format key");
        if (!m_value.is(Kind::Dict)) fail("format requires a mapping");
        const std::string key = m_format.bytes.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        const Value* value = m_value.dict().find(std::string_view(key));
        if (value == nullptr) fail("'" + key + "'");
        m_next = 1;
        return *value;
    }

    void conversion() {
        std::optional<Value> value;
        if (peek() == '(') value = mappingKey();
        FormatSpec spec;
        for (;; ++m_at) {
            if (peek() == '-') {
                spec.align = '<';
            } else if (peek() == '+' || (peek() == ' ' && spec.sign != '+')) {
                spec.sign = peek();
            } else if (peek() == '0') {
                spec.zero = true;
            } else if (peek() == '#') {
                spec.alternate = true;
            } else if (peek() != ' ') {
                break;
            }
        }
        spec.width = number();
        if (spec.width < 0) {
            spec.width = -spec.width;
            spec.align = '<';
        }
        if (peek() == '.') {
            ++m_at;
            spec.precision = std::max<Int>(number(), 0);
        }
        while (peek() == 'l' || peek() == 'h' || peek() == 'L') ++m_at;
        if (m_at >= m_format.bytes.size()) fail("incomplete format");
        spec.type = m_format.bytes[m_at++];
        if (spec.type == '%') {
            m_out.append("%", m_format.fromInputAt(m_at - 1));
            return;
        }
        if (!value) value = next();
        write(*value, spec);
    }

    void write(const Value& value, FormatSpec spec) {
        switch (spec.type) {
            case 's':
            case 'r':
            case 'a':
                writeText(spec.type == 's' ? str(value) : repr(value), spec);
                break;
            case 'c':
                if (value.isString() && value.text().length() == 1) {
                    writeText(value.textPtr(), spec);
                } else {
                    if (!value.isIntegral()) fail("%c requires int or char");
                    TextBuilder one;
                    one.append(static_cast<std::uint32_t>(narrow(value.asInt())), false);
                    writeText(one.finish(), spec);
                }
                break;
            case 'd':
            case 'i':
            case 'u':
            case 'o':
            case 'x':
            case 'X':
            case 'e':
            case 'E':
            case 'f':
            case 'F':
            case 'g':
            case 'G':
                writeNumber(value, spec);
                break;
            default:
                fail(std::string("unsupported format character '") + spec.type + "'");
        }
    }

    void writeText(const TextPtr& text, FormatSpec spec) {
        TextPtr body = m_format.markup && !text->markup ? escapeHtml(*text) : text;
        if (spec.precision >= 0) {
            const auto most =
                static_cast<std::size_t>(std::min<Int>(spec.precision, kMaxRange * 1000));
            body = slice(*body, 0, body->byteOffset(most));
        }
        if (spec.align == '\0') spec.align = '>';
        spec.zero = false;
        appendPadded(m_out, *body, {}, spec, false);
    }

    void writeNumber(Value value, FormatSpec spec) {
        if (value.isUndefined()) fail(value.whyUndefined());
        if (!value.isNumber()) {
            fail(std::string("%") + spec.type + " format: a real number is required, not " +
                 typeName(value));
        }
        const bool integral = std::string_view("diuoxX").find(spec.type) != std::string_view::npos;
        if (integral && value.is(Kind::Float)) {
            if (!(std::abs(value.asReal()) < 1e30)) fail("cannot convert float to integer");
            value = Value::integer(static_cast<Int>(value.asReal()));
        }
        if (spec.align == '<') spec.zero = false;
        bool negative = false;
        std::string body = formatNumberBody(value, spec, negative);
        if (integral && spec.precision > static_cast<Int>(body.size())) {
            const auto zeros = static_cast<std::size_t>(std::min(spec.precision, kMaxPrecision));
            body.insert(0, zeros - std::min(zeros, body.size()), '0');
        }
        std::string prefix = negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
        if (spec.alternate && std::string_view("oxX").find(spec.type) != std::string_view::npos) {
            prefix += std::string("0") + spec.type;
        }
        appendPadded(m_out, *makeText(body), prefix, spec, true);
    }

    const Text& m_format;
    const Value& m_value;
    bool m_many = false;
    std::size_t m_next = 0;
    std::size_t m_at = 0;
    TextBuilder m_out;
};

}  // namespace

Value formatPercent(const Text& text, const Value& value) {
    return PercentFormatter(text, value).run();
}

}  // namespace lanescope::jinja
