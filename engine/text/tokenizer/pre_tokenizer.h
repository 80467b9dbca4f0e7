#pragma once
// Cutting a text into the pieces that the model sees one by one. Splitting is part of a model, so
// an unknown kind is refused, never replaced by a default.

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/tokenizer/pieces.h"
#include "engine/text/tokenizer/regex.h"

namespace lanescope::tokenizer {

class PreTokenizer {
  public:
    virtual ~PreTokenizer() = default;
    /// Cuts every piece further. Errors: a regular expression that gave up.
    virtual Result<void> apply(Pieces& pieces) const = 0;
};

/// What happens to a match and to what lies between matches.
enum class SplitBehaviour : std::uint8_t {
    Removed,
    Isolated,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous,
};

using PreTokenizerPtr = std::unique_ptr<const PreTokenizer>;

/// Splits at matches of a regular expression.
PreTokenizerPtr makeSplit(std::shared_ptr<const Regex> regex, SplitBehaviour behaviour,
                          bool invert = false);
/// Turns bytes into GPT-2's byte alphabet, without splitting.
PreTokenizerPtr makeByteAlphabet();
PreTokenizerPtr makeSequence(std::vector<PreTokenizerPtr> steps);

/// GPT-2's splitting pattern, which ByteLevel with use_regex stands for.
extern const char* const kGpt2Pattern;

/// From a "Metaspace" entry of tokenizer.json.
Result<PreTokenizerPtr> makeMetaspace(const nlohmann::json& entry);

/// From the "pre_tokenizer" entry of tokenizer.json; null gives no step at all (a null pointer).
/// Errors: Unsupported naming the type.
/// With `byteAlphabet`: a last step that only writes bytes in GPT-2's alphabet is left off and
/// *byteAlphabet set, for a model that does it itself.
Result<PreTokenizerPtr> makePreTokenizer(const nlohmann::json& entry, bool* byteAlphabet = nullptr);

}  // namespace lanescope::tokenizer
