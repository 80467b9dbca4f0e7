#include "engine/text/tokenizer/decoder.h"

#include <algorithm>
#include <utility>

#include "engine/text/tokenizer/characters.h"
#include "engine/text/tokenizer/json_fields.h"
#include "engine/text/tokenizer/regex.h"
#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

using nlohmann::json;

std::string joined(const std::vector<std::string>& tokens) {
    std::size_t size = 0;
    for (const std::string& token : tokens) size += token.size();
    std::string text;
    text.reserve(size);
    for (const std::string& token : tokens) text.append(token);
    return text;
}

class ByteLevel final : public Decoder {
  public:
    void apply(std::vector<std::string>& tokens) const override {
        std::string bytes;
        for (const std::string& token : tokens) bytes.append(bytesOf(token));
        tokens.assign(1, utf8::repaired(bytes));
    }
    [[nodiscard]] std::string bytesOf(std::string token) const override {
        // A token with a character outside the alphabet was never made of bytes: it stays as it is.
        auto bytes = byte_level::unmapped(token);
        return bytes ? std::move(*bytes) : std::move(token);
    }
};

class Fuse final : public Decoder {
  public:
    void apply(std::vector<std::string>& tokens) const override {
        tokens.assign(1, joined(tokens));
    }
    [[nodiscard]] std::string bytesOf(std::string token) const override { return token; }
};

class ByteFallback final : public Decoder {
  public:
    void apply(std::vector<std::string>& tokens) const override {
        std::vector<std::string> out;
        std::string run;
        const auto flush = [&] {
            if (run.empty()) return;
            if (utf8::isValid(run)) {
                out.push_back(run);
            } else {
                for (std::size_t i = 0; i < run.size(); ++i) out.emplace_back("\xEF\xBF\xBD");
            }
            run.clear();
        };
        for (std::string& token : tokens) {
            const int byte = byteOfToken(token);
            if (byte >= 0) {
                run.push_back(static_cast<char>(byte));
            } else {
                flush();
                out.push_back(std::move(token));
            }
        }
        flush();
        tokens = std::move(out);
    }
    [[nodiscard]] std::string bytesOf(std::string token) const override {
        const int byte = byteOfToken(token);
        return byte < 0 ? token : std::string(1, static_cast<char>(byte));
    }
};

class Replace final : public Decoder {
  public:
    Replace(std::string from, std::string to) : m_from(std::move(from)), m_to(std::move(to)) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (std::string& token : tokens) token = bytesOf(std::move(token));
    }
    [[nodiscard]] std::string bytesOf(std::string token) const override {
        std::string out;
        std::size_t plain = 0;
        for (std::size_t at = token.find(m_from); at != std::string::npos;
             at = token.find(m_from, plain)) {
            out.append(token, plain, at - plain).append(m_to);
            plain = at + m_from.size();
        }
        if (plain == 0) return token;
        return out.append(token, plain, std::string::npos);
    }

  private:
    std::string m_from;
    std::string m_to;
};

class ReplaceRegex final : public Decoder {
  public:
    ReplaceRegex(std::shared_ptr<const Regex> regex, std::string to)
        : m_regex(std::move(regex)), m_to(std::move(to)) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (std::string& token : tokens) token = bytesOf(std::move(token));
    }
    [[nodiscard]] std::string bytesOf(std::string token) const override {
        if (!utf8::isValid(token)) return token;
        RegexMatcher matcher(*m_regex);
        std::string out;
        std::size_t plain = 0;
        const auto done = forEachMatch(matcher, token, [&](std::size_t from, std::size_t to) {
            if (from < plain) return;
            out.append(token, plain, from - plain).append(m_to);
            plain = to;
        });
        // A pattern that gives up leaves the token as it is.
        return done ? out.append(token, plain, std::string::npos) : token;
    }

  private:
    std::shared_ptr<const Regex> m_regex;
    std::string m_to;
};

