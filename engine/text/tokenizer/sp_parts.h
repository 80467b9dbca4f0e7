#pragma once
// A SentencePiece vocabulary as a pipeline, whichever file it came from: a .model file (sp_file.h)
// or GGUF's "llama" and "t5" kinds (gguf_reader.h).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/tokenizer/pipeline.h"
#include "engine/text/tokenizer/sp_normalizer.h"
#include "engine/text/tokenizer/unigram.h"

namespace lanescope::tokenizer {

/// Numbers as both files write them.
enum class SpType : std::uint8_t {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
};

struct SpVocabulary {
    enum class Kind : std::uint8_t { Bpe, Unigram };
    /// Where user-defined symbols are looked for. Raw: before normalising, which starts anew behind
    /// them (GGUF). Normalized: they are part of the text around them (SentencePiece itself).
    enum class UserDefined : std::uint8_t { Raw, Normalized };

    Kind kind = Kind::Bpe;
    UserDefined userDefined = UserDefined::Normalized;
    std::vector<std::string_view> pieces;
    std::vector<float> scores;  ///< one a piece
    std::vector<SpType> types;  ///< one a piece
    SpNormalizerOptions normalizer;
    bool byteFallback = true;
    bool parseUnknown = false;  ///< SpecialTokens::Parse finds the unknown token too
    TokenId unkId = -1;
    UnigramOptions::Sums sums = UnigramOptions::Sums::Float;  ///< Kind::Unigram only
    std::string unkSurface;  ///< what the unknown token decodes to; empty: its own text
};

/// Fills in vocabulary, added tokens, normaliser, model and decoder. Errors: BadInput for pieces
/// that cannot be added.
Result<void> buildSp(SpVocabulary source, Parts& parts);

}  // namespace lanescope::tokenizer
