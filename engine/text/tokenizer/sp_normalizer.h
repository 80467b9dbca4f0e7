#pragma once
// SentencePiece's normaliser: its table of replacements, white space in order, and U+2581 "▁" for
// every space, with one before the text. GGUF's "llama" and "t5" vocabularies mean the same.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer/charsmap.h"
#include "engine/text/tokenizer/normalizer.h"

namespace lanescope::tokenizer {

inline constexpr std::string_view kMetaspace = "\xE2\x96\x81";  // ▁

struct SpNormalizerOptions {
    std::shared_ptr<const Charsmap> charsmap;  ///< null: characters stay as they are
    bool addPrefix = true;                     ///< a space before the text …
    bool prefixIsSuffix = false;               ///< … or rather behind it
    bool removeExtraSpaces = false;            ///< none at the ends, one between words
    bool escapeSpaces = true;
    std::vector<std::string> keep;  ///< user-defined symbols, which pass as they are
};

NormalizerPtr makeSpNormalizer(SpNormalizerOptions options);

}  // namespace lanescope::tokenizer
