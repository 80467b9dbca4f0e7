#include "engine/text/tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include "engine/text/tokenizer/characters.h"
#include "engine/text/tokenizer/json_fields.h"
#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

const char* const kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

using nlohmann::json;

/// Turns matches and what lies between them into pieces, as a behaviour says.
class Cutter {
  public:
    Cutter(SplitBehaviour behaviour, bool invert) : m_behaviour(behaviour), m_invert(invert) {}

    void begin(Pieces::Range piece) {
        m_piece = piece;
        m_at = 0;
        m_parts.clear();
    }

    /// The next match, in bytes from the piece's start.
    void match(std::size_t from, std::size_t to) {
        from = std::max(from, m_at);
        to = std::max(to, from);
        if (from > m_at) add(m_at, from, false);
        add(from, to, true);
        m_at = to;
    }

    void finish(std::vector<Pieces::Range>& out) {
        const std::size_t size = m_piece.end - m_piece.begin;
        if (m_at < size) add(m_at, size, false);
        if (m_behaviour == SplitBehaviour::MergedWithNext) mergeWithNext();
        for (const Part& part : m_parts) {
            if (part.end == part.begin) continue;
            out.push_back({m_piece.begin + part.begin, m_piece.begin + part.end});
        }
    }

  private:
    struct Part {
        std::uint32_t begin;
        std::uint32_t end;
        bool isMatch;
    };

    void add(std::size_t from, std::size_t to, bool found) {
        const bool isMatch = found != m_invert;
        const Part part{static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), isMatch};
        const bool lastIsMatch = !m_parts.empty() && m_parts.back().isMatch;
        switch (m_behaviour) {
            case SplitBehaviour::Removed:
                if (!isMatch) m_parts.push_back(part);
                return;
            case SplitBehaviour::Isolated:
            case SplitBehaviour::MergedWithNext:
                m_parts.push_back(part);
                return;
            case SplitBehaviour::Contiguous:
                if (!m_parts.empty() && lastIsMatch == isMatch) {
                    m_parts.back().end = part.end;
                } else {
                    m_parts.push_back(part);
                }
                return;
            case SplitBehaviour::MergedWithPrevious:
                // Only the first of several matches in a row joins what stands before it.
                if (isMatch && !m_parts.empty() && !lastIsMatch) {
                    m_parts.back().end = part.end;
                    m_parts.back().isMatch = true;
                } else {
                    m_parts.push_back(part);
                }
                return;
        }
    }

    void mergeWithNext() {
        std::vector<Part> merged;
        bool previousMatch = false;
        for (auto part = m_parts.rbegin(); part != m_parts.rend(); ++part) {
            if (part->isMatch && !previousMatch && !merged.empty()) {
                merged.back().begin = part->begin;
            } else {
                merged.push_back(*part);
            }
            previousMatch = part->isMatch;
        }
        m_parts.assign(merged.rbegin(), merged.rend());
    }

    SplitBehaviour m_behaviour;
    bool m_invert;
    Pieces::Range m_piece;
    std::size_t m_at = 0;
    std::vector<Part> m_parts;
};

class RegexSplit final : public PreTokenizer {
  public:
    RegexSplit(std::shared_ptr<const Regex> regex, SplitBehaviour behaviour, bool invert)
        : m_regex(std::move(regex)), m_behaviour(behaviour), m_invert(invert) {}

    Result<void> apply(Pieces& pieces) const override {
        RegexMatcher matcher(*m_regex);
        Cutter cutter(m_behaviour, m_invert);
        std::vector<Pieces::Range> out;
        out.reserve(pieces.ranges.size() + pieces.text.size() / 4);
        for (const Pieces::Range& piece : pieces.ranges) {
            cutter.begin(piece);
            const auto done =
                forEachMatch(matcher, pieces.view(piece),
                             [&](std::size_t from, std::size_t to) { cutter.match(from, to); });
            if (!done) return done.error();
            cutter.finish(out);
        }
        pieces.ranges = std::move(out);
        return {};
    }

  private:
    std::shared_ptr<const Regex> m_regex;
    SplitBehaviour m_behaviour;
    bool m_invert;
};

/// Splits at characters of a class.
class CharSplit final : public PreTokenizer {
  public:
    CharSplit(bool (*isDelimiter)(char32_t), SplitBehaviour behaviour)
        : m_isDelimiter(isDelimiter), m_behaviour(behaviour) {}

