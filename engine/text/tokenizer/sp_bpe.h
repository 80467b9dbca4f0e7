#pragma once
// SentencePiece's byte-pair encoding (Kudo and Richardson 2018, arXiv 1808.06226): there is no list
// of merges; of all neighbours whose joined text is a token, the pair with the best score is joined
// first, from the left where scores are equal.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer/model.h"
#include "engine/text/tokenizer/safe_cuts.h"
#include "engine/text/tokenizer/vocabulary.h"

namespace lanescope::tokenizer {

struct SpBpeOptions {
    std::vector<float> scores;     ///< [vocabulary size]
    std::vector<TokenId> byteIds;  ///< [256] id of each byte's token or -1; empty: none fall back
    std::vector<bool> unused;      ///< [vocabulary size]: steps on the way to others; empty: none
    TokenId unkId = -1;            ///< -1: unknown characters are dropped
};

class SpBpe final : public Model {
  public:
    /// Tokens that merging can make are the searchable ones. The vocabulary must outlive the model.
    SpBpe(const Vocabulary& vocabulary, SpBpeOptions options);

    Result<void> encode(const Pieces& pieces, std::vector<TokenId>& out,
                        PieceCache& cache) const override;

  private:
    struct Scratch;
    struct Symbol;
    struct Join {
        TokenId id = -1;  ///< -1: the two do not join
        float score = 0;
    };

    /// What two neighbours of a word make.
    Join joinOf(const Symbol& left, const Symbol& right, std::string_view word,
                Scratch& scratch) const;
    [[nodiscard]] Join joinOf(std::string_view text) const;
    [[nodiscard]] bool isUnused(TokenId id) const {
        return !m_options.unused.empty() && m_options.unused[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] TokenId idOf(std::string_view character) const;
    void encodeWord(std::string_view word, std::vector<TokenId>& out, Scratch& scratch) const;
    void mergeShort(std::string_view word, Scratch& scratch) const;
    void mergeLong(std::string_view word, Scratch& scratch) const;
    void put(std::string_view symbol, TokenId id, std::vector<TokenId>& out,
             const Scratch& scratch) const;
    void putUnknown(std::string_view symbol, std::vector<TokenId>& out,
                    const Scratch& scratch) const;

    const Vocabulary& m_vocabulary;
    SpBpeOptions m_options;
    SafeCuts m_cuts;
    std::vector<TokenId> m_asciiIds;  ///< [128] id of the one-character token, or -1
};

}  // namespace lanescope::tokenizer
