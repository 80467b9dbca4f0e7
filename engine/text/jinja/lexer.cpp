#include "engine/text/jinja/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "engine/text/jinja/unescape.h"

namespace lanescope::jinja {

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
bool isNameStart(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || c == '_' || std::isalpha(byte) != 0;
}
bool isNamePart(char c) {
    return isNameStart(c) || isDigit(c);
}

std::string normalizeNewlines(std::string_view source) {
    std::string out;
    out.reserve(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r') {
            out.push_back(source[i]);
            continue;
        }
        out.push_back('\n');
        if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
    if (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
}

class Lexer {
  public:
    explicit Lexer(std::string_view source) : m_source(normalizeNewlines(source)) {}

    std::vector<Token> run() {
        while (m_pos < m_source.size()) root();
        add(TokenKind::Eof);
        return std::move(m_tokens);
    }

  private:
    [[nodiscard]] char at(std::size_t pos) const {
        return pos < m_source.size() ? m_source[pos] : '\0';
    }
    [[nodiscard]] bool starts(std::size_t pos, std::string_view text) const {
        return m_source.compare(pos, text.size(), text) == 0;
    }
    [[noreturn]] void failHere(std::string message) const {
        throw Failure{std::move(message), m_line};
    }
    Token& add(TokenKind kind, std::string text = {}) {
        m_tokens.push_back({kind, m_line, std::move(text), 0, 0});
        return m_tokens.back();
    }
    /// Moves to `pos`, counting lines.
    void moveTo(std::size_t pos) {
        m_line +=
            static_cast<int>(std::count(m_source.begin() + static_cast<std::ptrdiff_t>(m_pos),
                                        m_source.begin() + static_cast<std::ptrdiff_t>(pos), '\n'));
        m_pos = pos;
    }

    /// One stretch of data and the tag behind it.
    void root() {
        std::size_t tag = m_pos;
        for (;; ++tag) {
            tag = m_source.find('{', tag);
            if (tag == std::string::npos) break;
            const char next = at(tag + 1);
            if (next == '{' || next == '%' || next == '#') break;
        }
        if (tag == std::string::npos) {
            add(TokenKind::Data, m_source.substr(m_pos));
            moveTo(m_source.size());
            return;
        }
        const char kind = m_source[tag + 1];
        const char sign = at(tag + 2) == '-' || at(tag + 2) == '+' ? m_source[tag + 2] : '\0';
        data(tag, kind == '{', sign);
        moveTo(tag + 2 + (sign != '\0' ? 1 : 0));
        if (kind == '#') return comment();
        if (kind == '%') {
            if (const auto body = rawBody()) return raw(*body);
        }
        add(kind == '{' ? TokenKind::VariableBegin : TokenKind::BlockBegin);
        inside(kind == '{');
    }

    /// Emits the text up to `tag`, stripped as the tag's sign and lstrip_blocks say.
    void data(std::size_t tag, bool isVariable, char sign) {
        std::size_t end = tag;
        if (sign == '-') {
            end = trimSpaceEnd(m_source, m_pos, tag);
        } else if (sign != '+' && !isVariable) {
            // Only this stretch: looking back to the start of the file would cost its length a tag.
            const std::string_view stretch = std::string_view(m_source).substr(m_pos, tag - m_pos);
            const std::size_t newline = stretch.rfind('\n');
            const bool inText = newline != std::string_view::npos;
            const std::size_t lineStart = inText ? m_pos + newline + 1 : m_pos;
            if ((inText || m_lineStarting) && skipSpace(m_source, lineStart) >= tag) {
                end = lineStart;
            }
        }
        if (end > m_pos) add(TokenKind::Data, m_source.substr(m_pos, end - m_pos));
    }

    /// Behind an end mark: strips what follows it and notes whether a line starts there.
    void closeTag(std::size_t pos, char sign, bool trimNewline) {
        if (sign == '-') {
            pos = skipSpace(m_source, pos);
        } else if (sign != '+' && trimNewline && at(pos) == '\n') {
            ++pos;
        }
        moveTo(pos);
        m_lineStarting = m_source[pos - 1] == '\n';
    }

    void comment() {
        const std::size_t end = m_source.find("#}", m_pos);
        if (end == std::string::npos) failHere("Missing end of comment tag");
        char sign = '\0';
        if (end > m_pos && (m_source[end - 1] == '-' || m_source[end - 1] == '+')) {
            sign = m_source[end - 1];
        }
        closeTag(end + 2, sign, true);
    }

    /// Where the text of a raw block starts, if this block tag opens one.
    std::optional<std::size_t> rawBody() const {
        std::size_t pos = skipSpace(m_source, m_pos);
        if (!starts(pos, "raw")) return std::nullopt;
        pos = skipSpace(m_source, pos + 3);
        if (starts(pos, "-%}")) return skipSpace(m_source, pos + 3);
        if (starts(pos, "%}")) return pos + 2;
        return std::nullopt;
    }

    void raw(std::size_t body) {
        const int line = m_line;
        moveTo(body);
        m_lineStarting = m_source[body - 1] == '\n';
        for (std::size_t tag = m_source.find("{%", body); tag != std::string::npos;
             tag = m_source.find("{%", tag + 1)) {
            const char c = at(tag + 2);
            const char sign = c == '-' || c == '+' ? c : '\0';
            std::size_t pos = skipSpace(m_source, tag + 2 + (sign != '\0' ? 1 : 0));
            if (!starts(pos, "endraw")) continue;
            pos = skipSpace(m_source, pos + 6);
            const char endSign = at(pos) == '-' || at(pos) == '+' ? m_source[pos] : '\0';
            if (endSign != '\0') ++pos;
            if (!starts(pos, "%}")) continue;
            data(tag, false, sign);
            closeTag(pos + 2, endSign, true);
            return;
        }
        throw Failure{"Missing end of raw directive", line};
    }

    /// The tokens of one {{ … }} or {% … %}.
    void inside(bool isVariable) {
        m_brackets.clear();
        for (;;) {
            moveTo(skipSpace(m_source, m_pos));
            if (m_pos >= m_source.size()) return;  // the parser reports the missing end
            if (m_brackets.empty() && end(isVariable)) return;
            const char c = m_source[m_pos];
            if (isDigit(c)) {
                number();
            } else if (isNameStart(c)) {
                std::size_t stop = m_pos;
                while (isNamePart(at(stop)) && stop < m_source.size()) ++stop;
                add(TokenKind::Name, m_source.substr(m_pos, stop - m_pos));
                m_pos = stop;
            } else if (c == '\'' || c == '"') {
                string(c);
            } else {
                op();
            }
        }
    }

    bool end(bool isVariable) {
        const std::string_view mark = isVariable ? "}}" : "%}";
        std::size_t pos = m_pos;
        char sign = '\0';
        if (at(pos) == '-' || (at(pos) == '+' && !isVariable)) sign = m_source[pos++];
        if (!starts(pos, mark)) return false;
        add(isVariable ? TokenKind::VariableEnd : TokenKind::BlockEnd);
        closeTag(pos + 2, sign, !isVariable);
        return true;
    }

    std::size_t digits(std::size_t pos) const {
        while (isDigit(at(pos)) || (at(pos) == '_' && isDigit(at(pos + 1)))) ++pos;
        return pos;
    }

    void number() {
        std::size_t stop = digits(m_pos);
        bool isFloat = false;
        const bool afterDot = m_pos > 0 && m_source[m_pos - 1] == '.';
        if (!afterDot && at(stop) == '.' && isDigit(at(stop + 1))) {
            isFloat = true;
            stop = digits(stop + 1);
        }
        if (!afterDot && (at(stop) == 'e' || at(stop) == 'E')) {
            std::size_t exponent = stop + 1;
            if (at(exponent) == '+' || at(exponent) == '-') ++exponent;
            if (isDigit(at(exponent))) {
                isFloat = true;
                stop = digits(exponent);
            }
        }
        int base = 10;
        const char prefix =
            static_cast<char>(std::tolower(static_cast<unsigned char>(at(m_pos + 1))));
        if (!isFloat && stop == m_pos + 1 && m_source[m_pos] == '0') {
            base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
        }
        if (base != 10) {
            stop = m_pos + 2;
            while (std::isxdigit(static_cast<unsigned char>(at(stop))) != 0 || at(stop) == '_')
                ++stop;
        }
        std::string text = m_source.substr(m_pos, stop - m_pos);
        text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
        if (isFloat) {
            Token& token = add(TokenKind::Float, text);
            std::from_chars(text.data(), text.data() + text.size(), token.real);
        } else {
            add(TokenKind::Integer, text).integer =
                integer(base == 10 ? text : text.substr(2), base);
        }
        m_pos = stop;
    }

    Int integer(const std::string& text, int base) const {
        std::int64_t value = 0;
        const auto end = std::from_chars(text.data(), text.data() + text.size(), value, base);
        if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
            failHere("the number '" + text + "' does not fit into 64 bits");
        }
        return value;
    }

    void string(char quote) {
        std::size_t stop = m_pos + 1;
        while (stop < m_source.size() && m_source[stop] != quote) {
            stop += m_source[stop] == '\\' ? 2 : 1;
        }
        if (stop >= m_source.size()) failHere(std::string("unexpected char ") + quote);
        const std::size_t from = m_pos + 1;
        add(TokenKind::String,
            unescape(std::string_view(m_source).substr(from, stop - from), m_line));
        moveTo(stop + 1);
    }

    void op() {
        static constexpr std::array<std::string_view, 26> kOperators = {
            "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
            "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
        for (const std::string_view text : kOperators) {
            if (!starts(m_pos, text)) continue;
            balance(text.front());
            add(TokenKind::Operator, std::string(text));
            m_pos += text.size();
            return;
        }
        std::size_t next = m_pos;
        nextCodepoint(m_source, next);
        failHere("unexpected char '" + m_source.substr(m_pos, next - m_pos) + "'");
    }

    void balance(char c) {
        if (c == '(' || c == '[' || c == '{') {
            m_brackets.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
        } else if (c == ')' || c == ']' || c == '}') {
            if (m_brackets.empty()) failHere(std::string("unexpected '") + c + "'");
            if (m_brackets.back() != c) {
                failHere(std::string("unexpected '") + c + "', expected '" + m_brackets.back() +
                         "'");
            }
            m_brackets.pop_back();
        }
    }

    std::string m_source;
    std::size_t m_pos = 0;
    int m_line = 1;
    bool m_lineStarting = true;
    std::vector<char> m_brackets;  ///< closing brackets still awaited
    std::vector<Token> m_tokens;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
    return Lexer(source).run();
}

std::string describe(const Token& token) {
    switch (token.kind) {
        case TokenKind::Data:
            return "template data / text";
        case TokenKind::VariableBegin:
            return "begin of print statement";
        case TokenKind::VariableEnd:
            return "end of print statement";
        case TokenKind::BlockBegin:
            return "begin of statement block";
        case TokenKind::BlockEnd:
            return "end of statement block";
        case TokenKind::String:
            return "string";
        case TokenKind::Integer:
            return "integer";
        case TokenKind::Float:
            return "float";
        case TokenKind::Eof:
            return "end of template";
        default:
            return token.text;
    }
}

}  // namespace lanescope::jinja