    Result<void> apply(Pieces& pieces) const override {
        Cutter cutter(m_behaviour, false);
        std::vector<Pieces::Range> out;
        out.reserve(pieces.ranges.size());
        for (const Pieces::Range& piece : pieces.ranges) {
            const std::string_view text = pieces.view(piece);
            cutter.begin(piece);
            for (std::size_t at = 0; at < text.size();) {
                const utf8::Step step = utf8::decode(text, at);
                if (m_isDelimiter(step.codePoint)) cutter.match(at, at + step.length);
                at += step.length;
            }
            cutter.finish(out);
        }
        pieces.ranges = std::move(out);
        return {};
    }

  private:
    bool (*m_isDelimiter)(char32_t);
    SplitBehaviour m_behaviour;
};

/// Splits at a fixed text.
class TextSplit final : public PreTokenizer {
  public:
    TextSplit(std::string delimiter, SplitBehaviour behaviour, bool invert)
        : m_delimiter(std::move(delimiter)), m_behaviour(behaviour), m_invert(invert) {}

    Result<void> apply(Pieces& pieces) const override {
        Cutter cutter(m_behaviour, m_invert);
        std::vector<Pieces::Range> out;
        for (const Pieces::Range& piece : pieces.ranges) {
            const std::string_view text = pieces.view(piece);
            cutter.begin(piece);
            for (std::size_t at = text.find(m_delimiter); at != std::string_view::npos;
                 at = text.find(m_delimiter, at + m_delimiter.size())) {
                cutter.match(at, at + m_delimiter.size());
            }
            cutter.finish(out);
        }
        pieces.ranges = std::move(out);
        return {};
    }

  private:
    std::string m_delimiter;
    SplitBehaviour m_behaviour;
    bool m_invert;
};

/// Puts a space before each piece that does not start with one.
class PrefixSpace final : public PreTokenizer {
  public:
    Result<void> apply(Pieces& pieces) const override {
        Pieces out;
        out.atTextStart = pieces.atTextStart;
        out.text.reserve(pieces.text.size() + pieces.ranges.size());
        out.ranges.reserve(pieces.ranges.size());
        for (const Pieces::Range& piece : pieces.ranges) {
            const std::string_view text = pieces.view(piece);
            const auto begin = static_cast<std::uint32_t>(out.text.size());
            if (!text.starts_with(' ')) out.text.push_back(' ');
            out.text.append(text);
            out.ranges.push_back({begin, static_cast<std::uint32_t>(out.text.size())});
        }
        pieces = std::move(out);
        return {};
    }
};

class ByteAlphabet final : public PreTokenizer {
  public:
    Result<void> apply(Pieces& pieces) const override {
        std::string text;
        text.reserve(pieces.text.size() + pieces.text.size() / 2);
        for (Pieces::Range& piece : pieces.ranges) {
            const auto begin = static_cast<std::uint32_t>(text.size());
            byte_level::appendMapped(text, pieces.view(piece));
            piece = {begin, static_cast<std::uint32_t>(text.size())};
        }
        pieces.text = std::move(text);
        return {};
    }
};

class Sequence final : public PreTokenizer {
  public:
    explicit Sequence(std::vector<PreTokenizerPtr> steps) : m_steps(std::move(steps)) {}

    Result<void> apply(Pieces& pieces) const override {
        for (const auto& step : m_steps) {
            const auto done = step->apply(pieces);
            if (!done) return done.error();
        }
        return {};
    }

  private:
    std::vector<PreTokenizerPtr> m_steps;
};

Result<SplitBehaviour> behaviourOf(const json& entry, SplitBehaviour fallback) {
    if (member(entry, "behavior").is_null()) return fallback;
    const std::string name = textField(entry, "behavior");
    if (name == "Removed" || name == "removed") return SplitBehaviour::Removed;
    if (name == "Isolated" || name == "isolated") return SplitBehaviour::Isolated;
    if (name == "MergedWithPrevious" || name == "merged_with_previous") {
        return SplitBehaviour::MergedWithPrevious;
    }
    if (name == "MergedWithNext" || name == "merged_with_next") {
        return SplitBehaviour::MergedWithNext;
    }
    if (name == "Contiguous" || name == "contiguous") return SplitBehaviour::Contiguous;
    return unsupported("pre_tokenizer has the unknown behavior \"" + name + "\"");
}

Result<PreTokenizerPtr> makeRegexSplit(std::string_view pattern, SplitBehaviour behaviour,
                                       bool invert) {
    auto regex = Regex::compile(pattern);
    if (!regex) return regex.error();
    return makeSplit(*regex, behaviour, invert);
}

