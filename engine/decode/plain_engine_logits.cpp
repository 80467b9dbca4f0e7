// Logits of every position of a text.
#include <algorithm>
#include <array>

#include "engine/base/format.h"
#include "engine/base/memory.h"
#include "engine/decode/plain_engine.h"
#include "engine/decode/token_loop.h"

namespace lanescope {

namespace {

/// Floats of logits that are kept at once: 64 MiB.
constexpr std::int64_t kMostLogits = std::int64_t{1} << 24;

}  // namespace

class PlainEngine::Stream final : public LogitStream {
  public:
    Stream(PlainEngine& engine, std::int64_t nTokens)
        : m_engine(engine),
          m_nTokens(nTokens),
          m_vocab(engine.m_parts.model->spec().vocab),
          m_chunk(
              std::clamp<std::int64_t>(kMostLogits / m_vocab, 1, engine.settings().prefillChunk)),
          m_sequence(*engine.m_parts.pool, {}),
          m_rows(static_cast<std::size_t>(m_chunk)) {
        for (std::size_t i = 0; i < m_rows.size(); ++i) m_rows[i] = static_cast<std::int32_t>(i);
    }

    [[nodiscard]] std::int64_t maxTokens() const override { return m_chunk; }

    Result<std::span<const float>> feed(std::span<const TokenId> tokens,
                                        const CancelToken& cancel) override {
        if (auto valid = checkTokens(*m_engine.m_parts.model, m_engine.settings(), tokens); !valid)
            return valid.error();
        const std::int64_t end = m_sequence.nTokens + std::ssize(tokens);
        if (std::ssize(tokens) > m_chunk || end > m_engine.settings().contextTokens)
            return usageError("the context ends at " +
                              std::to_string(m_engine.settings().contextTokens) + " tokens");
        m_nTokens = std::max(m_nTokens, end);
        m_logits.resize(static_cast<std::size_t>(m_chunk * m_vocab));
        for (std::size_t done = 0; done < tokens.size();) {
            const std::size_t n = std::min(tokens.size() - done, mostAtOnce());
            if (auto ran =
                    piece(tokens.subspan(done, n),
                          m_logits.data() + done * static_cast<std::size_t>(m_vocab), cancel);
                !ran)
                return ran.error();
            done += n;
        }
        return std::span<const float>(m_logits).first(tokens.size() *
                                                      static_cast<std::size_t>(m_vocab));
    }

  private:
    [[nodiscard]] const AttentionPattern& pattern() const { return m_engine.settings().pattern; }
    /// Tokens that see the same blocks.
    [[nodiscard]] std::size_t mostAtOnce() {
        if (heavyOf(pattern(), m_sequence.heavy) == nullptr)
            return static_cast<std::size_t>(m_chunk);
        return static_cast<std::size_t>(tokensUntilEviction(
            m_sequence.nTokens, 0, m_engine.m_parts.pool->layout().blockTokens));
    }
    Result<void> piece(std::span<const TokenId> tokens, float* logits, const CancelToken& cancel) {
        const std::int64_t end = m_sequence.nTokens + std::ssize(tokens);
        if (auto room = m_engine.m_parts.pool->grow(m_sequence.table, m_sequence.nTokens, end, {});
            !room)
            return room;
        const std::array segments{Segment{std::ssize(tokens),
                                          static_cast<std::int32_t>(m_sequence.nTokens), m_nTokens,
                                          0, heavyOf(pattern(), m_sequence.heavy)}};
        const std::array<const BlockTable*, 1> tables{&m_sequence.table};
        ForwardPass pass;
        pass.tokens = tokens;
        pass.segments = segments;
        pass.tables = tables;
        pass.views = std::span(m_engine.m_views).first(1);
        pass.wanted = std::span(m_rows).first(tokens.size());
        pass.logits = logits;
        if (auto ran = forward(*m_engine.m_parts.model, *m_engine.m_parts.backend,
                               *m_engine.m_parts.pool, pass, {}, cancel);
            !ran)
            return ran;
        m_sequence.nTokens = end;
        m_engine.settleSequence(m_sequence, {});
        return {};
    }

    PlainEngine& m_engine;
    std::int64_t m_nTokens;
    std::int64_t m_vocab;
    std::int64_t m_chunk;
    Sequence m_sequence;
    std::vector<std::int32_t> m_rows;
    std::vector<float> m_logits;
};

std::unique_ptr<LogitStream> PlainEngine::logitStream(std::int64_t nTokens) {
    return std::make_unique<Stream>(*this, nTokens);
}

Result<std::vector<float>> PlainEngine::logits(std::span<const TokenId> tokens,
                                               const CancelToken& cancel) {
    if (auto valid = checkTokens(*m_parts.model, settings(), tokens); !valid) return valid.error();
    const auto vocab = static_cast<std::size_t>(m_parts.model->spec().vocab);
    const std::uint64_t bytes = tokens.size() * vocab * sizeof(float);
    if (const std::uint64_t available = availableMemoryBytes(); available > 0 && bytes > available)
        return outOfMemory("logits of " + std::to_string(tokens.size()) + " positions need " +
                               formatBytes(bytes) + ", " + formatBytes(available) + " free",
                           "logits", "give fewer tokens");
    std::vector<float> all;
    all.reserve(tokens.size() * vocab);
    Stream stream(*this, std::ssize(tokens));
    const auto chunk = static_cast<std::size_t>(stream.maxTokens());
    for (std::size_t done = 0; done < tokens.size(); done += chunk) {
        auto some =
            stream.feed(tokens.subspan(done, std::min(chunk, tokens.size() - done)), cancel);
        if (!some) return some.error();
        all.insert(all.end(), some->begin(), some->end());
    }
    return all;
}

}  // namespace lanescope
