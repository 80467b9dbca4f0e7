#pragma once
// Unigram language model (Kudo 2018, arXiv 1804.10959): of all ways to cut a piece into tokens the
// one with the best sum of scores, found from left to right (Viterbi).

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer/flat_map.h"
#include "engine/text/tokenizer/model.h"
#include "engine/text/tokenizer/vocabulary.h"

namespace lanescope::tokenizer {

struct UnigramOptions {
    /// The two libraries add up in different widths, which decides between equals.
    enum class Sums : std::uint8_t { Double, Float };

    Sums sums = Sums::Double;
    std::vector<double> scores;    ///< [vocabulary size]; of user-defined symbols too
    std::vector<bool> skip;        ///< [vocabulary size]: never produced; empty: none
    std::vector<TokenId> byteIds;  ///< [256] id of each byte's token or -1; empty: no fallback
    double unkScore = 0;           ///< of one unknown character
    TokenId unkId = -1;            ///< -1: unknown characters are dropped
};

class Unigram final : public Model {
  public:
    /// Tokens that a text can hold are the searchable ones. The vocabulary must outlive the model.
    Unigram(const Vocabulary& vocabulary, UnigramOptions options);

    Result<void> encode(const Pieces& pieces, std::vector<TokenId>& out,
                        PieceCache& cache) const override;

  private:
    struct Node {
        double score = 0;
        std::uint32_t from = kUnreached;
        TokenId id = -1;
    };
    static constexpr std::uint32_t kUnreached = ~std::uint32_t{0};
    static constexpr std::uint32_t kRoot = 0;

    void addToTrie(std::string_view text, TokenId id);
    void findBest(std::string_view piece, std::vector<Node>& nodes) const;
    void reach(Node& node, double score, std::uint32_t from, TokenId id) const;
    void put(std::string_view piece, const std::vector<Node>& nodes,
             std::vector<TokenId>& out) const;
    void putUnknown(std::string_view text, std::vector<TokenId>& out) const;

    const Vocabulary& m_vocabulary;
    UnigramOptions m_options;
    FlatMap64 m_edges;                        ///< (node << 8 | byte) to node
    std::vector<TokenId> m_idAt;              ///< per node: the token that ends there, or -1
    std::vector<std::uint32_t> m_firstEdges;  ///< [256] the root's children, 0: none
    bool m_allBytes = false;
};

}  // namespace lanescope::tokenizer