Result<PreTokenizerPtr> splitFromJson(const json& entry) {
    const auto behaviour = behaviourOf(entry, SplitBehaviour::Isolated);
    if (!behaviour) return behaviour.error();
    const bool invert = boolField(entry, "invert", false);
    const json& pattern = member(entry, "pattern");
    if (member(pattern, "Regex").is_string()) {
        return makeRegexSplit(textField(pattern, "Regex"), *behaviour, invert);
    }
    const std::string text =
        pattern.is_string() ? pattern.get<std::string>() : textField(pattern, "String");
    if (text.empty()) return badInput("pre_tokenizer Split has no pattern");
    return PreTokenizerPtr(std::make_unique<TextSplit>(text, *behaviour, invert));
}

Result<PreTokenizerPtr> byteLevelFromJson(const json& entry, bool* byteAlphabet) {
    std::vector<PreTokenizerPtr> steps;
    if (boolField(entry, "add_prefix_space", true)) {
        steps.push_back(std::make_unique<PrefixSpace>());
    }
    if (boolField(entry, "use_regex", true)) {
        auto split = makeRegexSplit(kGpt2Pattern, SplitBehaviour::Isolated, false);
        if (!split) return split.error();
        steps.push_back(std::move(*split));
    }
    if (byteAlphabet != nullptr) {
        *byteAlphabet = true;
    } else {
        steps.push_back(makeByteAlphabet());
    }
    return makeSequence(std::move(steps));
}

Result<PreTokenizerPtr> sequenceFromJson(const json& entry, bool* byteAlphabet) {
    const json& list = member(entry, "pretokenizers");
    if (!list.is_array()) return badInput("pre_tokenizer Sequence has no \"pretokenizers\"");
    std::vector<PreTokenizerPtr> steps;
    for (const json& item : list) {
        const bool last = &item == &list.back();
        auto step = makePreTokenizer(item, last ? byteAlphabet : nullptr);
        if (!step) return step.error();
        if (*step) steps.push_back(std::move(*step));
    }
    return makeSequence(std::move(steps));
}

}  // namespace

PreTokenizerPtr makeSplit(std::shared_ptr<const Regex> regex, SplitBehaviour behaviour,
                          bool invert) {
    return std::make_unique<RegexSplit>(std::move(regex), behaviour, invert);
}

PreTokenizerPtr makeByteAlphabet() {
    return std::make_unique<ByteAlphabet>();
}

PreTokenizerPtr makeSequence(std::vector<PreTokenizerPtr> steps) {
    return std::make_unique<Sequence>(std::move(steps));
}

Result<PreTokenizerPtr> makePreTokenizer(const json& entry, bool* byteAlphabet) {
    if (entry.is_null()) return PreTokenizerPtr();
    const std::string type = typeOf(entry);
    if (type == "Sequence") return sequenceFromJson(entry, byteAlphabet);
    if (type == "ByteLevel") return byteLevelFromJson(entry, byteAlphabet);
    if (type == "Split") return splitFromJson(entry);
    if (type == "Metaspace") return makeMetaspace(entry);
    if (type == "CharDelimiterSplit") {
        const std::string delimiter = textField(entry, "delimiter");
        if (delimiter.empty()) return badInput("pre_tokenizer CharDelimiterSplit has no delimiter");
        return PreTokenizerPtr(
            std::make_unique<TextSplit>(delimiter, SplitBehaviour::Removed, false));
    }
    if (type == "BertPreTokenizer") {
        std::vector<PreTokenizerPtr> steps;
        steps.push_back(std::make_unique<CharSplit>(isWhitespace, SplitBehaviour::Removed));
        steps.push_back(std::make_unique<CharSplit>(isPunctuation, SplitBehaviour::Isolated));
        return makeSequence(std::move(steps));
    }
    if (type == "Digits") {
        const bool individual = boolField(entry, "individual_digits", false);
        return PreTokenizerPtr(std::make_unique<CharSplit>(
            isNumeric, individual ? SplitBehaviour::Isolated : SplitBehaviour::Contiguous));
    }
    if (type == "Punctuation") {
        const auto behaviour = behaviourOf(entry, SplitBehaviour::Isolated);
        if (!behaviour) return behaviour.error();
        return PreTokenizerPtr(std::make_unique<CharSplit>(isPunctuation, *behaviour));
    }
    if (type == "Whitespace") {
        return makeRegexSplit(R"(\w+|[^\w\s]+)", SplitBehaviour::Removed, true);
    }
    if (type == "WhitespaceSplit") {
        return PreTokenizerPtr(std::make_unique<CharSplit>(isWhitespace, SplitBehaviour::Removed));
    }
    return unsupported("pre_tokenizer of type \"" + type + "\" is not supported");
}

}  // namespace lanescope::tokenizer
