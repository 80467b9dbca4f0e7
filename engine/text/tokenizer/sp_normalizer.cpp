#include "engine/text/tokenizer/sp_normalizer.h"

#include <algorithm>
#include <utility>

#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

class SpNormalizer final : public Normalizer {
  public:
    explicit SpNormalizer(SpNormalizerOptions options) : m_options(std::move(options)) {
        std::sort(m_options.keep.begin(), m_options.keep.end(),
                  [](const auto& a, const auto& b) { return a.size() > b.size(); });
        for (const std::string& symbol : m_options.keep) {
            if (!symbol.empty()) m_keepFirst[static_cast<unsigned char>(symbol[0])] = true;
        }
    }

    Result<void> apply(std::string& text) const override {
        std::string_view rest = text;
        if (m_options.removeExtraSpaces) {
            while (!rest.empty()) {
                const Mapped mapped = mapFirst(rest);
                if (mapped.text != " ") break;
                rest.remove_prefix(mapped.consumed);
            }
        }
        if (rest.empty()) {
            text.clear();
            return {};
        }
        std::string out;
        out.reserve(rest.size() + rest.size() / 2 + 3);
        if (m_options.addPrefix && !m_options.prefixIsSuffix) out.append(space());
        append(rest, out);
        if (m_options.removeExtraSpaces) {
            while (std::string_view(out).ends_with(space()))
                out.resize(out.size() - space().size());
        }
        if (m_options.addPrefix && m_options.prefixIsSuffix) out.append(space());
        text = std::move(out);
        return {};
    }

  private:
    struct Mapped {
        std::string_view text;
        std::size_t consumed = 1;
    };

    [[nodiscard]] std::string_view space() const {
        return m_options.escapeSpaces ? kMetaspace : std::string_view(" ");
    }

    /// What the start of the text becomes. Precondition: not empty.
    [[nodiscard]] Mapped mapFirst(std::string_view text) const {
        if (m_keepFirst[static_cast<unsigned char>(text[0])]) {
            for (const std::string& symbol : m_options.keep) {
                if (text.starts_with(symbol)) return {text.substr(0, symbol.size()), symbol.size()};
            }
        }
        if (m_options.charsmap) {
            const Charsmap::Match match = m_options.charsmap->longest(text);
            if (match.length > 0) return {match.replacement, match.length};
        }
        const std::size_t length = utf8::decode(text, 0).length;
        return {text.substr(0, length), length};
    }

    void appendSpaced(std::string_view part, std::string& out) const {
        for (std::size_t at = 0; at < part.size();) {
            const std::size_t end = std::min(part.find(' ', at), part.size());
            out.append(part, at, end - at);
            if (end < part.size()) out.append(space());
            at = end + 1;
        }
    }

    void append(std::string_view rest, std::string& out) const {
        if (!m_options.charsmap && m_options.keep.empty() && !m_options.removeExtraSpaces) {
            return appendSpaced(rest, out);
        }
        bool afterSpace = m_options.removeExtraSpaces;
        while (!rest.empty()) {
            const Mapped mapped = mapFirst(rest);
            rest.remove_prefix(mapped.consumed);
            std::string_view part = mapped.text;
            while (afterSpace && part.starts_with(' ')) part.remove_prefix(1);
            if (part.empty()) continue;
            appendSpaced(part, out);
            afterSpace = m_options.removeExtraSpaces && part.ends_with(' ');
        }
    }

    SpNormalizerOptions m_options;
    bool m_keepFirst[256] = {};
};

}  // namespace

NormalizerPtr makeSpNormalizer(SpNormalizerOptions options) {
    return std::make_unique<SpNormalizer>(std::move(options));
}

}  // namespace lanescope::tokenizer
