#include "engine/text/tokenizer/normalizer.h"

#include <utf8proc.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "engine/text/tokenizer/characters.h"
#include "engine/text/tokenizer/json_fields.h"
#include "engine/text/tokenizer/regex.h"
#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

using nlohmann::json;

bool isAscii(char c) {
    return static_cast<unsigned char>(c) < 0x80;
}

/// Whether NFC leaves a text alone for certain: all its characters are from ranges whose members
/// neither change nor join what stands before them.
bool isStable(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const utf8::Step step = utf8::decode(text, at);
        const char32_t c = step.codePoint;
        const bool stable = c < 0x300 || (c >= 0x391 && c <= 0x3CE) || (c >= 0x400 && c <= 0x482) ||
                            (c >= 0x2010 && c <= 0x2027) || (c >= 0x3041 && c <= 0x3096) ||
                            (c >= 0x30A1 && c <= 0x30FA) || (c >= 0x4E00 && c <= 0x9FFF) ||
                            (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xFF01 && c <= 0xFF5E) ||
                            (c >= 0x1F300 && c <= 0x1F64F);
        if (!stable) return false;
        at += step.length;
    }
    return true;
}

class UnicodeForm final : public Normalizer {
  public:
    explicit UnicodeForm(int options)
        : m_options(options), m_isNfc(options == (UTF8PROC_COMPOSE | UTF8PROC_STABLE)) {}

    Result<void> apply(std::string& text) const override {
        std::string out;
        std::size_t plain = 0;  // start of what is not yet in `out`
        std::size_t at = 0;
        while (at < text.size()) {
            if (isAscii(text[at])) {
                ++at;
                continue;
            }
            // ASCII never changes, but the last of a run can take a combining mark that follows.
            const std::size_t from = at > plain ? at - 1 : at;
            const std::size_t run = at;
            while (at < text.size() && !isAscii(text[at])) ++at;
            if (m_isNfc && isStable(std::string_view(text).substr(run, at - run))) continue;
            out.append(text, plain, from - plain);
            const auto done = map(std::string_view(text).substr(from, at - from), out);
            if (!done) return done.error();
            plain = at;
        }
        if (plain == 0) return {};
        out.append(text, plain, std::string::npos);
        text = std::move(out);
        return {};
    }

  private:
    Result<void> map(std::string_view part, std::string& out) const {
        utf8proc_uint8_t* mapped = nullptr;
        const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(part.data()),
                                       static_cast<utf8proc_ssize_t>(part.size()), &mapped,
                                       static_cast<utf8proc_option_t>(m_options));
        if (size < 0) {
            std::free(mapped);
            return badInput("Unicode normalisation of " + std::to_string(part.size()) +
                            " bytes failed: " + utf8proc_errmsg(size));
        }
        out.append(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size));
        std::free(mapped);
        return {};
    }

    int m_options;
    bool m_isNfc;
};

/// Rewrites a text character by character.
class PerCharacter final : public Normalizer {
  public:
    using Rewrite = void (*)(char32_t c, std::string& out);
    explicit PerCharacter(Rewrite rewrite) : m_rewrite(rewrite) {}

    Result<void> apply(std::string& text) const override {
        std::string out;
        out.reserve(text.size());
        for (std::size_t at = 0; at < text.size();) {
            const utf8::Step step = utf8::decode(text, at);
            m_rewrite(step.codePoint, out);
            at += step.length;
        }
        text = std::move(out);
        return {};
    }

  private:
    Rewrite m_rewrite;
};

