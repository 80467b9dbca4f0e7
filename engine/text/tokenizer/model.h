#pragma once
// What turns a piece of text into ids. Byte-pair encoding is in bpe.h; unigram models fit beside
// it.

#include <vector>

#include "engine/base/result.h"
#include "engine/text/tokenizer.h"
#include "engine/text/tokenizer/pieces.h"

namespace lanescope::tokenizer {

class Model {
  public:
    virtual ~Model() = default;
    /// Appends the ids of every piece. Thread-safe.
    virtual Result<void> encode(const Pieces& pieces, std::vector<TokenId>& out) const = 0;
};

}  // namespace lanescope::tokenizer
