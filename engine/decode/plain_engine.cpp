#include "engine/decode/plain_engine.h"

#include <algorithm>
#include <array>

#include "engine/backend/cpu_backend.h"
#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/plugin_source.h"
#include "engine/base/format.h"
#include "engine/decode/sequence.h"
#include "engine/decode/token_loop.h"

namespace lanescope {

using trace::FinishReason;
using trace::Op;

namespace {

/// Packed weights, backend and cache of a lane on the processor.
Result<void> buildOnCpu(EngineParts& parts) {
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
    auto pool = BlockPool::create(layout, poolBlocks(layout, s), poolTails(layout, s));
    if (!pool) return pool.error();
    parts.pool = *std::move(pool);
    return {};
}

/// The same on a GPU: weights, activations and cache are the device's.
Result<void> buildOnCuda(EngineParts& parts, GpuSource& gpus) {
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
    const KvAllocator onDevice = [&](std::uint64_t bytes) {
        auto* data = static_cast<std::byte*>(device->allocate(bytes));
        return KvStorage{data, [device, data] { device->release(data); },
                         [device](std::byte* to, const std::byte* from, std::uint64_t size) {
                             device->copy(to, from, size);
                         }};
    };
    auto pool = BlockPool::create(layout, poolBlocks(layout, s), poolTails(layout, s), onDevice);
    if (!pool) return pool.error();
    parts.pool = *std::move(pool);
    return {};
}

/// Where int8 activations get a second term unasked (NormOp::fine).
void noteSecondTerms(const Model& model, EffectiveSettings& effective) {
    const EngineSettings& s = effective.settings;
    if (!s.int8() || s.acts == ActsFormat::Int8x2) return;
    const auto reads = [](const NormWeights& norm, const Weight& weight) {
        return norm.uneven && kernels::info(weight.dtype).blockSize > 1;
    };
    const auto layers = model.spec().block == BlockKind::Parallel
                            ? 0
                            : std::count_if(model.layers().begin(), model.layers().end(),
                                            [&](const LayerWeights& layer) {
                                                return reads(layer.attnNorm, layer.q);
                                            });
    std::string where;
    if (layers > 0)
        where = "q, k and v of " + std::to_string(layers) + " of " +
                std::to_string(model.layers().size()) + " layers";
    if (reads(model.finalNorm(), model.head())) where += where.empty() ? "head" : " and head";
    if (!where.empty())
        effective.notes.push_back("int8 activations in two terms for " + where +
                                  ": the norm's gains are uneven");
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(std::shared_ptr<const Model> model,
                                               const EngineSettings& settings, GpuSource* gpus) {
    const ModelSpec& spec = model->spec();
    auto effective = resolveSettings(spec, settings);
    if (!effective) return effective.error();
    EngineParts parts;
    parts.estimate = estimateMemory(spec, weightBytes(model->checkpoint()), effective->settings);
    parts.effective = *std::move(effective);
    noteSecondTerms(*model, parts.effective);
    parts.model = std::move(model);
    auto built = parts.effective.settings.backend == BackendKind::Cuda
                     ? buildOnCuda(parts, gpus != nullptr ? *gpus : pluginSource())
                     : buildOnCpu(parts);
    if (!built) return built.error();
    parts.effective.isa = parts.backend->isa();
    return std::unique_ptr<Engine>(std::make_unique<PlainEngine>(std::move(parts)));
}

PlainEngine::PlainEngine(EngineParts&& parts)
    : m_parts(std::move(parts)),
      m_views(static_cast<std::size_t>(settings().maxSequences)),
      m_logits(static_cast<std::size_t>(m_parts.model->spec().vocab * settings().maxSequences)) {}

MemoryEstimate PlainEngine::measured() const {
    std::uint64_t weights =
        m_parts.deviceWeightBytes != 0 ? m_parts.deviceWeightBytes : m_parts.model->weightBytes();
    if (m_parts.packed != nullptr)
        weights += m_parts.packed->bytes() - m_parts.packed->replacedBytes();
    return {
        .weightBytes = weights,
        .kvBytes = m_parts.pool->reservedBytes(),
        .scratchBytes = m_parts.backend->workspaceBytes() + m_logits.capacity() * sizeof(float)};
}

std::uint64_t PlainEngine::kvBytesPerToken() const {
    return m_parts.pool->layout().bytesPerToken();
}

void PlainEngine::settleSequence(Sequence& sequence, const trace::Cursor& cursor) {
    settle(*m_parts.pool, sequence.table, sequence.nTokens, m_parts.model->spec(),
           settings().pattern, sequence.heavy, cursor);
}

Result<void> PlainEngine::prefill(Sequence& sequence, std::span<const TokenId> tokens,
                                  SampleJob* job, const trace::Cursor& cursor,
                                  const CancelToken& cancel) {
    const auto total = std::ssize(tokens);
    const std::int64_t chunk = settings().prefillChunk;
    const std::int64_t callLength = sequence.nTokens + total;
    const trace::ScopedSpan span(cursor, Op::Prefill, -1);
    for (std::int64_t done = 0; done < total; done += chunk) {
        const std::int64_t count = std::min(chunk, total - done);
        if (auto room = m_parts.pool->grow(sequence.table, sequence.nTokens,
                                           sequence.nTokens + count, cursor);
            !room)
            return room;
        const std::array last{static_cast<std::int32_t>(count - 1)};
        const std::array segments{Segment{count, static_cast<std::int32_t>(sequence.nTokens),
                                          callLength, sequence.nPrompt,
                                          heavyOf(settings().pattern, sequence.heavy)}};
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
        if (auto ran =
                forward(*m_parts.model, *m_parts.backend, *m_parts.pool, pass, cursor, cancel);
            !ran)
            return ran;
        sequence.nTokens += count;
        settleSequence(sequence, cursor);
        if (cursor.sink != nullptr)
            cursor.sink->prefillProgress(cursor.request, static_cast<std::int32_t>(done + count),
                                         static_cast<std::int32_t>(total));
    }
    return {};
}

Result<void> PlainEngine::step(Sequence& sequence, TokenId token, SampleJob* job,
                               const trace::Cursor& cursor, const CancelToken& cancel) {
    const trace::ScopedSpan span(cursor, Op::DecodeStep, -1);
    if (auto room =
            m_parts.pool->grow(sequence.table, sequence.nTokens, sequence.nTokens + 1, cursor);
        !room)
        return room;
    static constexpr std::array<std::int32_t, 1> kOnly{0};
    const std::array segments{Segment{1, static_cast<std::int32_t>(sequence.nTokens), 0,
                                      sequence.nPrompt,
                                      heavyOf(settings().pattern, sequence.heavy)}};
    const std::array<const BlockTable*, 1> tables{&sequence.table};
    ForwardPass pass;
    pass.tokens = {&token, 1};
    pass.segments = segments;
    pass.tables = tables;
    pass.views = std::span(m_views).first(1);
    pass.wanted = kOnly;
    pass.logits = m_logits.data();
    pass.sample = job;
    if (auto ran = forward(*m_parts.model, *m_parts.backend, *m_parts.pool, pass, cursor, cancel);
        !ran)
        return ran;
    ++sequence.nTokens;
    settleSequence(sequence, cursor);
    return {};
}

Result<GenerateResult> PlainEngine::generate(const GenerateRequest& request, trace::Cursor cursor,
                                             const CancelToken& cancel) {
    if (auto valid = checkRequest(*m_parts.model, settings(), request); !valid)
        return valid.error();
    cursor.step = 0;
    Sequence sequence(*m_parts.pool, cursor);
    sequence.nPrompt = sequence.heavy.nPrompt = std::ssize(request.prompt);
    TokenLoop loop(*m_parts.model, settings(), request, cursor.sink);
    const PairsSeen before = m_parts.backend->pairsSeen();
    auto ran = prefill(sequence, request.prompt, loop.prepare(), cursor, cancel);
    loop.result().tPrefillEndNs = nowNs();
    while (ran) {
        const auto goesOn = loop.take(m_logits, sequence.nTokens, sequence.kvBytes(), cursor);
        if (!goesOn) ran = goesOn.error();
        if (!goesOn || !*goesOn) break;
        ++cursor.step;
        ran = step(sequence, loop.history().back(), loop.prepare(), cursor, cancel);
    }
    if (!ran && ran.error().code == ErrorCode::Cancelled) loop.end(FinishReason::Cancelled);
    GenerateResult result = loop.finish();
    if (!ran && ran.error().code != ErrorCode::Cancelled) return ran.error();
    result.kvBytes = sequence.kvBytes();
    result.kvBlocks = sequence.table.nHeld();
    const PairsSeen after = m_parts.backend->pairsSeen();
    result.attended = {after.seen - before.seen, after.all - before.all};
    return result;
}

}  // namespace lanescope
