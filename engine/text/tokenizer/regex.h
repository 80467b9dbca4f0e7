#pragma once
// Regular expressions of tokenizer files, run by PCRE2 with JIT. Files are written for Oniguruma
// (Ruby syntax), so a pattern is translated first, and what means something else in PCRE2 is
// refused. Patterns are untrusted: matching has limits and ends in an Error, not in a hang.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"

struct pcre2_real_code_8;

namespace lanescope::tokenizer {

/// Oniguruma syntax to PCRE2 syntax. Errors: Unsupported, naming the construct.
Result<std::string> translatePattern(std::string_view pattern);

/// A compiled pattern; immutable and shared between threads.
class Regex {
  public:
    static Result<std::shared_ptr<const Regex>> compile(std::string_view pattern);

    [[nodiscard]] const std::string& pattern() const { return m_pattern; }

  private:
    friend class RegexMatcher;
    Regex(std::string pattern, pcre2_real_code_8* code);

    std::string m_pattern;
    std::shared_ptr<pcre2_real_code_8> m_code;
};

/// One thread's state for matching with a Regex. Make one a call, use it for many subjects.
class RegexMatcher {
  public:
    /// The Regex must outlive the matcher.
    explicit RegexMatcher(const Regex& regex);
    ~RegexMatcher();
    RegexMatcher(const RegexMatcher&) = delete;
    RegexMatcher& operator=(const RegexMatcher&) = delete;

    struct Match {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool found = false;
    };
    /// The first match at or after `from`. Precondition: subject is valid UTF-8, `from` a character
    /// boundary. Errors: BadInput when the pattern needs too many steps.
    Result<Match> find(std::string_view subject, std::size_t from);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Calls onMatch(begin, end) for every match from left to right, as find_iter does; an empty match
/// moves on by one character.
template <class Fn>
Result<void> forEachMatch(RegexMatcher& matcher, std::string_view subject, Fn&& onMatch) {
    std::size_t from = 0;
    while (from <= subject.size()) {
        auto match = matcher.find(subject, from);
        if (!match) return match.error();
        if (!match->found) break;
        onMatch(match->begin, match->end);
        from = match->end;
        if (match->begin == match->end) {
            ++from;
            while (from < subject.size() &&
                   (static_cast<unsigned char>(subject[from]) & 0xC0) == 0x80)
                ++from;
        }
    }
    return {};
}

}  // namespace lanescope::tokenizer
