#pragma once
// Rewriting a text before it is cut: Unicode normal forms, lower case, replacements.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/base/result.h"

namespace lanescope::tokenizer {

class Normalizer {
  public:
    virtual ~Normalizer() = default;
    /// Text in and out is valid UTF-8. Errors: memory, a regular expression that gave up.
    virtual Result<void> apply(std::string& text) const = 0;
};

using NormalizerPtr = std::unique_ptr<const Normalizer>;

/// Unicode NFC, which some GGUF vocabularies want without saying so.
NormalizerPtr makeNfc();

/// From a "Precompiled" entry of tokenizer.json: SentencePiece's table of replacements.
Result<NormalizerPtr> makePrecompiled(const nlohmann::json& entry);
/// Every byte as its character of GPT-2's alphabet.
NormalizerPtr makeByteAlphabetNormalizer();
/// BERT's cleaning: control characters out, white space to spaces, CJK characters set apart.
NormalizerPtr makeBertClean(bool clean, bool chinese);

/// From the "normalizer" entry of tokenizer.json; null gives a null pointer.
/// Errors: Unsupported naming the type.
Result<NormalizerPtr> makeNormalizer(const nlohmann::json& entry);

}  // namespace lanescope::tokenizer
