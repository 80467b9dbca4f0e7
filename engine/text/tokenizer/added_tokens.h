#pragma once
// Tokens that are found in the text before any cutting: control tokens such as "<|im_end|>" and the
// words a vocabulary was given later. Matching is the reference library's: leftmost, longest first.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/tokenizer.h"
#include "engine/text/tokenizer/flat_map.h"

namespace lanescope::tokenizer {

struct AddedToken {
    TokenId id = -1;
    std::string content;
    bool special = false;     ///< a control token: dropped by SkipSpecial, never read from AsText
    bool singleWord = false;  ///< only where no word character is next to it
    bool lstrip = false;      ///< takes the white space before it along
    bool rstrip = false;      ///< takes the white space after it along
    bool normalized = false;  ///< looked for in the normalised text, not in the raw one
};

/// A stretch of text: an added token (id >= 0), or text between two (id -1).
struct TextSpan {
    std::size_t begin = 0;
    std::size_t end = 0;
    TokenId id = -1;
};

class AddedTokens {
  public:
    /// Adds one. `spelling` is what is looked for (the content, normalised if the token says so).
    /// Errors: BadInput for a spelling over 4096 bytes.
    Result<void> add(AddedToken token, std::string_view spelling);

    enum class Pass : std::uint8_t { Raw, Normalized };
    /// Cuts the text at added tokens. With SpecialTokens::AsText control tokens stay text.
    [[nodiscard]] std::vector<TextSpan> split(std::string_view text, Pass pass,
                                              SpecialTokens special) const;
    [[nodiscard]] bool hasPass(Pass pass) const { return !trie(pass).empty(); }

    /// Null if the id is no added token's.
    [[nodiscard]] const AddedToken* find(TokenId id) const;
    [[nodiscard]] const AddedToken* find(std::string_view content) const;
    [[nodiscard]] const std::vector<AddedToken>& all() const { return m_tokens; }

  private:
    /// Byte-wise tree of spellings in one hash map: (node, byte) to node.
    class Trie {
      public:
        void add(std::string_view spelling, std::uint32_t tokenIndex);
        [[nodiscard]] bool empty() const { return m_ends.size() <= 1; }
        [[nodiscard]] bool startsWith(unsigned char byte) const { return m_first[byte]; }
        /// Longest spelling at `at`: its length (0: none) and the token's index.
        [[nodiscard]] std::size_t longest(std::string_view text, std::size_t at,
                                          std::uint32_t& tokenIndex) const;

      private:
        static constexpr std::uint32_t kNone = ~std::uint32_t{0};
        FlatMap64 m_edges;
        std::vector<std::uint32_t> m_ends = {kNone};  ///< per node: the token that ends there
        bool m_first[256] = {};
    };

    [[nodiscard]] const Trie& trie(Pass pass) const {
        return pass == Pass::Raw ? m_raw : m_normalized;
    }

    std::vector<AddedToken> m_tokens;
    FlatMap64 m_byId;
    Trie m_raw;
    Trie m_normalized;
    Trie m_contents;
};

}  // namespace lanescope::tokenizer
