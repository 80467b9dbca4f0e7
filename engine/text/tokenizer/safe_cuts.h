#pragma once
// Where a text may be cut without changing what merging makes of it: between two characters that
// stand side by side in no token. Vocabularies without a pre-tokenizer (SentencePiece) see a whole
// text as one piece; cut into words it can be merged word by word and words met before looked up.

#include <bitset>
#include <cstdint>
#include <string_view>

namespace lanescope::tokenizer {

class SafeCuts {
  public:
    /// Adds a token that merging can make.
    void addToken(std::string_view token);
    /// Allows cuts before a character that is a token by itself (or falls back to bytes, so that it
    /// is never part of a run of unknown characters).
    void allowBefore(char32_t character);

    /// End of the stretch that starts at `begin`: the first safe cut after it, or the text's end.
    /// Precondition: begin < text.size(), valid UTF-8, `begin` a character boundary.
    [[nodiscard]] std::size_t next(std::string_view text, std::size_t begin) const;

  private:
    /// ASCII characters each have a class, so has U+2581 "▁"; all others share one.
    static constexpr std::size_t kMeta = 128;
    static constexpr std::size_t kOther = 129;
    static constexpr std::size_t kClasses = 130;

    std::bitset<kClasses * kClasses> m_together;
    std::bitset<kClasses> m_allowed;
};

}  // namespace lanescope::tokenizer