/// Takes up to `start` copies of a character off each token's front and `stop` off its end.
class Strip final : public Decoder {
  public:
    Strip(std::string content, std::size_t start, std::size_t stop)
        : m_content(std::move(content)), m_start(start), m_stop(stop) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (std::string& token : tokens) {
            std::string_view rest = token;
            for (std::size_t i = 0; i < m_start && rest.starts_with(m_content); ++i) {
                rest.remove_prefix(m_content.size());
            }
            for (std::size_t i = 0; i < m_stop && rest.ends_with(m_content); ++i) {
                rest.remove_suffix(m_content.size());
            }
            token = std::string(rest);
        }
    }
    [[nodiscard]] std::string bytesOf(std::string token) const override { return token; }

  private:
    std::string m_content;
    std::size_t m_start;
    std::size_t m_stop;
};

/// "▁" to spaces; those of the first token go where one was put before the text.
class Metaspace final : public Decoder {
  public:
    Metaspace(std::string mark, bool prepended) : m_mark(std::move(mark)), m_prepended(prepended) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            tokens[i] = replaced(tokens[i], i == 0 && m_prepended ? "" : " ");
        }
    }
    [[nodiscard]] std::string bytesOf(std::string token) const override {
        return replaced(token, " ");
    }

  private:
    [[nodiscard]] std::string replaced(std::string_view token, std::string_view space) const {
        std::string out;
        for (std::size_t at = 0; at < token.size();) {
            if (token.substr(at, m_mark.size()) == m_mark) {
                out.append(space);
                at += m_mark.size();
            } else {
                out.push_back(token[at++]);
            }
        }
        return out;
    }

    std::string m_mark;
    bool m_prepended;
};

/// The suffix that ends a word becomes a space, but for the last word.
class WordSuffix final : public Decoder {
  public:
    explicit WordSuffix(std::string suffix) : m_suffix(std::move(suffix)) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            tokens[i] = replaced(tokens[i], i + 1 < tokens.size() ? " " : "");
        }
    }
    [[nodiscard]] std::string bytesOf(std::string token) const override {
        return replaced(token, " ");
    }

  private:
    [[nodiscard]] std::string replaced(const std::string& token, std::string_view space) const {
        std::string out;
        std::size_t plain = 0;
        for (std::size_t at = token.find(m_suffix); at != std::string::npos;
             at = token.find(m_suffix, plain)) {
            out.append(token, plain, at - plain).append(space);
            plain = at + m_suffix.size();
        }
        return out.append(token, plain, std::string::npos);
    }

    std::string m_suffix;
};

class Sequence final : public Decoder {
  public:
    explicit Sequence(std::vector<DecoderPtr> steps) : m_steps(std::move(steps)) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (const auto& step : m_steps) step->apply(tokens);
    }
    [[nodiscard]] std::string bytesOf(std::string token) const override {
        for (const auto& step : m_steps) token = step->bytesOf(std::move(token));
        return token;
    }

  private:
    std::vector<DecoderPtr> m_steps;
};

Result<DecoderPtr> stripFromJson(const json& entry) {
    const auto start = asInteger(member(entry, "start")).value_or(0);
    const auto stop = asInteger(member(entry, "stop")).value_or(0);
    const std::string content = textField(entry, "content");
    if (content.empty() || start < 0 || stop < 0) {
        return badInput("decoder Strip has no content or a negative count");
    }
    return DecoderPtr(std::make_unique<Strip>(content, static_cast<std::size_t>(start),
                                              static_cast<std::size_t>(stop)));
}

Result<DecoderPtr> replaceFromJson(const json& entry) {
    const json& pattern = member(entry, "pattern");
    if (member(pattern, "Regex").is_string()) {
        auto regex = Regex::compile(textField(pattern, "Regex"));
        if (!regex) return regex.error();
        return DecoderPtr(std::make_unique<ReplaceRegex>(*regex, textField(entry, "content")));
    }
    const std::string text = textField(pattern, "String");
    if (text.empty()) return badInput("decoder Replace has no pattern");
    return DecoderPtr(std::make_unique<Replace>(text, textField(entry, "content")));
}

Result<DecoderPtr> metaspaceFromJson(const json& entry) {
    const std::string mark = textField(entry, "replacement", "\xE2\x96\x81");
    if (mark.empty()) return badInput("decoder Metaspace has an empty replacement");
    const bool prefix = boolField(entry, "add_prefix_space", true);
    const bool prepended =
        textField(entry, "prepend_scheme", prefix ? "always" : "never") != "never";
    return DecoderPtr(std::make_unique<Metaspace>(mark, prepended));
}

