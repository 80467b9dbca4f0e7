#include "engine/backend/cuda/cuda_backend.h"

#include <algorithm>
#include <cstring>

#include "engine/base/format.h"
#include "engine/model/rope_scaling.h"

namespace lanescope {

namespace {

std::uint64_t bytesOf(std::int64_t nFloats) {
    return static_cast<std::uint64_t>(nFloats) * sizeof(float);
}

bool isBlockFormat(kernels::DType type) {
    return kernels::info(type).blockSize > 1;
}

std::uint64_t inputBytes(const ModelSpec& spec, const BackendSettings& settings) {
    Arena arena(nullptr);
    layOutInputs(spec, settings, arena);
    return arena.used();
}

std::uint64_t outputBytes(const BackendSettings& settings) {
    Arena arena(nullptr);
    layOutOutputs(settings, arena);
    return arena.used();
}

}  // namespace

std::uint64_t CudaBackend::requiredBytes(const ModelSpec& spec, const BackendSettings& settings) {
    Arena arena(nullptr);
    layOutCuda(spec, settings, arena);
    return arena.used();
}

Result<std::unique_ptr<CudaBackend>> CudaBackend::create(const Model& model,
                                                         const BackendSettings& settings,
                                                         std::shared_ptr<GpuDevice> device,
                                                         const CancelToken& cancel) {
    const ModelSpec& spec = model.spec();
    Memory memory{
        GpuMemory(*device, GpuMemory::Kind::Device, requiredBytes(spec, settings)),
        GpuMemory(*device, GpuMemory::Kind::Host, inputBytes(spec, settings)),
        GpuMemory(*device, GpuMemory::Kind::Host, bytesOf(logitRows(settings) * spec.vocab)),
        GpuMemory(*device, GpuMemory::Kind::Host, outputBytes(settings))};
    if (!memory.present())
        return outOfMemory(device->info().name + " refused " + formatBytes(memory.storage.bytes()) +
                               " for activations, " + formatBytes(device->freeBytes()) + " free",
                           "cuda backend", "choose a smaller prefill chunk or a shorter context");
    auto cublas = openCublas(model, settings, *device, memory.storage);
    if (!cublas) return cublas.error();
    auto weights = DeviceWeights::of(model, device, settings.exact, cancel);
    if (!weights) return weights.error();
    std::unique_ptr<CudaBackend> backend(new CudaBackend(model, settings, std::move(device),
                                                         *std::move(weights), std::move(memory),
                                                         *std::move(cublas)));
    if (auto accepted = backend->tryCublas(model); !accepted) return accepted.error();
    return backend;
}

CudaBackend::CudaBackend(const Model& model, const BackendSettings& settings,
                         std::shared_ptr<GpuDevice> device,
                         std::shared_ptr<const DeviceWeights> weights, Memory&& memory,
                         std::unique_ptr<Cublas> cublas)
    : m_spec(model.spec()),
      m_settings(settings),
      m_device(std::move(device)),
      m_weights(std::move(weights)),
      m_memory(std::move(memory)),
      m_cublas(std::move(cublas)),
      m_timeline(*m_device) {
    Arena arena(m_memory.storage.data());
    m_w = layOutCuda(m_spec, settings, arena);
    Arena host(m_memory.inputs.data());
    m_in = layOutInputs(m_spec, settings, host);
    Arena outputs(m_memory.outputs.data());
    m_out = layOutOutputs(settings, outputs);
    for (int i = 0; i < static_cast<int>(m_spec.nLayers); ++i)
        m_frequencies.push_back(m_weights->find(model.spec().ropeFrequencies(i).data()));
}

CudaBackend::~CudaBackend() {
    m_device->synchronise();
}

std::string CudaBackend::isa() const {
    const GpuInfo& info = m_device->info();
    return "sm_" + std::to_string(info.capabilityMajor) + std::to_string(info.capabilityMinor);
}

std::string CudaBackend::name() const {
    return "cuda (" + m_device->info().name + ", " + isa() + ")";
}

trace::ScopedDeviceSpan CudaBackend::labelled(trace::Op op, int layer) const {
    trace::Span span;
    if (m_hooks != nullptr) {
        span.tStartNs = nowNs();
        span.request = m_cursor.request;
        span.step = m_cursor.step;
        span.layer = static_cast<std::int16_t>(layer);
        span.lane = m_cursor.lane;
        span.op = op;
    }
    return {m_hooks, span};
}

bool CudaBackend::wantsInt8(Readers readers) const {
    if (m_settings.exact) return false;
    return std::any_of(readers.begin(), readers.end(),
                       [](const Weight* weight) { return isBlockFormat(weight->dtype); });
}

void CudaBackend::waitForAll() {
    if (!m_waiting) return;
    m_waiting = false;
    check(m_device->synchronise());
}

void CudaBackend::layTiles(const Segment& segment, std::int32_t row) {
    for (std::int64_t t = 0; t < segment.nTokens;) {
        std::int64_t n = std::min(kernels::kAttentionTile, segment.nTokens - t);
        if (m_settings.kvTails) {  // of one block
            const std::int64_t left =
                m_settings.kvBlockTokens - (segment.firstPosition + t) % m_settings.kvBlockTokens;
            n = std::min(n, left);
        }
        m_in.tiles[m_nTiles++] = {row + static_cast<std::int32_t>(t), static_cast<std::int32_t>(n)};
        t += n;
    }
}

void CudaBackend::begin(const PassTokens& tokens, const trace::Cursor& cursor) {
    waitForAll();  // the inputs of the pass before are still being read
    m_status = kernels::cuda::kSuccess;
    m_refusal.clear();
    m_tokens = tokens;
    m_cursor = cursor;
    m_hooks = cursor.sink != nullptr ? cursor.sink->deviceHooks() : nullptr;
    std::int32_t row = 0;
    m_nTiles = 0;
    const auto nFrequencies = static_cast<std::size_t>(m_spec.rotaryDim / 2);
    for (std::size_t i = 0; i < tokens.segments.size(); ++i) {
        const Segment& segment = tokens.segments[i];
        layTiles(segment, row);
        for (std::int32_t t = 0; t < segment.nTokens; ++t, ++row) {
            m_in.ids[row] = tokens.ids[static_cast<std::size_t>(row)];
            m_in.positions[row] = segment.firstPosition + t;
            m_in.sequences[row] = static_cast<std::int32_t>(i);
        }
        if (m_in.frequencies == nullptr) continue;
        const std::int64_t end = segment.firstPosition + segment.nTokens;
        dynamicRopeFrequencies(m_spec, std::max(end, segment.callLength),
                               {m_in.frequencies + i * nFrequencies, nFrequencies});
    }
    writePattern();
    if (tokens.sample != nullptr) writeSampling(*tokens.sample);
    chooseMode();
}

void CudaBackend::chooseMode() {
    m_step = nullptr;
    m_mode = Mode::Run;
    const bool traced = m_cursor.sink != nullptr;
    if (m_tokens.decodeStep) {
        const std::int64_t nTop = m_tokens.sample != nullptr ? m_tokens.sample->nTop : -1;
        const auto [at, isNew] = m_steps.try_emplace({m_tokens.segments.size(), traced, nTop});
        m_step = &at->second;
        // The first time everything is loaded and warmed up, which cannot be recorded.
        if (m_step->graph != nullptr)
            m_mode = Mode::Replay;
        else if (!isNew && !m_step->refused)
            m_mode = Mode::Record;
    }
    m_waiting = true;
    if (m_mode == Mode::Replay) {
        if (traced)
            m_timeline.resume(m_step->marks);
        else
            m_timeline.start(false);
        return;
    }
    if (m_mode == Mode::Record) {
        check(m_device->beginCapture());
        m_capturing = !failed();
    }
    m_timeline.start(traced);
    sendInputs();
}

void CudaBackend::end() {
    if (m_capturing) {
        // Left before its head (cancelled, failed): what was recorded is dropped.
        std::unique_ptr<GpuGraph> unfinished;
        m_device->endCapture(unfinished);
        m_capturing = false;
    }
    m_mode = Mode::Run;
    m_step = nullptr;
}

bool CudaBackend::again() {
    if (m_mode != Mode::Record || m_step->graph != nullptr || !failed()) return false;
    if (m_device->isFatal(m_status)) return false;
    m_step->refused = true;
    return true;
}

Result<void> CudaBackend::status() {
    waitForAll();
    if (!failed()) return {};
    if (!m_refusal.empty())
        return Error{ErrorCode::NoDevice, m_refusal, m_device->info().name,
                     "use the products own for this lane"};
    const std::string what = m_device->describe(m_status);
    if (m_device->isFatal(m_status))
        return Error{ErrorCode::NoDevice, "the device stopped: " + what, m_device->info().name,
                     "other lanes go on; start this one again, or use the backend cpu"};
    return outOfMemory("the device refused work: " + what + ", " +
                           formatBytes(m_device->freeBytes()) + " of " +
                           formatBytes(m_device->info().totalBytes) + " free",
                       m_device->info().name, "choose a shorter context or fewer lanes");
}

void CudaBackend::sendInputs() {
    // Block tables follow with the first layer's cache.
    const auto label = labelled(phase(), -1);
    const auto head = reinterpret_cast<std::byte*>(m_in.blocks) - m_memory.inputs.data();
    check(
        m_device->upload(m_w.inputs.ids, m_memory.inputs.data(), static_cast<std::uint64_t>(head)));
    if (m_in.frequencies != nullptr)
        check(m_device->upload(
            m_w.inputs.frequencies, m_in.frequencies,
            bytesOf(static_cast<std::int64_t>(m_tokens.segments.size()) * (m_spec.rotaryDim / 2))));
}

void CudaBackend::gather(const Weight& table, const std::int32_t* ids, float* y, float scale) {
    if (!queues()) return;
    const auto label = labelled(trace::Op::Embed, -1);
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    check(ops().embed({.tableType = table.dtype,
                       .table = m_weights->find(table.data),
                       .ids = ids,
                       .y = y,
                       .dim = table.nCols,
                       .tokenBegin = 0,
                       .tokenEnd = n,
                       .scale = scale},
                      m_device->stream()));
    m_timeline.mark(trace::Op::Embed, -1,
                    static_cast<std::uint64_t>(n * kernels::rowBytes(table.dtype, table.nCols)) +
                        bytesOf(n * table.nCols),
                    0);
}

void CudaBackend::embed(const Weight& table) {
    gather(table, m_w.inputs.ids, m_w.activations.x, m_spec.embeddingScale);
}

void CudaBackend::embedPositions(const Weight& table) {
    gather(table, m_w.inputs.positions, m_w.activations.delta, 1.0F);
}

void CudaBackend::normRows(NormKind kind, const NormWeights& weights, float* x, std::int64_t dim,
                           std::int64_t nRows) {
    kernels::cuda::NormArgs args;
    args.kind =
        kind == NormKind::Layer ? kernels::cuda::NormKind::Layer : kernels::cuda::NormKind::Rms;
    args.x = x;
    args.y = x;
    args.weight = m_weights->find(weights.weight);
    args.bias = m_weights->find(weights.bias);
    args.dim = dim;
    args.eps = m_spec.normEps;
    args.tokenEnd = nRows;
    check(ops().norm(args, m_device->stream()));
}

void CudaBackend::addNormed(const Addend& add, std::int64_t nTokens) {
    if (add.norm != nullptr) normRows(m_spec.normKind, *add.norm, add.rows, m_spec.dim, nTokens);
}

void CudaBackend::addResidual(int layer, std::int64_t nTokens, const Addend& add) {
    if (!queues()) return;
    const auto label = labelled(trace::Op::Residual, layer);
    addNormed(add, nTokens);
    check(ops().add({.x = m_w.activations.x,
                     .delta = add.rows,
                     .dim = m_spec.dim,
                     .tokenBegin = 0,
                     .tokenEnd = nTokens,
                     .scale = add.scale},
                    m_device->stream()));
    m_timeline.mark(trace::Op::Residual, layer, bytesOf(3 * nTokens * m_spec.dim),
                    static_cast<std::uint64_t>(nTokens * m_spec.dim));
}

void CudaBackend::norm(const NormOp& op) {
    op.out->quantised = wantsInt8(op.readers);
    op.out->twoTerms = m_settings.twoTerms || op.fine;
    if (!queues()) return;
    const auto label = labelled(trace::Op::Norm, op.layer);
    float* x = m_w.activations.x;
    kernels::cuda::NormArgs args;
    args.kind = m_spec.normKind == NormKind::Layer ? kernels::cuda::NormKind::Layer
                                                   : kernels::cuda::NormKind::Rms;
    args.x = x;
    if (op.add.rows != nullptr) {
        addNormed(op.add, op.nTokens);
        args.delta = op.add.rows;
        args.deltaScale = op.add.scale;
        args.sum = x;
    }
    args.weight = m_weights->find(op.norm->weight);
    args.bias = m_weights->find(op.norm->bias);
    args.y = op.out->x;
    if (op.out->quantised) {
        args.out = op.out->q8;
        args.rest = op.out->secondTerm();
    }
    args.dim = m_spec.dim;
    args.eps = m_spec.normEps;
    args.tokenEnd = op.nTokens;
    check(ops().norm(args, m_device->stream()));
    m_timeline.mark(trace::Op::Norm, op.layer, bytesOf(4 * op.nTokens * m_spec.dim),
                    static_cast<std::uint64_t>(5 * op.nTokens * m_spec.dim));
}

void CudaBackend::product(const Weight& weight, const Activations& in, std::int64_t firstToken,
                          std::int64_t nTokens, float* y) {
    if (m_cublas != nullptr && isHalf(weight.dtype)) {
        cublasProduct(weight, in.x + firstToken * weight.nCols, nTokens, y);
        return;
    }
    kernels::MatmulArgs args;
    args.weightType = weight.dtype;
    args.weight = m_weights->find(weight.data);
    args.nRows = weight.nRows;
    args.nCols = weight.nCols;
    args.x = in.x + firstToken * weight.nCols;
    const std::int64_t block = firstToken * (weight.nCols / kernels::kActsBlock);
    const auto from = [&](kernels::ActsQ8 acts) {
        acts.q += block * kernels::kActsBlock;
        acts.scale += block;
        acts.sum16 += 2 * block;
        return acts;
    };
    kernels::ActsQ8 q8;
    kernels::ActsQ8 rest;
    if (in.quantised && isBlockFormat(weight.dtype)) {
        q8 = from(in.q8);
        args.xq = &q8;
        if (in.twoTerms) {
            rest = from(in.rest);
            args.rest = &rest;
        }
    }
    args.bias = m_weights->find(weight.bias);
    args.y = y;
    args.yStride = weight.nRows;
    args.nTokens = nTokens;
    args.rowEnd = weight.nRows;
    const bool tensor = !m_settings.exact && weight.nCols % 8 == 0 && isHalf(weight.dtype);
    check(tensor ? ops().matmulTensor(args, m_device->stream())
                 : ops().matmul(args, m_device->stream()));
}

void CudaBackend::linear(trace::Op op, int layer, std::int64_t nTokens, const Activations& in,
                         std::initializer_list<Product> products) {
    if (!queues()) return;
    const auto label = labelled(op, layer);
    std::uint64_t bytes = bytesOf(nTokens * in.nCols);
    std::int64_t work = 0;
    m_rounded = kernels::DType::F32;
    for (const Product& each : products) {
        product(*each.weight, in, 0, nTokens, each.y);
        bytes += each.weight->sizeBytes + bytesOf(nTokens * each.weight->nRows);
        work += nTokens * each.weight->nRows * each.weight->nCols;
    }
    m_timeline.mark(op, layer, bytes, 2 * static_cast<std::uint64_t>(work));
}

void CudaBackend::activate(int layer, std::int64_t nTokens, Readers readers) {
    Workspace& w = m_w.activations;
    w.hidden.quantised = wantsInt8(readers);
    w.hidden.twoTerms = m_settings.twoTerms;
    if (!queues()) return;
    const auto label = labelled(trace::Op::Activation, layer);
    const std::int64_t width = m_spec.ffnDim;
    const bool gated = m_spec.mlp == MlpKind::Gated;
    kernels::cuda::ActivateQ8Args args;
    args.args = {.gate = gated ? w.gate : w.up,
                 .up = gated ? w.up : nullptr,
                 .y = w.hidden.x,
                 .gateStride = width,
                 .upStride = width,
                 .dim = width,
                 .tokenBegin = 0,
                 .tokenEnd = nTokens,
                 .kind = m_spec.activation};
    if (w.hidden.quantised) {
        args.out = w.hidden.q8;
        args.rest = w.hidden.secondTerm();
    }
    check(ops().activate(args, m_device->stream()));
    m_timeline.mark(trace::Op::Activation, layer, bytesOf((gated ? 3 : 2) * nTokens * width),
                    static_cast<std::uint64_t>(5 * nTokens * width));
}

void CudaBackend::moveRows(float* x, std::int64_t width, std::int64_t nRows) {
    check(ops().embed({.tableType = kernels::DType::F32,
                       .table = x,
                       .ids = m_w.inputs.wanted,
                       .y = m_w.spare,
                       .dim = width,
                       .tokenBegin = 0,
                       .tokenEnd = nRows,
                       .scale = 1.0F},
                      m_device->stream()));
    check(m_device->copy(x, m_w.spare, bytesOf(nRows * width)));
}

void CudaBackend::keepResidual(std::span<const std::int32_t> rows) {
    if (!queues()) return;
    const auto label = labelled(phase(), -1);
    std::copy(rows.begin(), rows.end(), m_in.wanted);
    check(m_device->upload(m_w.inputs.wanted, m_in.wanted, rows.size_bytes()));
    moveRows(m_w.activations.x, m_spec.dim, std::ssize(rows));
}

void CudaBackend::keepRows(std::span<const std::int32_t> rows, Activations& acts, Readers readers) {
    acts.quantised = wantsInt8(readers);
    if (!queues()) return;
    const auto label = labelled(phase(), -1);
    moveRows(acts.x, acts.nCols, std::ssize(rows));  // the same rows as keepResidual()
    if (!acts.quantised) return;
    check(ops().quantiseActs({.x = acts.x,
                              .out = acts.q8,
                              .nCols = acts.nCols,
                              .tokenBegin = 0,
                              .tokenEnd = std::ssize(rows),
                              .rest = acts.secondTerm()},
                             m_device->stream()));
}

void CudaBackend::launchStep() {
    if (m_mode == Mode::Record) {
        std::unique_ptr<GpuGraph> graph;
        const Status recorded = m_device->endCapture(graph);
        m_capturing = false;
        if (graph == nullptr) {
            check(recorded);
            return;
        }
        m_step->graph = std::move(graph);
        m_step->marks = m_timeline.marks();
    }
    const auto label = labelled(phase(), -1);
    check(m_device->launch(*m_step->graph));
    // Its first launch is where a device may find that it has no room for it.
    if (m_mode == Mode::Record && failed()) m_step->graph.reset();
}

void CudaBackend::queueHead(const Weight& head, std::int64_t first, std::int64_t n) {
    {
        const auto label = labelled(trace::Op::Head, -1);
        m_rounded = kernels::DType::F32;
        product(head, m_w.activations.normed, first, n, m_w.logits);
        if (m_spec.logitSoftcap != 0.0F)
            check(ops().softcap({.x = m_w.logits,
                                 .cap = m_spec.logitSoftcap,
                                 .dim = head.nRows,
                                 .tokenBegin = 0,
                                 .tokenEnd = n},
                                m_device->stream()));
        m_timeline.mark(trace::Op::Head, -1,
                        head.sizeBytes + bytesOf(n * (head.nCols + head.nRows)),
                        2 * static_cast<std::uint64_t>(n * head.nRows * head.nCols));
        if (m_tokens.sample == nullptr)
            check(m_device->download(m_memory.logits.data(), m_w.logits, bytesOf(n * head.nRows)));
    }
    if (m_tokens.sample != nullptr) queueSampling(head.nRows);
}

void CudaBackend::head(const Weight& head, std::int64_t nTokens, float* logits) {
    for (std::int64_t first = 0; first < nTokens && !failed(); first += m_w.logitRows) {
        const std::int64_t n = std::min(m_w.logitRows, nTokens - first);
        if (queues()) queueHead(head, first, n);
        if (m_mode != Mode::Run) launchStep();
        m_waiting = true;
        waitForAll();
        if (failed()) return;
        if (m_tokens.sample != nullptr)
            takeSampled();  // rows of a job are of one round
        else
            std::memcpy(logits + first * head.nRows, m_memory.logits.data(),
                        bytesOf(n * head.nRows));
    }
    m_timeline.finish(m_cursor);
}

}  // namespace lanescope
