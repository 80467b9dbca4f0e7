// Benchmark primitives: arbitrary fixed ids, no sampling, as llama-bench and llama-batched-bench
// do.
#include <algorithm>
#include <array>
#include <deque>

#include "engine/decode/plain_engine.h"
#include "engine/decode/sequence.h"
#include "engine/decode/token_loop.h"

namespace lanescope {

std::vector<TokenId> PlainEngine::benchTokens(std::int64_t n) const {
    std::vector<TokenId> tokens(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = static_cast<TokenId>((i * 7919 + 13) %
                                         static_cast<std::size_t>(m_parts.model->usableVocab()));
    return tokens;
}

Result<std::int64_t> PlainEngine::timePrefill(std::int64_t nTokens, const CancelToken& cancel) {
    if (nTokens < 1) return usageError("a prefill needs at least one token");
    const std::vector<TokenId> tokens =
        benchTokens(std::min(nTokens, settings().contextTokens + 1));
    if (auto valid = checkTokens(*m_parts.model, settings(), tokens); !valid) return valid.error();
    Sequence sequence(*m_parts.pool, {});
    const std::int64_t tStartNs = nowNs();
    if (auto ran = prefill(sequence, tokens, nullptr, m_benchCursor, cancel); !ran)
        return ran.error();
    return nowNs() - tStartNs;
}

Result<std::int64_t> PlainEngine::timeDecode(std::int64_t nTokens, std::int64_t depth,
                                             const CancelToken& cancel) {
    const std::int64_t context = settings().contextTokens;
    if (nTokens < 1 || depth < 0 || nTokens > context || depth > context - nTokens)
        return usageError(std::to_string(nTokens) + " tokens after " + std::to_string(depth) +
                              " do not fit: the context holds " + std::to_string(context),
                          "choose fewer tokens or raise the context");
    const std::vector<TokenId> tokens = benchTokens(depth + nTokens);
    Sequence sequence(*m_parts.pool, {});
    if (depth > 0) {
        const auto before = std::span(tokens).first(static_cast<std::size_t>(depth));
        if (auto ran = prefill(sequence, before, nullptr, {}, cancel); !ran) return ran.error();
    }
    const std::int64_t tStartNs = nowNs();
    for (std::int64_t i = depth; i < depth + nTokens; ++i)
        if (auto ran =
                step(sequence, tokens[static_cast<std::size_t>(i)], nullptr, m_benchCursor, cancel);
            !ran)
            return ran.error();
    return nowNs() - tStartNs;
}

Result<std::int64_t> PlainEngine::timeBatch(std::int64_t nSequences, std::int64_t nTokens,
                                            std::int64_t depth, const CancelToken& cancel) {
    const EngineSettings& s = settings();
    if (nSequences < 1 || nSequences > s.maxSequences)
        return usageError(std::to_string(nSequences) +
                          " sequences at once do not fit: the engine " + "has room for " +
                          std::to_string(s.maxSequences));
    if (nTokens < 1 || depth < 0 || nTokens > s.contextTokens || depth > s.contextTokens - nTokens)
        return usageError(std::to_string(nTokens) + " tokens after " + std::to_string(depth) +
                              " do not fit: the context holds " + std::to_string(s.contextTokens),
                          "choose fewer tokens or raise the context");
    const auto n = static_cast<std::size_t>(nSequences);
    std::deque<Sequence> sequences;
    std::vector<const BlockTable*> tables;
    for (std::size_t i = 0; i < n; ++i) {
        Sequence& sequence = sequences.emplace_back(*m_parts.pool, trace::Cursor());
        tables.push_back(&sequence.table);
        sequence.nPrompt = sequence.heavy.nPrompt = depth;
        if (depth == 0) continue;
        if (auto ran = prefill(sequence, benchTokens(depth), nullptr, {}, cancel); !ran)
            return ran.error();
    }
    const std::vector<TokenId> ids = benchTokens(nSequences * nTokens);
    std::vector<Segment> segments(n);
    std::vector<std::int32_t> wanted(n);
    for (std::size_t i = 0; i < n; ++i) wanted[i] = static_cast<std::int32_t>(i);
    const std::int64_t tStartNs = nowNs();
    for (std::int64_t t = 0; t < nTokens; ++t) {
        for (std::size_t i = 0; i < n; ++i) {
            if (auto room = m_parts.pool->grow(sequences[i].table, depth + t, depth + t + 1, {});
                !room)
                return room.error();
            segments[i] = {1, static_cast<std::int32_t>(depth + t), 0, depth,
                           heavyOf(s.pattern, sequences[i].heavy)};
        }
        ForwardPass pass;
        pass.tokens = std::span(ids).subspan(static_cast<std::size_t>(t) * n, n);
        pass.segments = segments;
        pass.tables = tables;
        pass.views = std::span(m_views).first(n);
        pass.wanted = wanted;
        pass.logits = m_logits.data();
        if (auto ran = forward(*m_parts.model, *m_parts.backend, *m_parts.pool, pass, m_benchCursor,
                               cancel);
            !ran)
            return ran.error();
        for (Sequence& sequence : sequences) {
            sequence.nTokens = depth + t + 1;
            settleSequence(sequence, {});
        }
    }
    return nowNs() - tStartNs;
}

}  // namespace lanescope
