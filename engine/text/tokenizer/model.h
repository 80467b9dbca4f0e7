#pragma once
// What turns a piece of text into ids: bpe.h, sp_bpe.h, unigram.h.

#include <vector>

#include "engine/base/result.h"
#include "engine/text/tokenizer.h"
#include "engine/text/tokenizer/piece_cache.h"
#include "engine/text/tokenizer/pieces.h"

namespace lanescope::tokenizer {

class Model {
  public:
    virtual ~Model() = default;
    /// Appends the ids of every piece. Thread-safe, each call with a cache of its own.
    virtual Result<void> encode(const Pieces& pieces, std::vector<TokenId>& out,
                                PieceCache& cache) const = 0;
};

}  // namespace lanescope::tokenizer
