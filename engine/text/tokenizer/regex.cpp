#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/text/tokenizer/regex.h"

#include <pcre2.h>

#include <array>
#include <cstring>
#include <utility>

#include "engine/base/clock.h"

namespace lanescope::tokenizer {

namespace {

constexpr std::size_t kMaxPatternBytes = 64 * 1024;
constexpr std::uint32_t kMatchLimit = 10'000'000;
constexpr std::uint32_t kHeapLimitKiB = 256 * 1024;
constexpr std::size_t kMaxJitStackBytes = 4 * 1024 * 1024;
/// A pattern may be slow without reaching the limit of one match; all matches of one call together
/// get this long plus kNsPerByte for each byte.
constexpr std::int64_t kBudgetNs = 500'000'000;
constexpr std::int64_t kNsPerByte = 2'000;
constexpr std::uint32_t kClockEvery = 256;

// \s of PCRE2 takes U+180E as well, \w takes no marks: spelled out as Oniguruma has them.
constexpr std::string_view kSpace =
    R"(\t-\r\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::string_view kNotSpace =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff})"
    R"(\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";
constexpr std::string_view kWord = R"(\p{L}\p{M}\p{Nd}\p{Pc})";
constexpr std::string_view kHex = "0-9A-Fa-f";

bool isHexDigit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Name inside \p{…} as PCRE2 knows it. A bare script name means Script_Extensions to PCRE2.
std::string propertyName(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kNames{{
        {"Letter", "L"},
        {"Mark", "M"},
        {"Number", "N"},
        {"Punctuation", "P"},
        {"Symbol", "S"},
        {"Separator", "Z"},
        {"Any", "Any"},
        {"Alpha", "Alphabetic"},
        {"Alphabetic", "Alphabetic"},
        {"Upper", "Uppercase"},
        {"Lower", "Lowercase"},
        {"Digit", "Nd"},
        {"White_Space", "White_Space"},
        {"Emoji", "Emoji"},
    }};
    if (name.size() <= 2) return std::string(name);
    for (const auto& [from, to] : kNames) {
        if (name == from) return std::string(to);
    }
    return "sc:" + std::string(name);
}

class Translator {
  public:
    explicit Translator(std::string_view pattern) : m_in(pattern) {}

    Result<std::string> run() {
        while (m_at < m_in.size()) {
            const char c = m_in[m_at];
            Result<void> done;
            if (c == '\\') {
                done = escape();
            } else if (m_inClass) {
                done = classChar(c);
            } else if (c == '[') {
                openClass();
            } else if (c == '(' && m_in.substr(m_at).starts_with("(?")) {
                group();
            } else {
                copy(1);
            }
            if (!done) return done.error();
        }
        return std::move(m_out);
    }

  private:
    void copy(std::size_t n) {
        m_out.append(m_in.substr(m_at, n));
        m_at += n;
    }

    Error refuse(const std::string& what) const {
        return unsupported("regular expression uses " + what + " at byte " + std::to_string(m_at),
                           std::string(m_in));
    }

    void put(std::string_view members, bool negated) {
        if (m_inClass) {
            m_out.append(members);
        } else {
            m_out.append(negated ? "[^" : "[").append(members).append("]");
        }
        m_at += 2;
    }

    Result<void> escape() {
        if (m_at + 1 >= m_in.size()) return badInput("regular expression ends in a backslash");
        const char c = m_in[m_at + 1];
        switch (c) {
            case 's':
                put(kSpace, false);
                return {};
            case 'S':
                put(m_inClass ? kNotSpace : kSpace, true);
                return {};
            case 'w':
                put(kWord, false);
                return {};
            case 'h':
                put(kHex, false);
                return {};
            case 'W':
            case 'H':
                if (m_inClass) return refuse(std::string("\\") + c + " in a class");
                put(c == 'W' ? kWord : kHex, true);
                return {};
            case 'u':
                return codePoint();
            case 'p':
            case 'P':
                return property();
            default:
                copy(2);
                return {};
        }
    }

    Result<void> codePoint() {
        const std::string_view digits = m_in.substr(m_at + 2, 4);
        if (digits.size() < 4) return refuse("\\u without four digits");
        for (const char c : digits) {
            if (!isHexDigit(c)) return refuse("\\u without four digits");
        }
        m_out.append("\\x{").append(digits).append("}");
        m_at += 6;
        return {};
    }

    Result<void> property() {
        const std::size_t end = m_in.find('}', m_at);
        if (m_at + 2 >= m_in.size() || m_in[m_at + 2] != '{' || end == std::string_view::npos) {
            copy(2);
            return {};
        }
        std::string_view name = m_in.substr(m_at + 3, end - m_at - 3);
        m_out.append(m_in.substr(m_at, 3));
        if (name.starts_with('^')) {
            m_out.push_back('^');
            name.remove_prefix(1);
        }
        m_out.append(propertyName(name)).append("}");
        m_at = end + 1;
        return {};
    }

    void openClass() {
        m_inClass = true;
        copy(1);
        if (m_at < m_in.size() && m_in[m_at] == '^') copy(1);
        if (m_at < m_in.size() && m_in[m_at] == ']') copy(1);
    }

    Result<void> classChar(char c) {
        if (c == ']') m_inClass = false;
        if (c == '&' && m_in.substr(m_at).starts_with("&&")) return refuse("a class intersection");
        if (c == '[') {
            const std::size_t end = m_in.find(":]", m_at);
            if (!m_in.substr(m_at).starts_with("[:") || end == std::string_view::npos) {
                return refuse("a class within a class");
            }
            copy(end + 2 - m_at);
            return {};
        }
        copy(1);
        return {};
    }

