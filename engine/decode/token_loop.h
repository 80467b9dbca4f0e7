#pragma once
// One request's way from logits to tokens: choosing, ends of generation, stop strings, records and
// text. Whoever runs the passes (one sequence or many) owns one a request.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/decode/engine.h"
#include "engine/decode/next_token.h"
#include "engine/decode/token_stream.h"

namespace lanescope {

/// Ids inside the vocabulary, at least one, no more than the context holds. Error: Usage.
Result<void> checkTokens(const Model& model, const EngineSettings& settings,
                         std::span<const TokenId> tokens);
/// The same of a request's prompt, and ranges of all its knobs.
Result<void> checkRequest(const Model& model, const EngineSettings& settings,
                          const GenerateRequest& request);

/// Not thread-safe. The model outlives it.
class TokenLoop {
  public:
    /// Precondition: checkRequest().
    TokenLoop(const Model& model, const EngineSettings& settings, const GenerateRequest& request,
              trace::Sink* sink);

    /// Before a pass whose logits choose the next token: its job (NextToken::prepare).
    SampleJob* prepare() { return m_next.prepare(m_history); }
    /// After such a pass, before take() of the same logits: the costly part of it. May run in
    /// another thread than that of the rest, one request in each.
    void choose(std::span<const float> logits) { m_chosen = m_next.take(logits, m_history); }
    /// After such a pass: the next token, out of logits [>= usable vocabulary]. inCache: tokens of
    /// the sequence there; kvBytes: of its blocks. False: the request has ended. Error: BadInput
    /// for logits that leave no choice.
    Result<bool> take(std::span<const float> logits, std::int64_t inCache, std::uint64_t kvBytes,
                      const trace::Cursor& cursor);

    /// Prompt and what was chosen; the last of it is not in the cache yet.
    [[nodiscard]] std::span<const TokenId> history() const { return m_history; }
    [[nodiscard]] bool ended() const { return m_result.finish != trace::FinishReason::None; }
    /// Ends it for a reason outside.
    void end(trace::FinishReason reason) { m_result.finish = reason; }
    GenerateResult& result() { return m_result; }
    /// No more tokens: settles the text. Call once.
    GenerateResult finish();

  private:
    void record(const SampledToken& sampled, std::span<const float> logits, std::int64_t inCache,
                std::uint64_t kvBytes, const trace::Cursor& cursor);
    [[nodiscard]] bool endsGeneration(TokenId token) const;

    const Model& m_model;
    std::int64_t m_contextTokens;
    const GenerateRequest& m_request;
    NextToken m_next;
    TokenStream m_stream;
    std::vector<TokenId> m_history;
    GenerateResult m_result;
    std::optional<Result<SampledToken>> m_chosen;  ///< by choose(), not taken yet
};

}  // namespace lanescope
