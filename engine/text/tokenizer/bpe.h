#pragma once
// Byte-pair encoding (Sennrich et al. 2016, arXiv 1508.07909): a piece starts as single characters
// and the pair that comes first in the list of merges is joined until none is left.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/tokenizer/flat_map.h"
#include "engine/text/tokenizer/model.h"
#include "engine/text/tokenizer/safe_cuts.h"
#include "engine/text/tokenizer/vocabulary.h"

namespace lanescope::tokenizer {

struct BpeOptions {
    bool ignoreMerges = false;  ///< a piece that is a token is taken whole, merges or not
    bool byteFallback = false;  ///< unknown characters become tokens named <0x41>
    bool fuseUnk = false;       ///< several unknown characters in a row are one unknown token
    TokenId unkId = -1;         ///< -1: unknown characters are dropped
    bool byteAlphabet = false;  ///< pieces come as bytes, tokens are in GPT-2's alphabet
    std::string wordPrefix;     ///< of every character of a piece but the first ("##")
    std::string wordSuffix;     ///< of the last character of a piece ("</w>")
};

class Bpe final : public Model {
  public:
    using Merge = std::pair<std::string_view, std::string_view>;

    /// The vocabulary must outlive the model and not change. Errors: BadInput naming a merge whose
    /// parts or result are not tokens.
    static Result<std::unique_ptr<const Bpe>> build(const Vocabulary& vocabulary,
                                                    const std::vector<Merge>& merges,
                                                    const BpeOptions& options);

    Result<void> encode(const Pieces& pieces, std::vector<TokenId>& out,
                        PieceCache& cache) const override;

  private:
    struct Scratch;
    static constexpr char32_t kFastChars = 0x180;  ///< covers the byte alphabet

    Bpe(const Vocabulary& vocabulary, const BpeOptions& options);
    void prepareCuts(const std::vector<Merge>& merges);
    void encodePiece(std::string_view piece, std::vector<TokenId>& out, Scratch& scratch) const;
    void firstSymbols(std::string_view piece, std::vector<TokenId>& symbols) const;
    void unknownSymbol(std::string_view character, std::vector<TokenId>& symbols,
                       bool& lastUnknown) const;
    void mergeShort(std::vector<TokenId>& symbols, std::vector<std::uint64_t>& pairs) const;
    void mergeLong(std::vector<TokenId>& symbols) const;
    /// (rank << 32 | id) of the merge of two neighbours, or FlatMap64::kAbsent.
    [[nodiscard]] std::uint64_t mergeOf(TokenId left, TokenId right) const {
        return m_merges.get((static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
                            static_cast<std::uint32_t>(right));
    }

    const Vocabulary& m_vocabulary;
    BpeOptions m_options;
    bool m_plain;  ///< characters are looked up as they are, without prefix or suffix
    FlatMap64 m_merges;
    SafeCuts m_cuts;
    bool m_cutting = false;
    std::vector<TokenId> m_fastIds;  ///< [kFastChars] id of the one-character token, or -1
    std::vector<TokenId> m_byteIds;  ///< [256] with byteFallback: id of <0x..>, or -1
};

}  // namespace lanescope::tokenizer
