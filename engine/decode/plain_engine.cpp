#include "engine/decode/plain_engine.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/backend/cpu_backend.h"
#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/plugin_source.h"
#include "engine/base/format.h"
#include "engine/decode/sequence.h"
#include "engine/decode/token_stream.h"

namespace lanescope {

using trace::FinishReason;
using trace::Op;

namespace {

std::int32_t blocksOf(const KvLayout& layout, const EngineSettings& s) {
    return static_cast<std::int32_t>(s.maxSequences * layout.blocksFor(s.contextTokens));
}

/// Packed weights, backend and cache of a lane on the processor.
Result<void> buildOnCpu(PlainEngine::Parts& parts) {
    EngineSettings& s = parts.effective.settings;
    const Model& model = *parts.model;
    if (auto fits = checkFits(parts.estimate, availableMemoryBytes()); !fits) return fits;
    // The estimate counts the weights; only now may synthetic ones take their memory.
    if (auto made = model.checkpoint().materialise(); !made) return made;
    BackendSettings forBackend = backendSettings(s);
    if (s.pack) {
        ThreadPool packers(s.threads);
        auto packed = PackedWeights::of(model, kernels::opTable(kernels::preferredIsa()), packers,
                                        CancelToken());
        if (!packed) return packed.error();
        forBackend.packed = *packed;
        s.pack = *packed != nullptr;
    }
    parts.packed = forBackend.packed;
    auto backend = CpuBackend::create(model.spec(), forBackend);
    if (!backend) return backend.error();
    parts.backend = *std::move(backend);
    const KvLayout layout = kvLayout(model.spec(), s);
    auto pool = BlockPool::create(layout, blocksOf(layout, s));
    if (!pool) return pool.error();
    parts.pool = *std::move(pool);
    return {};
}

/// The same on a GPU: weights, activations and cache are the device's.
Result<void> buildOnCuda(PlainEngine::Parts& parts, GpuSource& gpus) {
    EngineSettings& s = parts.effective.settings;
    const Model& model = *parts.model;
    auto opened = gpus.open(s.device);
    if (!opened) return opened.error();
    const std::shared_ptr<GpuDevice> device = *std::move(opened);
    if (auto fits = checkFits(parts.estimate, device->freeBytes()); !fits) return fits;
    if (auto made = model.checkpoint().materialise(); !made) return made;
    auto backend = CudaBackend::create(model, backendSettings(s), device, CancelToken());
    if (!backend) return backend.error();
    parts.deviceWeightBytes = (*backend)->weightBytes();
    parts.backend = *std::move(backend);
    const KvLayout layout = kvLayout(model.spec(), s);
    auto pool = BlockPool::create(layout, blocksOf(layout, s), [&](std::uint64_t bytes) {
        auto* data = static_cast<std::byte*>(device->allocate(bytes));
        return KvStorage{data, [device, data] { device->release(data); }};
    });
    if (!pool) return pool.error();
    parts.pool = *std::move(pool);
    return {};
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(std::shared_ptr<const Model> model,
                                               const EngineSettings& settings, GpuSource* gpus) {
    const ModelSpec& spec = model->spec();
    auto effective = resolveSettings(spec, settings);
    if (!effective) return effective.error();
    PlainEngine::Parts parts;
    parts.estimate = estimateMemory(spec, weightBytes(model->checkpoint()), effective->settings);
    parts.effective = *std::move(effective);
    parts.model = std::move(model);
    auto built = parts.effective.settings.backend == BackendKind::Cuda
                     ? buildOnCuda(parts, gpus != nullptr ? *gpus : pluginSource())
                     : buildOnCpu(parts);
    if (!built) return built.error();
    parts.effective.isa = parts.backend->isa();
    return std::unique_ptr<Engine>(std::make_unique<PlainEngine>(std::move(parts)));
}

PlainEngine::PlainEngine(Parts&& parts)
    : m_model(std::move(parts.model)),
      m_effective(std::move(parts.effective)),
      m_estimate(parts.estimate),
      m_packed(std::move(parts.packed)),
      m_deviceWeightBytes(parts.deviceWeightBytes),
      m_backend(std::move(parts.backend)),
      m_pool(std::move(parts.pool)),
      m_views(static_cast<std::size_t>(m_effective.settings.maxSequences)),
      m_logits(
          static_cast<std::size_t>(m_model->spec().vocab * m_effective.settings.maxSequences)) {}

MemoryEstimate PlainEngine::measured() const {
    std::uint64_t weights = m_deviceWeightBytes != 0 ? m_deviceWeightBytes : m_model->weightBytes();
    if (m_packed != nullptr) weights += m_packed->bytes() - m_packed->replacedBytes();
    return {.weightBytes = weights,
            .kvBytes = m_pool->reservedBytes(),
            .scratchBytes = m_backend->workspaceBytes() + m_logits.capacity() * sizeof(float)};
}

std::uint64_t PlainEngine::kvBytesPerToken() const {
    return m_model->spec().kvBytesPerToken(
        static_cast<std::uint64_t>(kernels::info(m_effective.settings.kvType).blockBytes));
}

Result<void> PlainEngine::checkTokens(std::span<const TokenId> tokens) const {
    const std::int64_t context = m_effective.settings.contextTokens;
    if (tokens.empty()) return usageError("the prompt is empty", "give at least one token");
    if (std::ssize(tokens) > context)
        return usageError("the prompt has " + std::to_string(tokens.size()) +
                              " tokens, the context holds " + std::to_string(context),
                          "shorten the prompt or raise the context");
    const std::int64_t vocab = m_model->spec().vocab;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (tokens[i] < 0 || tokens[i] >= vocab)
            return usageError("token " + std::to_string(i) + " has id " +
                                  std::to_string(tokens[i]) + ", the vocabulary has ids 0 to " +
                                  std::to_string(vocab - 1),
                              "use ids of this model's tokenizer");
    return {};
}

Result<void> PlainEngine::checkRequest(const GenerateRequest& request) const {
    if (auto valid = validate(request.sampling); !valid) return valid;
    if (request.maxTokens < 0)
        return usageError("the number of tokens is " + std::to_string(request.maxTokens) +
                          ", it must be 0 or more");
    const bool hasStop = std::any_of(request.stop.begin(), request.stop.end(),
                                     [](const std::string& s) { return !s.empty(); });
    if (hasStop && m_model->tokenizer() == nullptr)
        return usageError("stop strings need a tokenizer: " + m_model->tokenizerError());
    return checkTokens(request.prompt);
}

Result<void> PlainEngine::prefill(Sequence& sequence, std::span<const TokenId> tokens,
                                  SampleJob* job, const trace::Cursor& cursor,
                                  const CancelToken& cancel) {
    const auto total = std::ssize(tokens);
    const std::int64_t chunk = m_effective.settings.prefillChunk;
    const std::int64_t callLength = sequence.nTokens + total;
    if (auto room = m_pool->grow(sequence.table, callLength, cursor); !room) return room;
    const trace::ScopedSpan span(cursor, Op::Prefill, -1);
    for (std::int64_t done = 0; done < total; done += chunk) {
        const std::int64_t count = std::min(chunk, total - done);
        const std::array last{static_cast<std::int32_t>(count - 1)};
        const std::array segments{
            Segment{count, static_cast<std::int32_t>(sequence.nTokens), callLength}};
        const std::array<const BlockTable*, 1> tables{&sequence.table};
        ForwardPass pass;
        pass.tokens =
            tokens.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count));
        pass.segments = segments;
        pass.tables = tables;
        pass.views = std::span(m_views).first(1);
        pass.logits = m_logits.data();
        if (done + count == total) {
            pass.wanted = last;
            pass.sample = job;
        }
        if (auto ran = forward(*m_model, *m_backend, *m_pool, pass, cursor, cancel); !ran)
            return ran;
        sequence.nTokens += count;
        if (cursor.sink != nullptr)
            cursor.sink->prefillProgress(cursor.request, static_cast<std::int32_t>(done + count),
                                         static_cast<std::int32_t>(total));
    }
    return {};
}

Result<void> PlainEngine::step(Sequence& sequence, TokenId token, SampleJob* job,
                               const trace::Cursor& cursor, const CancelToken& cancel) {
    const trace::ScopedSpan span(cursor, Op::DecodeStep, -1);
    if (auto room = m_pool->grow(sequence.table, sequence.nTokens + 1, cursor); !room) return room;
    static constexpr std::array<std::int32_t, 1> kOnly{0};
    const std::array segments{Segment{1, static_cast<std::int32_t>(sequence.nTokens), 0}};
    const std::array<const BlockTable*, 1> tables{&sequence.table};
    ForwardPass pass;
    pass.tokens = {&token, 1};
    pass.segments = segments;
    pass.tables = tables;
    pass.views = std::span(m_views).first(1);
    pass.wanted = kOnly;
    pass.logits = m_logits.data();
    pass.sample = job;
    if (auto ran = forward(*m_model, *m_backend, *m_pool, pass, cursor, cancel); !ran) return ran;
    ++sequence.nTokens;
    return {};
}

bool PlainEngine::endsGeneration(TokenId token) const {
    const auto& tokenizer = m_model->tokenizer();
    if (tokenizer == nullptr) return false;
    const auto& ends = tokenizer->endOfGeneration();
    return std::find(ends.begin(), ends.end(), token) != ends.end();
}

NextToken PlainEngine::nextToken(const GenerateRequest& request, bool traced) const {
    const int nTop = traced ? std::max(request.topCandidates, 0) : 0;
    const bool onDevice = m_effective.settings.sampleOn == SampleOn::Device &&
                          whyOnHost(request.sampling, nTop).empty();
    return {request.sampling, m_model->usableVocab(), nTop,
            onDevice ? SampleOn::Device : SampleOn::Host};
}

Result<GenerateResult> PlainEngine::generate(const GenerateRequest& request, trace::Cursor cursor,
                                             const CancelToken& cancel) {
    if (auto valid = checkRequest(request); !valid) return valid.error();
    cursor.step = 0;
    Sequence sequence(*m_pool, cursor);
    GenerateResult result;
    result.tStartNs = nowNs();
    result.tPrefillEndNs = result.tStartNs;
    NextToken next = nextToken(request, cursor.sink != nullptr);
    auto ran = prefill(sequence, request.prompt, next.prepare(request.prompt), cursor, cancel);
    result.tPrefillEndNs = nowNs();
    if (ran) {
        auto finish = decode(sequence, request, next, result, cursor, cancel);
        if (finish)
            result.finish = *finish;
        else
            ran = finish.error();
    }
    if (!ran && ran.error().code != ErrorCode::Cancelled) return ran.error();
    if (!ran) result.finish = FinishReason::Cancelled;
    result.kvBytes = sequence.kvBytes();
    result.kvBlocks = sequence.table.nBlocks();
    result.tEndNs = nowNs();
    return result;
}

Result<FinishReason> PlainEngine::decode(Sequence& sequence, const GenerateRequest& request,
                                         NextToken& next, GenerateResult& result,
                                         trace::Cursor cursor, const CancelToken& cancel) {
    const auto& tokenizer = m_model->tokenizer();
    const auto logitBytes = static_cast<std::uint64_t>(m_model->usableVocab()) * sizeof(float);
    TokenStream stream(tokenizer, request.stop, cursor.sink);
    const auto most = static_cast<std::size_t>(
        std::min<std::int64_t>(request.maxTokens, m_effective.settings.contextTokens));
    std::vector<TokenId> history;
    history.reserve(request.prompt.size() + most + 1);
    history = request.prompt;
    result.tokens.reserve(most + 1);
    result.tokenNs.reserve(most + 1);

    auto finish = FinishReason::None;
    Result<void> ran;
    if (request.maxTokens == 0) finish = FinishReason::MaxTokens;
    while (finish == FinishReason::None) {
        trace::TokenRecord record;
        {
            std::optional<trace::ScopedSpan> span;  // the device's own is in its pass
            if (!next.onDevice()) span.emplace(cursor, Op::Sample, -1, logitBytes);
            const auto sampled = next.take(m_logits, history);
            if (!sampled) {
                ran = sampled.error();
                break;
            }
            record.token = sampled->token;
            record.logProbability = sampled->logProbability;
            record.entropy = sampled->entropy;
        }
        if (!request.ignoreEos && endsGeneration(record.token)) {
            finish = FinishReason::EndOfText;
            break;
        }
        record.request = cursor.request;
        record.index = static_cast<std::int32_t>(result.tokens.size());
        record.tNs = nowNs();
        record.contextTokens = static_cast<std::int32_t>(sequence.nTokens);
        record.kvBytes = sequence.kvBytes();
        const TokenId token = record.token;
        history.push_back(token);
        result.tokens.push_back(token);
        result.tokenNs.push_back(record.tNs);
        {
            const trace::ScopedSpan span(cursor, Op::Detokenise, -1);
            if (request.topCandidates > 0 && cursor.sink != nullptr) {
                record.top = next.top(m_logits);
                if (tokenizer != nullptr)
                    for (auto& candidate : record.top)
                        candidate.piece = tokenizer->tokenBytes(candidate.token);
            }
            if (stream.push(std::move(record))) finish = FinishReason::StopString;
        }
        if (finish != FinishReason::None) break;
        if (std::ssize(result.tokens) == request.maxTokens) {
            finish = FinishReason::MaxTokens;
        } else if (sequence.nTokens == m_effective.settings.contextTokens) {
            finish = FinishReason::ContextFull;
        } else {
            ++cursor.step;
            ran = step(sequence, token, next.prepare(history), cursor, cancel);
            if (!ran) break;
        }
    }
    stream.finish();
    result.text = stream.text();
    if (!ran) return ran.error();
    return finish;
}

}  // namespace lanescope