void lowercase(char32_t c, std::string& out) {
    if (c == 0x130) {  // the one character whose lower case is two
        out.append("i\xCC\x87");
        return;
    }
    utf8::append(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
}

void dropMarks(char32_t c, std::string& out) {
    if (!isMark(c)) utf8::append(out, c);
}

class Prepend final : public Normalizer {
  public:
    explicit Prepend(std::string prefix) : m_prefix(std::move(prefix)) {}
    Result<void> apply(std::string& text) const override {
        if (!text.empty()) text.insert(0, m_prefix);
        return {};
    }

  private:
    std::string m_prefix;
};

class Strip final : public Normalizer {
  public:
    Strip(bool left, bool right) : m_left(left), m_right(right) {}

    Result<void> apply(std::string& text) const override {
        std::size_t begin = 0;
        std::size_t end = text.size();
        while (m_left && begin < end) {
            const utf8::Step step = utf8::decode(text, begin);
            if (!isWhitespace(step.codePoint)) break;
            begin += step.length;
        }
        while (m_right && end > begin) {
            std::size_t last = end - 1;
            while (last > begin && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
            if (!isWhitespace(utf8::decode(text, last).codePoint)) break;
            end = last;
        }
        text = text.substr(begin, end - begin);
        return {};
    }

  private:
    bool m_left;
    bool m_right;
};

class ReplaceText final : public Normalizer {
  public:
    ReplaceText(std::string from, std::string to) : m_from(std::move(from)), m_to(std::move(to)) {}

    Result<void> apply(std::string& text) const override {
        std::string out;
        std::size_t plain = 0;
        for (std::size_t at = text.find(m_from); at != std::string::npos;
             at = text.find(m_from, plain)) {
            out.append(text, plain, at - plain).append(m_to);
            plain = at + m_from.size();
        }
        if (plain == 0) return {};
        out.append(text, plain, std::string::npos);
        text = std::move(out);
        return {};
    }

  private:
    std::string m_from;
    std::string m_to;
};

class ReplaceRegex final : public Normalizer {
  public:
    ReplaceRegex(std::shared_ptr<const Regex> regex, std::string to)
        : m_regex(std::move(regex)), m_to(std::move(to)) {}

    Result<void> apply(std::string& text) const override {
        RegexMatcher matcher(*m_regex);
        std::string out;
        std::size_t plain = 0;
        const auto done = forEachMatch(matcher, text, [&](std::size_t from, std::size_t to) {
            if (from < plain) return;
            out.append(text, plain, from - plain).append(m_to);
            plain = to;
        });
        if (!done) return done.error();
        out.append(text, plain, std::string::npos);
        text = std::move(out);
        return {};
    }

  private:
    std::shared_ptr<const Regex> m_regex;
    std::string m_to;
};

class Sequence final : public Normalizer {
  public:
    explicit Sequence(std::vector<NormalizerPtr> steps) : m_steps(std::move(steps)) {}
    Result<void> apply(std::string& text) const override {
        for (const auto& step : m_steps) {
            const auto done = step->apply(text);
            if (!done) return done.error();
        }
        return {};
    }

  private:
    std::vector<NormalizerPtr> m_steps;
};

NormalizerPtr form(int options) {
    return std::make_unique<UnicodeForm>(options | UTF8PROC_STABLE);
}

Result<NormalizerPtr> replaceFromJson(const json& entry) {
    const json& pattern = member(entry, "pattern");
    const std::string content = textField(entry, "content");
    if (member(pattern, "Regex").is_string()) {
        auto regex = Regex::compile(textField(pattern, "Regex"));
        if (!regex) return regex.error();
        return NormalizerPtr(std::make_unique<ReplaceRegex>(*regex, content));
    }
    const std::string text = textField(pattern, "String");
    if (text.empty()) return badInput("normalizer Replace has no pattern");
    return NormalizerPtr(std::make_unique<ReplaceText>(text, content));
}

/// BertNormalizer: accents go where the text is lowered, unless the file says otherwise.
NormalizerPtr bertFromJson(const json& entry) {
    std::vector<NormalizerPtr> steps;
    steps.push_back(makeBertClean(boolField(entry, "clean_text", true),
                                  boolField(entry, "handle_chinese_chars", true)));
    const bool lower = boolField(entry, "lowercase", true);
    if (boolField(entry, "strip_accents", lower)) {
        steps.push_back(form(UTF8PROC_DECOMPOSE));
        steps.push_back(std::make_unique<PerCharacter>(dropMarks));
    }
    if (lower) steps.push_back(std::make_unique<PerCharacter>(lowercase));
    return std::make_unique<Sequence>(std::move(steps));
}

Result<NormalizerPtr> sequenceFromJson(const json& entry) {
    const json& list = member(entry, "normalizers");
    if (!list.is_array()) return badInput("normalizer Sequence has no \"normalizers\"");
    std::vector<NormalizerPtr> steps;
    for (const json& item : list) {
        auto step = makeNormalizer(item);
        if (!step) return step.error();
        if (*step) steps.push_back(std::move(*step));
    }
    return NormalizerPtr(std::make_unique<Sequence>(std::move(steps)));
}

}  // namespace

NormalizerPtr makeNfc() {
    return form(UTF8PROC_COMPOSE);
}

Result<NormalizerPtr> makeNormalizer(const json& entry) {
    if (entry.is_null()) return NormalizerPtr();
    const std::string type = typeOf(entry);
    if (type == "Sequence") return sequenceFromJson(entry);
    if (type == "NFC") return form(UTF8PROC_COMPOSE);
    if (type == "NFD") return form(UTF8PROC_DECOMPOSE);
    if (type == "NFKC") return form(UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
    if (type == "NFKD") return form(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
    if (type == "Lowercase") return NormalizerPtr(std::make_unique<PerCharacter>(lowercase));
    if (type == "StripAccents") return NormalizerPtr(std::make_unique<PerCharacter>(dropMarks));
    if (type == "Precompiled") return makePrecompiled(entry);
    if (type == "BertNormalizer") return bertFromJson(entry);
    if (type == "ByteLevel") return makeByteAlphabetNormalizer();
    if (type == "Replace") return replaceFromJson(entry);
    if (type == "Prepend") {
        return NormalizerPtr(std::make_unique<Prepend>(textField(entry, "prepend")));
    }
    if (type == "Strip") {
        return NormalizerPtr(std::make_unique<Strip>(boolField(entry, "strip_left", true),
                                                     boolField(entry, "strip_right", true)));
    }
    return unsupported("normalizer of type \"" + type + "\" is not supported");
}

}  // namespace lanescope::tokenizer
