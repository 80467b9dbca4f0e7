#pragma once
// The tokenizer put together: added tokens, normaliser, pre-tokenizer, model, post-processor and
// decoder, each chosen when a file is read (json_reader.h, gguf_reader.h) and fixed from then on.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"
#include "engine/text/tokenizer/added_tokens.h"
#include "engine/text/tokenizer/decoder.h"
#include "engine/text/tokenizer/model.h"
#include "engine/text/tokenizer/normalizer.h"
#include "engine/text/tokenizer/pre_tokenizer.h"
#include "engine/text/tokenizer/vocabulary.h"

namespace lanescope::tokenizer {

/// What a reader fills in. Null: that step does nothing (a null decoder joins with spaces).
struct Parts {
    std::unique_ptr<Vocabulary> vocabulary = std::make_unique<Vocabulary>();
    AddedTokens added;
    NormalizerPtr normalizer;
    PreTokenizerPtr preTokenizer;
    std::unique_ptr<const Model> model;
    DecoderPtr decoder;
    std::vector<TokenId> prefix;  ///< what AddSpecial::Yes puts before the ids
    std::vector<TokenId> suffix;  ///< … and after them
    TokenId bos = -1;
    std::vector<TokenId> endOfGeneration;
    std::map<std::string, std::string, std::less<>> specialTexts;  ///< "bos_token" → "<s>"
    std::string kind;

    /// Adds an id to endOfGeneration once; ids without a token are passed over.
    void addEndOfGeneration(std::int64_t id);
    /// Adds the control tokens that end a turn in published models by their names (<|im_end|> …).
    void addKnownEndsOfGeneration();
};

class Pipeline final : public Tokenizer {
  public:
    explicit Pipeline(Parts parts) : m_parts(std::move(parts)) {}

    [[nodiscard]] Result<std::vector<TokenId>> encode(std::string_view text, AddSpecial addSpecial,
                                                      SpecialTokens special) const override;
    [[nodiscard]] std::string decode(std::span<const TokenId> ids, SkipSpecial skip) const override;
    [[nodiscard]] std::string tokenBytes(TokenId id) const override;
    [[nodiscard]] std::int32_t vocabSize() const override { return m_parts.vocabulary->size(); }
    [[nodiscard]] bool isSpecial(TokenId id) const override;
    [[nodiscard]] TokenId bos() const override { return m_parts.bos; }
    [[nodiscard]] const std::vector<TokenId>& endOfGeneration() const override {
        return m_parts.endOfGeneration;
    }
    [[nodiscard]] std::string kind() const override { return m_parts.kind; }
    [[nodiscard]] std::string specialTokenText(std::string_view name) const override;

  private:
    [[nodiscard]] Result<void> encodeRaw(std::string_view text, SpecialTokens special,
                                         std::vector<TokenId>& out, PieceCache& cache) const;
    [[nodiscard]] Result<void> encodeNormalized(std::string text, SpecialTokens special,
                                                bool atTextStart, std::vector<TokenId>& out,
                                                PieceCache& cache) const;
    [[nodiscard]] Result<void> encodePlain(std::string text, bool atTextStart,
                                           std::vector<TokenId>& out, PieceCache& cache) const;

    /// A cache for one call; given back at its end.
    class Loan;

    Parts m_parts;
    mutable std::mutex m_mutex;
    mutable std::vector<std::unique_ptr<PieceCache>> m_idleCaches;  ///< guarded by m_mutex
};

}  // namespace lanescope::tokenizer
