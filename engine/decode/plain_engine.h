#pragma once
// The Engine that Engine::create builds: a model, a backend, one pool of KV blocks. Requests run
// one at a time from an empty cache.

#include "engine/decode/engine_parts.h"
#include "engine/decode/forward.h"
#include "engine/decode/sequence.h"
#include "engine/decode/settings.h"

namespace lanescope {

class PlainEngine final : public Engine {
  public:
    explicit PlainEngine(EngineParts&& parts);

    [[nodiscard]] const Model& model() const override { return *m_parts.model; }
    [[nodiscard]] const EffectiveSettings& effective() const override { return m_parts.effective; }
    [[nodiscard]] MemoryEstimate estimate() const override { return m_parts.estimate; }
    EngineParts& parts() override { return m_parts; }
    [[nodiscard]] MemoryEstimate measured() const override;
    [[nodiscard]] std::uint64_t kvBytesPerToken() const override;

    Result<GenerateResult> generate(const GenerateRequest& request, trace::Cursor cursor,
                                    const CancelToken& cancel) override;
    std::unique_ptr<LogitStream> logitStream(std::int64_t nTokens) override;
    Result<std::vector<float>> logits(std::span<const TokenId> tokens,
                                      const CancelToken& cancel) override;
    Result<std::int64_t> timePrefill(std::int64_t nTokens, const CancelToken& cancel) override;
    Result<std::int64_t> timeDecode(std::int64_t nTokens, std::int64_t depth,
                                    const CancelToken& cancel) override;
    Result<std::int64_t> timeBatch(std::int64_t nSequences, std::int64_t nTokens,
                                   std::int64_t depth, const CancelToken& cancel) override;
    void traceBenchmarks(const trace::Cursor& cursor) override { m_benchCursor = cursor; }

  private:
    class Stream;  ///< its LogitStream

    [[nodiscard]] const EngineSettings& settings() const { return m_parts.effective.settings; }
    void settleSequence(Sequence& sequence, const trace::Cursor& cursor);
    /// Tokens into the cache in chunks; the last one's logits end in m_logits, or what the job
    /// makes of them in the job.
    Result<void> prefill(Sequence& sequence, std::span<const TokenId> tokens, SampleJob* job,
                         const trace::Cursor& cursor, const CancelToken& cancel);
    /// One token into the cache; its logits likewise.
    Result<void> step(Sequence& sequence, TokenId token, SampleJob* job,
                      const trace::Cursor& cursor, const CancelToken& cancel);
    /// Arbitrary fixed ids for the benchmark primitives.
    [[nodiscard]] std::vector<TokenId> benchTokens(std::int64_t n) const;

    EngineParts m_parts;
    std::vector<kernels::PagedKv> m_views;  ///< [maxSequences] a layer's caches during a pass
    std::vector<float> m_logits;  ///< [maxSequences, vocab] of the last positions computed
    trace::Cursor m_benchCursor;
};

}  // namespace lanescope