    /// "(?m" is "dot matches newline" in Ruby syntax; the other options have the same letters.
    void group() {
        copy(2);
        std::size_t end = m_at;
        while (end < m_in.size() && std::strchr("imx-", m_in[end]) != nullptr) ++end;
        if (end >= m_in.size() || (m_in[end] != ':' && m_in[end] != ')')) return;
        for (; m_at < end; ++m_at) m_out.push_back(m_in[m_at] == 'm' ? 's' : m_in[m_at]);
    }

    std::string_view m_in;
    std::size_t m_at = 0;
    std::string m_out;
    bool m_inClass = false;
};

std::string pcreMessage(int code) {
    std::array<PCRE2_UCHAR8, 256> buffer{};
    pcre2_get_error_message_8(code, buffer.data(), buffer.size());
    return reinterpret_cast<const char*>(buffer.data());
}

}  // namespace

Result<std::string> translatePattern(std::string_view pattern) {
    return Translator(pattern).run();
}

Regex::Regex(std::string pattern, pcre2_real_code_8* code)
    : m_pattern(std::move(pattern)), m_code(code, pcre2_code_free_8) {}

Result<std::shared_ptr<const Regex>> Regex::compile(std::string_view pattern) {
    if (pattern.size() > kMaxPatternBytes) {
        return unsupported("regular expression is " + std::to_string(pattern.size()) +
                           " bytes long; at most " + std::to_string(kMaxPatternBytes) +
                           " are taken");
    }
    auto translated = translatePattern(pattern);
    if (!translated) return translated.error();
    int code = 0;
    PCRE2_SIZE offset = 0;
    constexpr std::uint32_t kOptions =
        PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
    pcre2_code_8* compiled = pcre2_compile_8(reinterpret_cast<PCRE2_SPTR8>(translated->data()),
                                             translated->size(), kOptions, &code, &offset, nullptr);
    if (compiled == nullptr) {
        return unsupported("regular expression is not understood: " + pcreMessage(code),
                           std::string(pattern));
    }
    // Without JIT (a pattern it cannot do, a system that forbids it) matching is slower, no more.
    pcre2_jit_compile_8(compiled, PCRE2_JIT_COMPLETE);
    return std::shared_ptr<const Regex>(new Regex(std::string(pattern), compiled));
}

struct RegexMatcher::State {
    const Regex* regex = nullptr;
    pcre2_match_data_8* data = nullptr;
    pcre2_match_context_8* context = nullptr;
    pcre2_jit_stack_8* jitStack = nullptr;
    std::uint32_t nCalls = 0;
    std::int64_t tStartNs = 0;
    std::int64_t bytesSeen = 0;
};

RegexMatcher::RegexMatcher(const Regex& regex) : m_state(std::make_unique<State>()) {
    m_state->regex = &regex;
    m_state->data = pcre2_match_data_create_8(1, nullptr);
    m_state->context = pcre2_match_context_create_8(nullptr);
    m_state->jitStack = pcre2_jit_stack_create_8(32 * 1024, kMaxJitStackBytes, nullptr);
    m_state->tStartNs = nowNs();
    if (m_state->context != nullptr) {
        pcre2_set_match_limit_8(m_state->context, kMatchLimit);
        pcre2_set_heap_limit_8(m_state->context, kHeapLimitKiB);
        pcre2_jit_stack_assign_8(m_state->context, nullptr, m_state->jitStack);
    }
}

RegexMatcher::~RegexMatcher() {
    pcre2_jit_stack_free_8(m_state->jitStack);
    pcre2_match_context_free_8(m_state->context);
    pcre2_match_data_free_8(m_state->data);
}

Result<RegexMatcher::Match> RegexMatcher::find(std::string_view subject, std::size_t from) {
    State& state = *m_state;
    if (state.data == nullptr || state.context == nullptr) {
        return outOfMemory("no memory to run a regular expression");
    }
    if (from == 0) state.bytesSeen += static_cast<std::int64_t>(subject.size());
    if (++state.nCalls % kClockEvery == 0 &&
        nowNs() - state.tStartNs > kBudgetNs + kNsPerByte * state.bytesSeen) {
        return badInput("the tokenizer's regular expression takes too long on this text",
                        state.regex->pattern());
    }
    const auto* text = reinterpret_cast<PCRE2_SPTR8>(subject.empty() ? "" : subject.data());
    int rc = pcre2_match_8(state.regex->m_code.get(), text, subject.size(), from,
                           PCRE2_NO_UTF_CHECK, state.data, state.context);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT) {
        rc = pcre2_match_8(state.regex->m_code.get(), text, subject.size(), from,
                           PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, state.data, state.context);
    }
    if (rc == PCRE2_ERROR_NOMATCH) return Match{};
    if (rc < 0) {
        return badInput("the tokenizer's regular expression gave up on a text of " +
                            std::to_string(subject.size()) + " bytes: " + pcreMessage(rc),
                        state.regex->pattern());
    }
    const PCRE2_SIZE* ovector = pcre2_get_ovector_pointer_8(state.data);
    // \K in a lookaround can put the end before the start; such a match counts as empty.
    const std::size_t begin = ovector[0];
    return Match{begin, ovector[1] < begin ? begin : ovector[1], true};
}

}  // namespace lanescope::tokenizer
