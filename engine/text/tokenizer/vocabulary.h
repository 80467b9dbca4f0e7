#pragma once
// The table of tokens: id to text for every token, and text to id for those a model may produce.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/tokenizer.h"

namespace lanescope::tokenizer {

/// Ids a file may use are below this, so that one wild id does not make a table of gigabytes.
inline constexpr std::int64_t kMaxVocabSize = 1 << 21;

class Vocabulary {
  public:
    enum class Searchable : std::uint8_t { No, Yes };

    void reserve(std::size_t nTokens, std::size_t nBytes);
    /// Gives `id` its text; a later text for the same id or a later id for the same text wins.
    /// Searchable::No: find() does not see it (added tokens have their own search).
    /// Errors: BadInput for ids that are negative or too large.
    Result<void> add(std::string_view text, std::int64_t id, Searchable searchable);

    /// Makes room for ids without a token, so that size() is at least nTokens.
    void growTo(TokenId nTokens) {
        if (nTokens > size()) m_spans.resize(static_cast<std::size_t>(nTokens));
    }

    /// One past the largest id.
    [[nodiscard]] TokenId size() const { return static_cast<TokenId>(m_spans.size()); }
    [[nodiscard]] bool has(TokenId id) const {
        return id >= 0 && id < size() && m_spans[static_cast<std::size_t>(id)].known;
    }
    /// Empty for ids without a token.
    [[nodiscard]] std::string_view text(TokenId id) const {
        if (!has(id)) return {};
        const Span& span = m_spans[static_cast<std::size_t>(id)];
        return std::string_view(m_bytes).substr(span.offset, span.length);
    }
    /// -1 if no searchable token has this text.
    [[nodiscard]] TokenId find(std::string_view text) const;
    /// Whether find() can come upon this token.
    [[nodiscard]] bool isSearchable(TokenId id) const { return id >= 0 && find(text(id)) == id; }
    [[nodiscard]] bool isHidden(TokenId id) const {
        return m_spans[static_cast<std::size_t>(id)].hidden != 0;
    }
    /// Takes a control token out of find(), so that no text can spell it past the added tokens.
    void hide(TokenId id) {
        if (has(id)) m_spans[static_cast<std::size_t>(id)].hidden = 1;
    }

  private:
    struct Span {
        std::uint32_t offset = 0;
        std::uint32_t length : 30 = 0;
        std::uint32_t known : 1 = 0;
        std::uint32_t hidden : 1 = 0;
    };
    /// Texts of up to eight bytes are compared within the slot: on the tables of 262k tokens that
    /// models have today every other access would wait for memory.
    struct Slot {
        std::uint64_t head = 0;
        std::uint32_t length = 0;
        TokenId id = -1;
    };
    struct Key;

    [[nodiscard]] std::size_t slotOf(const Key& key) const;
    void index(std::string_view text, TokenId id);
    /// Takes the text of an id that gets another one out of the index.
    void forget(TokenId id);
    void put(const Slot& slot, const Key& key);
    void growIndex(std::size_t nSlots);

    std::string m_bytes;
    std::vector<Span> m_spans;
    std::vector<Slot> m_slots;  ///< open addressing, a power of two
    /// A bit for each of four times as many hashes: small enough for the inner caches, it answers
    /// for most texts that are no token.
    std::vector<std::uint64_t> m_mayBe;
    std::size_t m_nIndexed = 0;
};

}  // namespace lanescope::tokenizer
