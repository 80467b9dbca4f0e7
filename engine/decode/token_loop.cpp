#include "engine/decode/token_loop.h"

#include <algorithm>
#include <optional>
#include <string>

namespace lanescope {

using trace::FinishReason;
using trace::Op;

namespace {

int candidatesKept(const GenerateRequest& request, const trace::Sink* sink) {
    return sink != nullptr ? std::max(request.topCandidates, 0) : 0;
}

SampleOn sampledOn(const EngineSettings& settings, const GenerateRequest& request, int nTop) {
    const bool onDevice =
        settings.sampleOn == SampleOn::Device && whyOnHost(request.sampling, nTop).empty();
    return onDevice ? SampleOn::Device : SampleOn::Host;
}

}  // namespace

Result<void> checkTokens(const Model& model, const EngineSettings& settings,
                         std::span<const TokenId> tokens) {
    if (tokens.empty()) return usageError("the prompt is empty", "give at least one token");
    if (std::ssize(tokens) > settings.contextTokens)
        return usageError("the prompt has " + std::to_string(tokens.size()) +
                              " tokens, the context holds " +
                              std::to_string(settings.contextTokens),
                          "shorten the prompt or raise the context");
    const std::int64_t vocab = model.spec().vocab;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (tokens[i] < 0 || tokens[i] >= vocab)
            return usageError("token " + std::to_string(i) + " has id " +
                                  std::to_string(tokens[i]) + ", the vocabulary has ids 0 to " +
                                  std::to_string(vocab - 1),
                              "use ids of this model's tokenizer");
    return {};
}

Result<void> checkRequest(const Model& model, const EngineSettings& settings,
                          const GenerateRequest& request) {
    if (auto valid = validate(request.sampling); !valid) return valid;
    if (request.maxTokens < 0)
        return usageError("the number of tokens is " + std::to_string(request.maxTokens) +
                          ", it must be 0 or more");
    const bool hasStop = std::any_of(request.stop.begin(), request.stop.end(),
                                     [](const std::string& s) { return !s.empty(); });
    if (hasStop && model.tokenizer() == nullptr)
        return usageError("stop strings need a tokenizer: " + model.tokenizerError());
    return checkTokens(model, settings, request.prompt);
}

TokenLoop::TokenLoop(const Model& model, const EngineSettings& settings,
                     const GenerateRequest& request, trace::Sink* sink)
    : m_model(model),
      m_contextTokens(settings.contextTokens),
      m_request(request),
      m_next(request.sampling, model.usableVocab(), candidatesKept(request, sink),
             sampledOn(settings, request, candidatesKept(request, sink))),
      m_stream(model.tokenizer(), request.stop, sink) {
    const auto most =
        static_cast<std::size_t>(std::min<std::int64_t>(request.maxTokens, m_contextTokens));
    m_history.reserve(request.prompt.size() + most + 1);
    m_history.assign(request.prompt.begin(), request.prompt.end());
    m_result.tokens.reserve(most + 1);
    m_result.tokenNs.reserve(most + 1);
    m_result.tStartNs = nowNs();
    m_result.tPrefillEndNs = m_result.tStartNs;
    if (request.maxTokens == 0) m_result.finish = FinishReason::MaxTokens;
}

bool TokenLoop::endsGeneration(TokenId token) const {
    if (m_model.tokenizer() == nullptr) return false;
    const auto& ends = m_model.tokenizer()->endOfGeneration();
    return std::find(ends.begin(), ends.end(), token) != ends.end();
}

Result<bool> TokenLoop::take(std::span<const float> logits, std::int64_t inCache,
                             std::uint64_t kvBytes, const trace::Cursor& cursor) {
    if (ended()) return false;
    if (!m_chosen) {
        std::optional<trace::ScopedSpan> span;  // the device's own is in its pass
        if (!m_next.onDevice())
            span.emplace(cursor, Op::Sample, -1,
                         static_cast<std::uint64_t>(m_model.usableVocab()) * sizeof(float));
        choose(logits);
    }
    const Result<SampledToken> sampled = *std::move(m_chosen);
    m_chosen.reset();
    if (!sampled) return sampled.error();
    if (!m_request.ignoreEos && endsGeneration(sampled->token)) {
        m_result.finish = FinishReason::EndOfText;
        return false;
    }
    record(*sampled, logits, inCache, kvBytes, cursor);
    if (ended()) return false;
    if (std::ssize(m_result.tokens) == m_request.maxTokens)
        m_result.finish = FinishReason::MaxTokens;
    else if (inCache == m_contextTokens)
        m_result.finish = FinishReason::ContextFull;
    return !ended();
}

void TokenLoop::record(const SampledToken& sampled, std::span<const float> logits,
                       std::int64_t inCache, std::uint64_t kvBytes, const trace::Cursor& cursor) {
    trace::TokenRecord record;
    record.token = sampled.token;
    record.logProbability = sampled.logProbability;
    record.entropy = sampled.entropy;
    record.request = cursor.request;
    record.index = static_cast<std::int32_t>(m_result.tokens.size());
    record.tNs = nowNs();
    record.contextTokens = static_cast<std::int32_t>(inCache);
    record.kvBytes = kvBytes;
    m_history.push_back(record.token);
    m_result.tokens.push_back(record.token);
    m_result.tokenNs.push_back(record.tNs);
    const trace::ScopedSpan span(cursor, Op::Detokenise, -1);
    if (m_request.topCandidates > 0 && cursor.sink != nullptr) {
        record.top = m_next.top(logits);
        if (m_model.tokenizer() != nullptr)
            for (auto& candidate : record.top)
                candidate.piece = m_model.tokenizer()->tokenBytes(candidate.token);
    }
    if (m_stream.push(std::move(record))) m_result.finish = FinishReason::StopString;
}

GenerateResult TokenLoop::finish() {
    m_stream.finish();
    m_result.text = m_stream.text();
    m_result.tEndNs = nowNs();
    return std::move(m_result);
}

}  // namespace lanescope
