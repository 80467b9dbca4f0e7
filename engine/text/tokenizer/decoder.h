#pragma once
// From the texts of tokens back to text.

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace lanescope::tokenizer {

class Decoder {
  public:
    virtual ~Decoder() = default;
    /// Rewrites the list of token texts; joined, they are the text.
    virtual void apply(std::vector<std::string>& tokens) const = 0;
    /// The bytes one token stands for by itself.
    [[nodiscard]] virtual std::string bytesOf(std::string token) const = 0;
};

using DecoderPtr = std::unique_ptr<const Decoder>;

/// Byte-level BPE's: characters of the byte alphabet back to bytes, broken UTF-8 to U+FFFD.
DecoderPtr makeByteLevelDecoder();

struct SpDecoderOptions {
    bool stripPrefix = true;        ///< the space that stands before the text is taken off …
    bool stripAllPrefixes = false;  ///< … and every other that the text would start with
    enum class Broken : std::uint8_t { PerByte, PerPart };
    Broken broken = Broken::PerByte;  ///< how many U+FFFD an unfinished character becomes
};
/// SentencePiece's: "▁" to spaces, tokens named <0x41> to bytes.
DecoderPtr makeSpDecoder(SpDecoderOptions options);

/// The byte of a token named <0x41>, or -1.
int byteOfToken(std::string_view token);

/// From the "decoder" entry of tokenizer.json; null gives a null pointer, which joins with spaces.
/// Errors: Unsupported naming the type.
Result<DecoderPtr> makeDecoder(const nlohmann::json& entry);

}  // namespace lanescope::tokenizer
