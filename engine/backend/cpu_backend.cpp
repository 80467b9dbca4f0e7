#include "engine/backend/cpu_backend.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "engine/backend/cpu_traffic.h"
#include "engine/backend/cpu_workspace.h"
#include "engine/backend/share.h"
#include "engine/base/format.h"
#include "engine/model/rope_scaling.h"

namespace lanescope {

namespace {

// Rows a thread's part of a matrix starts and ends at: whole tiles of every kernel.
constexpr std::int64_t kRowUnit = 16;
/// Row rows[i] (ascending) becomes row i.
void moveRows(float* x, std::int64_t width, std::span<const std::int32_t> rows) {
    for (std::int64_t to = 0; to < std::ssize(rows); ++to) {
        const std::int64_t from = rows[static_cast<std::size_t>(to)];
        if (from != to) std::memmove(x + to * width, x + from * width, bytesOf(width));
    }
}

std::uint64_t residualBytes(std::int64_t nValues, const Addend& add) {
    return bytesOf((add.norm != nullptr ? 5 : 3) * nValues);
}

std::uint64_t residualFlops(std::int64_t nValues, const Addend& add) {
    return static_cast<std::uint64_t>((add.norm != nullptr ? 5 : 1) * nValues);
}

bool isBlockFormat(kernels::DType type) {
    return kernels::info(type).blockSize > 1;
}

}  // namespace

std::uint64_t CpuBackend::requiredBytes(const ModelSpec& spec, const BackendSettings& settings) {
    Arena arena(nullptr);
    layOutWorkspace(spec, settings, arena);
    return arena.used();
}

Result<std::unique_ptr<Backend>> CpuBackend::create(const ModelSpec& spec,
                                                    const BackendSettings& settings) {
    const std::uint64_t bytes = requiredBytes(spec, settings);
    void* storage =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (storage == MAP_FAILED)
        return outOfMemory("the system refused " + formatBytes(bytes) + " for activations",
                           "cpu backend", "choose a smaller prefill chunk");
    madvise(storage, bytes, MADV_HUGEPAGE);
    return std::unique_ptr<Backend>(
        new CpuBackend(spec, settings, static_cast<std::byte*>(storage), bytes));
}

CpuBackend::CpuBackend(const ModelSpec& spec, const BackendSettings& settings, std::byte* storage,
                       std::uint64_t storageBytes)
    : m_spec(spec),
      m_settings(settings),
      m_ops(kernels::opTable(kernels::preferredIsa())),
      m_pool(settings.threads, settings.affinity),
      m_storage(storage),
      m_storageBytes(storageBytes) {
    Arena arena(storage);
    m_own = layOutWorkspace(spec, settings, arena);
    m_workspace = m_own.activations;
}

CpuBackend::~CpuBackend() {
    munmap(m_storage, m_storageBytes);
}

std::string CpuBackend::isa() const {
    return std::string(kernels::isaName(m_ops.isa));
}

std::string CpuBackend::name() const {
    return "cpu (" + isa() + ", " + std::to_string(m_pool.size()) +
           (m_pool.size() == 1 ? " thread)" : " threads)");
}

bool CpuBackend::wantsRounded(Readers readers) const {
    if (m_settings.exact) return false;
    if (m_settings.bf16) return true;
    return std::any_of(readers.begin(), readers.end(),
                       [](const Weight* weight) { return isBlockFormat(weight->dtype); });
}

void CpuBackend::quantise(const Activations& acts, std::int64_t tokenBegin,
                          std::int64_t tokenEnd) const {
    if (acts.xb != nullptr) {
        const std::int64_t n = (tokenEnd - tokenBegin) * acts.nCols;
        float* x = acts.x + tokenBegin * acts.nCols;
        std::uint16_t* rounded = acts.xb + tokenBegin * acts.nCols;
        m_ops.fromF32(kernels::DType::BF16, x, rounded, n);
        m_ops.dequantiseRow(kernels::DType::BF16, rounded, x, n);
        return;
    }
    m_ops.quantiseActs({.x = acts.x,
                        .out = acts.q8,
                        .nCols = acts.nCols,
                        .tokenBegin = tokenBegin,
                        .tokenEnd = tokenEnd,
                        .rest = acts.secondTerm()});
}

void CpuBackend::begin(const PassTokens& tokens, const trace::Cursor& cursor) {
    m_pool.enter();
    m_tokens = tokens;
    m_cursor = cursor;
    std::int32_t* position = m_own.positions;
    const auto nFrequencies = static_cast<std::size_t>(m_spec.rotaryDim / 2);
    for (std::size_t i = 0; i < tokens.segments.size(); ++i) {
        const Segment& segment = tokens.segments[i];
        for (std::int32_t t = 0; t < segment.nTokens; ++t) *position++ = segment.firstPosition + t;
        if (m_own.dynamicFrequencies == nullptr) continue;
        const std::int64_t end = segment.firstPosition + segment.nTokens;
        dynamicRopeFrequencies(m_spec, std::max(end, segment.callLength),
                               {m_own.dynamicFrequencies + i * nFrequencies, nFrequencies});
    }
    if (m_own.sinkPositions != nullptr) {
        const std::int64_t last = m_settings.pattern.sinks + m_settings.pattern.window - 1;
        for (std::size_t t = 0; t < tokens.ids.size(); ++t)
            m_own.sinkPositions[t] =
                static_cast<std::int32_t>(std::min<std::int64_t>(m_own.positions[t], last));
    }
    if (m_settings.pattern.kind == AttentionPattern::Kind::BlockSparse) markBlocks();
}

void CpuBackend::gather(const Weight& table, const std::int32_t* ids, float* y, float scale) {
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const auto rowBytes = static_cast<std::uint64_t>(kernels::rowBytes(table.dtype, table.nCols));
    const trace::ScopedSpan span(
        m_cursor, trace::Op::Embed, -1,
        static_cast<std::uint64_t>(n) * rowBytes + bytesOf(n * table.nCols));
    forTokens(n, [&](std::int64_t begin, std::int64_t end) {
        m_ops.embed({.tableType = table.dtype,
                     .table = table.data,
                     .ids = ids,
                     .y = y,
                     .dim = table.nCols,
                     .tokenBegin = begin,
                     .tokenEnd = end,
                     .scale = scale});
    });
}

void CpuBackend::embed(const Weight& table) {
    gather(table, m_tokens.ids.data(), m_workspace.x, m_spec.embeddingScale);
}

void CpuBackend::embedPositions(const Weight& table) {
    gather(table, m_own.positions, m_workspace.delta, 1.0F);
}

void CpuBackend::normRows(NormKind kind, const NormWeights& weights, const float* x, float* y,
                          std::int64_t dim, std::int64_t begin, std::int64_t end) const {
    if (kind == NormKind::Layer)
        m_ops.layerNorm({.x = x,
                         .weight = weights.weight,
                         .bias = weights.bias,
                         .y = y,
                         .dim = dim,
                         .eps = m_spec.normEps,
                         .tokenBegin = begin,
                         .tokenEnd = end});
    else
        m_ops.rmsNorm({.x = x,
                       .weight = weights.weight,
                       .y = y,
                       .dim = dim,
                       .eps = m_spec.normEps,
                       .tokenBegin = begin,
                       .tokenEnd = end});
}

void CpuBackend::addRows(const Addend& add, std::int64_t begin, std::int64_t end) const {
    const std::int64_t dim = m_spec.dim;
    if (add.norm != nullptr)
        normRows(m_spec.normKind, *add.norm, add.rows, add.rows, dim, begin, end);
    m_ops.add({.x = m_workspace.x,
               .delta = add.rows,
               .dim = dim,
               .tokenBegin = begin,
               .tokenEnd = end,
               .scale = add.scale});
}

void CpuBackend::addResidual(int layer, std::int64_t nTokens, const Addend& add) {
    const trace::ScopedSpan span(m_cursor, trace::Op::Residual, layer,
                                 residualBytes(nTokens * m_spec.dim, add),
                                 residualFlops(nTokens * m_spec.dim, add));
    forTokens(nTokens, [&](std::int64_t begin, std::int64_t end) { addRows(add, begin, end); });
}

void CpuBackend::norm(const NormOp& op) {
    const std::int64_t n = op.nTokens;
    const std::int64_t dim = m_spec.dim;
    op.out->quantised = wantsRounded(op.readers);
    op.out->twoTerms = m_settings.twoTerms || op.fine;
    SpanSeries spans(m_cursor, op.layer);
    forTokens(n, [&](std::int64_t begin, std::int64_t end) {
        if (op.add.rows != nullptr) {
            addRows(op.add, begin, end);
            if (begin == 0)
                spans.mark(trace::Op::Residual, residualBytes(n * dim, op.add),
                           residualFlops(n * dim, op.add));
        }
        normRows(m_spec.normKind, *op.norm, m_workspace.x, op.out->x, dim, begin, end);
        if (begin == 0)
            spans.mark(trace::Op::Norm, bytesOf(2 * n * dim + dim),
                       static_cast<std::uint64_t>(4 * n * dim));
        if (!op.out->quantised) return;
        quantise(*op.out, begin, end);
        if (begin == 0) markQuantised(spans, n * dim);
    });
}

void CpuBackend::linear(trace::Op op, int layer, std::int64_t nTokens, const Activations& in,
                        std::initializer_list<Product> products) {
    // All rows of all matrices laid end to end, weighed by bytes and arithmetic of a row; every
    // thread takes one contiguous stretch, cut at whole row units.
    std::int64_t cost = 0;
    std::int64_t work = 0;
    std::uint64_t bytes = bytesOf(nTokens * in.nCols);
    const auto unitCost = [&](const Weight& weight) {
        return kernels::rowBytes(weight.dtype, weight.nCols) + nTokens * weight.nCols / 2;
    };
    const auto units = [](const Weight& weight) {
        return (weight.nRows + kRowUnit - 1) / kRowUnit;
    };
    for (const Product& product : products) {
        const Weight& weight = *product.weight;
        cost += units(weight) * unitCost(weight);
        work += nTokens * weight.nRows * weight.nCols;
        bytes += weight.sizeBytes + bytesOf(nTokens * weight.nRows);
    }
    const trace::ScopedSpan span(m_cursor, op, layer, bytes, 2 * static_cast<std::uint64_t>(work));

    const auto part = [&](int index, int count) {
        Share share(cost, index, count);
        for (const Product& product : products) {
            const Weight& weight = *product.weight;
            const Share::Range range = share.next(units(weight), unitCost(weight));
            const std::int64_t rowBegin = range.begin * kRowUnit;
            const std::int64_t rowEnd = std::min(weight.nRows, range.end * kRowUnit);
            if (rowBegin >= rowEnd) continue;
            kernels::MatmulArgs args;
            args.weightType = weight.dtype;
            args.weight = weight.data;
            if (m_settings.packed != nullptr) args.packed = m_settings.packed->find(weight);
            args.nRows = weight.nRows;
            args.nCols = weight.nCols;
            args.x = in.x;
            if (in.quantised && in.xb != nullptr)
                args.xb = in.xb;
            else if (in.quantised && isBlockFormat(weight.dtype))
                args.xq = &in.q8;
            if (args.xq != nullptr && in.twoTerms) args.rest = &in.rest;
            args.bias = weight.bias;
            args.y = product.y;
            args.yStride = weight.nRows;
            args.nTokens = nTokens;
            args.rowBegin = rowBegin;
            args.rowEnd = rowEnd;
            m_ops.matmul(args);
        }
    };
    if (work <= kSmallWork)
        part(0, 1);
    else
        m_pool.run(part);
}

void CpuBackend::activate(int layer, std::int64_t nTokens, Readers readers) {
    const std::int64_t width = m_spec.ffnDim;
    const bool gated = m_spec.mlp == MlpKind::Gated;
    Activations& out = m_workspace.hidden;
    out.quantised = wantsRounded(readers);
    out.twoTerms = m_settings.twoTerms;
    SpanSeries spans(m_cursor, layer);
    forTokens(nTokens, [&](std::int64_t begin, std::int64_t end) {
        m_ops.activate({.gate = gated ? m_workspace.gate : m_workspace.up,
                        .up = gated ? m_workspace.up : nullptr,
                        .y = out.x,
                        .gateStride = width,
                        .upStride = width,
                        .dim = width,
                        .tokenBegin = begin,
                        .tokenEnd = end,
                        .kind = m_spec.activation});
        if (begin == 0)
            spans.mark(trace::Op::Activation, bytesOf((gated ? 3 : 2) * nTokens * width),
                       static_cast<std::uint64_t>(5 * nTokens * width));
        if (!out.quantised) return;
        quantise(out, begin, end);
        if (begin == 0) markQuantised(spans, nTokens * width);
    });
}

void CpuBackend::keepResidual(std::span<const std::int32_t> rows) {
    moveRows(m_workspace.x, m_spec.dim, rows);
}

void CpuBackend::keepRows(std::span<const std::int32_t> rows, Activations& acts, Readers readers) {
    moveRows(acts.x, acts.nCols, rows);
    // The rounded form is remade rather than moved: the same rows give the same bits.
    acts.quantised = wantsRounded(readers);
    if (acts.quantised) quantise(acts, 0, std::ssize(rows));
}

void CpuBackend::head(const Weight& head, std::int64_t nTokens, float* logits) {
    linear(trace::Op::Head, -1, nTokens, m_workspace.normed, {{&head, logits}});
    if (m_spec.logitSoftcap == 0.0F) return;
    const std::int64_t n = nTokens * head.nRows;  // one row an element: the pool splits them all
    m_pool.split(n, 4096, [&](std::int64_t begin, std::int64_t end) {
        m_ops.softcap({.x = logits,
                       .cap = m_spec.logitSoftcap,
                       .dim = 1,
                       .tokenBegin = begin,
                       .tokenEnd = end});
    });
}

}  // namespace lanescope
