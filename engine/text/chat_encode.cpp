// Rendered chat to ids. A control token counts only where the template wrote all of it; the same
// characters in a message are text. As long as no message spells a control token, the whole text is
// encoded in one piece, so that the ids are those of the plain text.
#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/text/chat_template.h"

namespace lanescope {

namespace {

/// One way a control token is written.
struct Control {
    std::string text;
    TokenId id = -1;
};

/// The control tokens, longest first, sorted into 256 lists by first byte.
class ControlTokens {
  public:
    explicit ControlTokens(const Tokenizer& tokenizer) : m_byFirst(256) {
        for (TokenId id = 0; id < tokenizer.vocabSize(); ++id) {
            if (!tokenizer.isSpecial(id)) continue;
            std::string text = tokenizer.tokenBytes(id);
            if (text.empty()) continue;
            auto& list = m_byFirst[static_cast<unsigned char>(text.front())];
            list.push_back({std::move(text), id});
        }
        for (auto& list : m_byFirst) {
            std::stable_sort(list.begin(), list.end(), [](const Control& a, const Control& b) {
                return a.text.size() > b.text.size();
            });
        }
    }

    /// Candidates that may start with this byte, longest first.
    [[nodiscard]] const std::vector<Control>& at(char first) const {
        return m_byFirst[static_cast<unsigned char>(first)];
    }

  private:
    std::vector<std::vector<Control>> m_byFirst;
};

/// The rendered text with its origins, and where control tokens lie in it.
class MarkedText {
  public:
    explicit MarkedText(const std::vector<ChatSegment>& segments) {
        for (const ChatSegment& segment : segments) {
            m_text += segment.text;
            m_ends.push_back({m_text.size(), segment.fromInput});
        }
    }

    struct Match {
        std::size_t from = 0, to = 0;
        TokenId id = -1;
        bool ours = false;   ///< the template wrote every byte of it
        bool tight = false;  ///< with what a message adds, it would be another, longer one
    };

    /// Control tokens from left to right, the longest where several start; those of the template
    /// win over those that a message spells across a border.
    [[nodiscard]] std::vector<Match> find(const ControlTokens& controls) const {
        std::vector<Match> matches;
        for (std::size_t at = 0; at < m_text.size();) {
            const std::string_view rest = std::string_view(m_text).substr(at);
            std::optional<Match> best;
            for (const Control& control : controls.at(m_text[at])) {
                if (rest.substr(0, control.text.size()) != control.text) continue;
                const bool ours = isTemplate(at, at + control.text.size());
                if (ours || !best) {
                    best = Match{at, at + control.text.size(), control.id, ours, best.has_value()};
                }
                if (ours) break;
            }
            if (best) matches.push_back(*best);
            at = best && best->ours ? best->to : at + 1;
        }
        return matches;
    }

    [[nodiscard]] const std::string& text() const { return m_text; }

  private:
    struct End {
        std::size_t end = 0;
        bool fromInput = false;
    };

    [[nodiscard]] bool isTemplate(std::size_t from, std::size_t to) const {
        auto it = std::upper_bound(m_ends.begin(), m_ends.end(), from,
                                   [](std::size_t at, const End& end) { return at < end.end; });
        for (; it != m_ends.end(); ++it) {
            if (it->fromInput) return false;
            if (it->end >= to) return true;
        }
        return false;
    }

    std::string m_text;
    std::vector<End> m_ends;
};

/// Encodes stretch by stretch: those in which a message spells a control token as plain text, all
/// others (as long as possible, control tokens included) as they are.
Result<std::vector<TokenId>> encodeAround(const Tokenizer& tokenizer, const std::string& text,
                                          const std::vector<MarkedText::Match>& matches) {
    std::vector<TokenId> ids;
    std::optional<Error> error;
    const auto encode = [&](std::size_t from, std::size_t to, SpecialTokens special) {
        if (from >= to || error) return;
        auto part = tokenizer.encode(std::string_view(text).substr(from, to - from), AddSpecial::No,
                                     special);
        if (!part) {
            error = part.error();
            return;
        }
        ids.insert(ids.end(), part->begin(), part->end());
    };
    std::size_t parsedFrom = 0;   // start of what is still to be encoded with control tokens
    std::size_t stretchFrom = 0;  // start of the stretch since the last control token
    bool spelled = false;         // the stretch holds a control token that a message spells
    for (std::size_t i = 0; i <= matches.size(); ++i) {
        const bool end = i == matches.size();
        if (!end && !matches[i].ours) {
            spelled = true;
            continue;
        }
        const std::size_t stretchTo = end ? text.size() : matches[i].from;
        if (spelled) {
            encode(parsedFrom, stretchFrom, SpecialTokens::Parse);
            encode(stretchFrom, stretchTo, SpecialTokens::AsText);
            parsedFrom = stretchTo;
        }
        spelled = false;
        stretchFrom = end ? text.size() : matches[i].to;
        if (!end && matches[i].tight) {
            encode(parsedFrom, stretchFrom, SpecialTokens::Parse);
            parsedFrom = stretchFrom;
        }
    }
    encode(parsedFrom, text.size(), SpecialTokens::Parse);
    if (error) return *error;
    return ids;
}

}  // namespace

Result<std::vector<TokenId>> encodeChat(const Tokenizer& tokenizer,
                                        const std::vector<ChatSegment>& segments) {
    const MarkedText marked(segments);
    auto ids = encodeAround(tokenizer, marked.text(), marked.find(ControlTokens(tokenizer)));
    if (!ids) return ids;
    // Whether this vocabulary starts with BOS shows on an empty text.
    const TokenId bos = tokenizer.bos();
    if (bos < 0 || (!ids->empty() && ids->front() == bos)) return ids;
    const auto empty = tokenizer.encode("", AddSpecial::Yes, SpecialTokens::AsText);
    if (!empty) return empty.error();
    if (!empty->empty() && empty->front() == bos) ids->insert(ids->begin(), bos);
    return ids;
}

}  // namespace lanescope
