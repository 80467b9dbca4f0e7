// Metaspace, the pre-tokenizer that stands for SentencePiece in tokenizer.json: spaces become "▁",
// one is put before the text, and each starts a new piece.

#include <utility>

#include "engine/text/tokenizer/json_fields.h"
#include "engine/text/tokenizer/pre_tokenizer.h"

namespace lanescope::tokenizer {

namespace {

using nlohmann::json;

enum class Prepend : std::uint8_t { Never, First, Always };

class Metaspace final : public PreTokenizer {
  public:
    Metaspace(std::string mark, Prepend prepend, bool split)
        : m_mark(std::move(mark)), m_prepend(prepend), m_split(split) {}

    Result<void> apply(Pieces& pieces) const override {
        Pieces out;
        out.atTextStart = pieces.atTextStart;
        out.text.reserve(pieces.text.size() + pieces.text.size() / 2 + m_mark.size());
        for (const Pieces::Range& piece : pieces.ranges) {
            const bool first = pieces.atTextStart && piece.begin == 0;
            add(pieces.view(piece), first, out);
        }
        pieces = std::move(out);
        return {};
    }

  private:
    void add(std::string_view text, bool first, Pieces& out) const {
        auto begin = out.text.size();
        const auto close = [&] {
            if (out.text.size() == begin) return;
            out.ranges.push_back(
                {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(out.text.size())});
            begin = out.text.size();
        };
        const bool wanted = m_prepend == Prepend::Always || (m_prepend == Prepend::First && first);
        if (wanted && !text.starts_with(' ') && !text.starts_with(m_mark)) out.text.append(m_mark);
        for (std::size_t at = 0; at < text.size();) {
            const bool isMark = text.substr(at, m_mark.size()) == m_mark;
            if (text[at] == ' ' || isMark) {
                if (m_split) close();
                out.text.append(m_mark);
                at += isMark ? m_mark.size() : 1;
            } else {
                out.text.push_back(text[at++]);
            }
        }
        close();
    }

    std::string m_mark;
    Prepend m_prepend;
    bool m_split;
};

}  // namespace

Result<PreTokenizerPtr> makeMetaspace(const json& entry) {
    const std::string mark = textField(entry, "replacement", "\xE2\x96\x81");
    if (mark.empty()) return badInput("pre_tokenizer Metaspace has an empty replacement");
    // Older files say add_prefix_space instead.
    const bool prefix = boolField(entry, "add_prefix_space", true);
    const std::string scheme = textField(entry, "prepend_scheme", prefix ? "always" : "never");
    Prepend prepend = Prepend::Always;
    if (scheme == "first") {
        prepend = Prepend::First;
    } else if (scheme == "never") {
        prepend = Prepend::Never;
    } else if (scheme != "always") {
        return unsupported("pre_tokenizer Metaspace has the unknown prepend_scheme \"" + scheme +
                           "\"");
    }
    return PreTokenizerPtr(
        std::make_unique<Metaspace>(mark, prepend, boolField(entry, "split", true)));
}

}  // namespace lanescope::tokenizer
