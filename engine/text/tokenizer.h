#pragma once
// Text to token ids and back. One interface over every vocabulary kind; building one from a
// checkpoint or from tokenizer.json is in the same folder. Immutable and thread-safe once built.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

using TokenId = std::int32_t;

/// Whether "<|im_end|>" in the input is that control token, or just characters.
enum class SpecialTokens : std::uint8_t { AsText, Parse };
/// Whether BOS (and what else the vocabulary's post-processor adds) goes around the ids.
enum class AddSpecial : std::uint8_t { No, Yes };
enum class SkipSpecial : std::uint8_t { No, Yes };

class Tokenizer {
  public:
    /// From GGUF metadata (tokenizer.ggml.*) or the folder's tokenizer.json. Errors name the kind
    /// or entry that is not supported.
    static Result<std::shared_ptr<const Tokenizer>> fromCheckpoint(const Checkpoint& checkpoint);
    /// From a tokenizer.json file alone (and tokenizer_config.json beside it, if any).
    static Result<std::shared_ptr<const Tokenizer>> fromFile(const std::string& path);

    virtual ~Tokenizer() = default;

    /// Broken UTF-8 in the text becomes U+FFFD first. Errors: only for text over 1 GiB.
    [[nodiscard]] virtual Result<std::vector<TokenId>> encode(std::string_view text,
                                                              AddSpecial addSpecial,
                                                              SpecialTokens special) const = 0;
    /// Whole-sequence decoding as the reference library does it; ids outside the vocabulary decode
    /// to nothing.
    [[nodiscard]] virtual std::string decode(std::span<const TokenId> ids,
                                             SkipSpecial skip) const = 0;
    /// Raw bytes of one token (not necessarily whole characters), special tokens as spelled.
    [[nodiscard]] virtual std::string tokenBytes(TokenId id) const = 0;

    [[nodiscard]] virtual std::int32_t vocabSize() const = 0;  ///< ids are 0 … vocabSize - 1
    [[nodiscard]] virtual bool isSpecial(TokenId id) const = 0;
    [[nodiscard]] virtual TokenId bos() const = 0;  ///< -1: none
    /// Every id that ends a generation (eos, eot, end of turn; generation_config lists included).
    [[nodiscard]] virtual const std::vector<TokenId>& endOfGeneration() const = 0;
    [[nodiscard]] virtual std::string kind()
        const = 0;  ///< "byte-level BPE (smollm)" …, for display
    /// Spelling of a named special token for chat templates: "bos_token", "eos_token", "pad_token",
    /// "unk_token"; "" if none.
    [[nodiscard]] virtual std::string specialTokenText(std::string_view name) const = 0;
};

/// Turns ids into text one by one without ever emitting half a character. Joined output equals
/// decode().
class StreamDecoder {
  public:
    explicit StreamDecoder(std::shared_ptr<const Tokenizer> tokenizer,
                           SkipSpecial skip = SkipSpecial::Yes);
    /// Text that became complete with this id; empty while a character is unfinished.
    std::string push(TokenId id);
    /// What is left at the end; an unfinished character becomes U+FFFD.
    std::string finish();

  private:
    std::shared_ptr<const Tokenizer> m_tokenizer;
    SkipSpecial m_skip;
    std::vector<TokenId> m_window;  ///< ids since the piece before the last safe point
    std::size_t m_nContext = 0;     ///< first ids of m_window, whose text is given out
    std::string m_emitted;          ///< text of m_window already given out
};

}  // namespace lanescope