Result<DecoderPtr> sequenceFromJson(const json& entry) {
    const json& list = member(entry, "decoders");
    if (!list.is_array()) return badInput("decoder Sequence has no \"decoders\"");
    std::vector<DecoderPtr> steps;
    for (const json& item : list) {
        auto step = makeDecoder(item);
        if (!step) return step.error();
        if (*step) steps.push_back(std::move(*step));
    }
    return DecoderPtr(std::make_unique<Sequence>(std::move(steps)));
}

/// SentencePiece's own decoding.
class Sp final : public Decoder {
  public:
    explicit Sp(SpDecoderOptions options) : m_options(options) {}

    void apply(std::vector<std::string>& tokens) const override {
        std::string text;
        std::string run;  // of bytes
        bool atStart = m_options.stripPrefix || m_options.stripAllPrefixes;
        for (const std::string& token : tokens) {
            if (const int byte = byteOfToken(token); byte >= 0) {
                run.push_back(static_cast<char>(byte));
                continue;
            }
            flush(run, text);
            if (!text.empty()) atStart = false;
            std::string_view rest = token;
            if (atStart && rest.starts_with(kMetaspace)) {
                rest.remove_prefix(kMetaspace.size());
                atStart = m_options.stripAllPrefixes;
            }
            appendSpaced(rest, text);
        }
        flush(run, text);
        tokens.assign(1, std::move(text));
    }

    [[nodiscard]] std::string bytesOf(std::string token) const override {
        const int byte = byteOfToken(token);
        if (byte >= 0) return std::string(1, static_cast<char>(byte));
        std::string text;
        appendSpaced(token, text);
        return text;
    }

  private:
    static constexpr std::string_view kMetaspace = "\xE2\x96\x81";

    static void appendSpaced(std::string_view token, std::string& text) {
        for (std::size_t at = 0; at < token.size();) {
            if (token.substr(at, kMetaspace.size()) == kMetaspace) {
                text.push_back(' ');
                at += kMetaspace.size();
            } else {
                text.push_back(token[at++]);
            }
        }
    }

    void flush(std::string& run, std::string& text) const {
        const bool perByte = m_options.broken == SpDecoderOptions::Broken::PerByte;
        for (std::size_t at = 0; at < run.size();) {
            const utf8::Step step = utf8::decode(run, at);
            const std::size_t length = step.valid || !perByte ? step.length : 1;
            text.append(step.valid ? std::string_view(run).substr(at, length) : "\xEF\xBF\xBD");
            at += length;
        }
        run.clear();
    }

    SpDecoderOptions m_options;
};

}  // namespace

int byteOfToken(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
    int byte = 0;
    for (const char c : token.substr(3, 2)) {
        int digit = -1;
        if (c >= '0' && c <= '9') digit = c - '0';
        if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
        if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
        if (digit < 0) return -1;
        byte = byte * 16 + digit;
    }
    return byte;
}

DecoderPtr makeSpDecoder(SpDecoderOptions options) {
    return std::make_unique<Sp>(options);
}

DecoderPtr makeByteLevelDecoder() {
    return std::make_unique<ByteLevel>();
}

Result<DecoderPtr> makeDecoder(const json& entry) {
    if (entry.is_null()) return DecoderPtr();
    const std::string type = typeOf(entry);
    if (type == "Sequence") return sequenceFromJson(entry);
    if (type == "ByteLevel") return makeByteLevelDecoder();
    if (type == "Fuse") return DecoderPtr(std::make_unique<Fuse>());
    if (type == "ByteFallback") return DecoderPtr(std::make_unique<ByteFallback>());
    if (type == "Replace") return replaceFromJson(entry);
    if (type == "Metaspace") return metaspaceFromJson(entry);
    if (type == "BPEDecoder") {
        const std::string suffix = textField(entry, "suffix", "</w>");
        if (suffix.empty()) return badInput("decoder BPEDecoder has an empty suffix");
        return DecoderPtr(std::make_unique<WordSuffix>(suffix));
    }
    if (type == "Strip") return stripFromJson(entry);
    return unsupported("decoder of type \"" + type + "\" is not supported");
}

}  // namespace lanescope::tokenizer
