#include "engine/backend/cpu_backend.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "engine/backend/cpu_workspace.h"
#include "engine/backend/span_series.h"
#include "engine/base/format.h"

namespace lanescope {

namespace {

// Rows a thread's part of a matrix starts and ends at: whole tiles of every kernel.
constexpr std::int64_t kRowUnit = 16;
// Multiply-accumulates under which a second thread costs more than it saves.
constexpr std::int64_t kSmallWork = 32 * 1024;

std::uint64_t bytesOf(std::int64_t nFloats) {
    return static_cast<std::uint64_t>(nFloats) * 4;
}

/// Bytes of the int8 form of nValues activations, with scales and sums.
std::uint64_t int8BytesOf(std::int64_t nValues) {
    return static_cast<std::uint64_t>(nValues + nValues / 4);
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
      m_pool(settings.threads),
      m_storage(storage),
      m_storageBytes(storageBytes) {
    Arena arena(storage);
    const CpuWorkspace all = layOutWorkspace(spec, settings, arena);
    m_workspace = all.activations;
    m_positions = all.positions;
    m_attentionScratch = all.attentionScratch;
    m_attentionFloats = all.attentionFloats;
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

bool CpuBackend::wantsInt8(Readers readers) const {
    if (m_settings.exact) return false;
    return std::any_of(readers.begin(), readers.end(),
                       [](const Weight* weight) { return isBlockFormat(weight->dtype); });
}

void CpuBackend::quantise(const Activations& acts, std::int64_t tokenBegin,
                          std::int64_t tokenEnd) const {
    m_ops.quantiseActs({.x = acts.x,
                        .out = acts.q8,
                        .nCols = acts.nCols,
                        .tokenBegin = tokenBegin,
                        .tokenEnd = tokenEnd});
}

void CpuBackend::begin(const PassTokens& tokens, const trace::Cursor& cursor) {
    m_tokens = tokens;
    m_cursor = cursor;
    for (std::size_t i = 0; i < tokens.ids.size(); ++i)
        m_positions[i] = tokens.firstPosition + static_cast<std::int32_t>(i);
}

void CpuBackend::embed(const Weight& table) {
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const auto rowBytes = static_cast<std::uint64_t>(kernels::rowBytes(table.dtype, table.nCols));
    const trace::ScopedSpan span(
        m_cursor, trace::Op::Embed, -1,
        static_cast<std::uint64_t>(n) * rowBytes + bytesOf(n * table.nCols));
    forTokens(n, [&](std::int64_t begin, std::int64_t end) {
        m_ops.embed({.tableType = table.dtype,
                     .table = table.data,
                     .ids = m_tokens.ids.data(),
                     .y = m_workspace.x,
                     .dim = table.nCols,
                     .tokenBegin = begin,
                     .tokenEnd = end});
    });
}

void CpuBackend::norm(const NormOp& op) {
    const std::int64_t n = op.nTokens;
    const std::int64_t dim = m_spec.dim;
    op.out->quantised = wantsInt8(op.readers);
    SpanSeries spans(m_cursor, op.layer);
    forTokens(n, [&](std::int64_t begin, std::int64_t end) {
        if (op.add != nullptr) {
            m_ops.add({.x = m_workspace.x,
                       .delta = op.add,
                       .dim = dim,
                       .tokenBegin = begin,
                       .tokenEnd = end});
            if (begin == 0)
                spans.mark(trace::Op::Residual, bytesOf(3 * n * dim),
                           static_cast<std::uint64_t>(n * dim));
        }
        m_ops.rmsNorm({.x = m_workspace.x,
                       .weight = op.weight,
                       .y = op.out->x,
                       .dim = dim,
                       .eps = m_spec.normEps,
                       .tokenBegin = begin,
                       .tokenEnd = end});
        if (begin == 0)
            spans.mark(trace::Op::Norm, bytesOf(2 * n * dim + dim),
                       static_cast<std::uint64_t>(4 * n * dim));
        if (!op.out->quantised) return;
        quantise(*op.out, begin, end);
        if (begin == 0)
            spans.mark(trace::Op::QuantiseActs, bytesOf(n * dim) + int8BytesOf(n * dim),
                       static_cast<std::uint64_t>(2 * n * dim));
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
        const std::int64_t from = cost * index / count;
        const std::int64_t to = cost * (index + 1) / count;
        std::int64_t base = 0;
        for (const Product& product : products) {
            const Weight& weight = *product.weight;
            const std::int64_t nUnits = units(weight);
            const std::int64_t each = unitCost(weight);
            const auto unitAt = [&](std::int64_t position) {
                return std::clamp<std::int64_t>((position - base + each - 1) / each, 0, nUnits);
            };
            const std::int64_t rowBegin = unitAt(from) * kRowUnit;
            const std::int64_t rowEnd = std::min(weight.nRows, unitAt(to) * kRowUnit);
            base += nUnits * each;
            if (rowBegin >= rowEnd) continue;
            kernels::MatmulArgs args;
            args.weightType = weight.dtype;
            args.weight = weight.data;
            args.nRows = weight.nRows;
            args.nCols = weight.nCols;
            args.x = in.x;
            args.xq = in.quantised && isBlockFormat(weight.dtype) ? &in.q8 : nullptr;
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

void CpuBackend::ropeAndStore(int layer, const kernels::PagedKv& kv) {
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const std::int64_t qWidth = m_spec.nHeads * m_spec.headDim;
    const std::int64_t kvWidth = m_spec.nKvHeads * m_spec.headDim;
    SpanSeries spans(m_cursor, layer);
    forTokens(n, [&](std::int64_t begin, std::int64_t end) {
        kernels::RopeArgs rope;
        rope.x = m_workspace.q;
        rope.stride = qWidth;
        rope.nHeads = m_spec.nHeads;
        rope.headDim = m_spec.headDim;
        rope.rotaryDim = m_spec.rotaryDim;
        rope.invFreq = m_spec.ropeInvFreq.data();
        rope.positions = m_positions;
        rope.layout = m_spec.ropeLayout;
        rope.mscale = m_spec.ropeMscale;
        rope.tokenBegin = begin;
        rope.tokenEnd = end;
        m_ops.rope(rope);
        rope.x = m_workspace.k;
        rope.stride = kvWidth;
        rope.nHeads = m_spec.nKvHeads;
        m_ops.rope(rope);
        if (begin == 0)
            spans.mark(trace::Op::Rope, bytesOf(2 * n * (qWidth + kvWidth)),
                       static_cast<std::uint64_t>(3 * n * (qWidth + kvWidth)));
        m_ops.kvWrite({.k = m_workspace.k,
                       .v = m_workspace.v,
                       .kStride = kvWidth,
                       .vStride = kvWidth,
                       .positions = m_positions,
                       .kv = kv,
                       .tokenBegin = begin,
                       .tokenEnd = end});
        if (begin == 0)
            spans.mark(trace::Op::KvWrite,
                       bytesOf(2 * n * kvWidth) +
                           static_cast<std::uint64_t>(2 * n * kernels::rowBytes(kv.dtype, kvWidth)),
                       0);
    });
}

void CpuBackend::attention(int layer, const kernels::PagedKv& kv, Readers readers) {
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const std::int64_t qWidth = m_spec.nHeads * m_spec.headDim;
    const std::int64_t kvWidth = m_spec.nKvHeads * m_spec.headDim;
    const std::int64_t context = m_tokens.firstPosition + n;
    // Query-key pairs under the causal mask: token t sees firstPosition + t + 1 positions.
    const std::int64_t pairs = n * m_tokens.firstPosition + n * (n + 1) / 2;
    Activations& out = m_workspace.attended;
    out.quantised = wantsInt8(readers);

    kernels::AttentionArgs args;
    args.kind = m_settings.attention;
    args.q = m_workspace.q;
    args.qStride = qWidth;
    args.out = out.x;
    args.positions = m_positions;
    args.nTokens = n;
    args.nHeads = m_spec.nHeads;
    args.scale = m_spec.attentionScale();
    args.kv = kv;
    const std::int64_t items = kernels::attentionItems(args);
    SpanSeries spans(m_cursor, layer);
    const auto part = [&](int index, int count) {
        kernels::AttentionArgs mine = args;
        mine.scratch = m_attentionScratch + index * m_attentionFloats;
        mine.itemBegin = items * index / count;
        mine.itemEnd = items * (index + 1) / count;
        if (mine.itemBegin < mine.itemEnd) m_ops.attention(mine);
    };
    if (2 * pairs * qWidth <= kSmallWork)
        part(0, 1);
    else
        m_pool.run(part);
    spans.mark(trace::Op::Attention,
               bytesOf(2 * n * qWidth) +
                   static_cast<std::uint64_t>(2 * context * kernels::rowBytes(kv.dtype, kvWidth)),
               static_cast<std::uint64_t>(4 * pairs * qWidth));
    if (!out.quantised) return;
    forTokens(n, [&](std::int64_t begin, std::int64_t end) { quantise(out, begin, end); });
    spans.mark(trace::Op::QuantiseActs, bytesOf(n * qWidth) + int8BytesOf(n * qWidth),
               static_cast<std::uint64_t>(2 * n * qWidth));
}

void CpuBackend::activate(int layer, std::int64_t nTokens, Readers readers) {
    const std::int64_t width = m_spec.ffnDim;
    Activations& out = m_workspace.hidden;
    out.quantised = wantsInt8(readers);
    SpanSeries spans(m_cursor, layer);
    forTokens(nTokens, [&](std::int64_t begin, std::int64_t end) {
        m_ops.activate({.gate = m_workspace.gate,
                       .up = m_workspace.up,
                       .y = out.x,
                       .gateStride = width,
                       .upStride = width,
                       .dim = width,
                       .tokenBegin = begin,
                       .tokenEnd = end});
        if (begin == 0)
            spans.mark(trace::Op::Activation, bytesOf(3 * nTokens * width),
                       static_cast<std::uint64_t>(5 * nTokens * width));
        if (!out.quantised) return;
        quantise(out, begin, end);
        if (begin == 0)
            spans.mark(trace::Op::QuantiseActs,
                       bytesOf(nTokens * width) + int8BytesOf(nTokens * width),
                       static_cast<std::uint64_t>(2 * nTokens * width));
    });
}

void CpuBackend::keepRows(std::span<const std::int32_t> rows, Readers readers) {
    Activations& attended = m_workspace.attended;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto to = static_cast<std::int64_t>(i);
        const std::int64_t from = rows[i];
        if (from == to) continue;
        std::memmove(m_workspace.x + to * m_spec.dim, m_workspace.x + from * m_spec.dim,
                     bytesOf(m_spec.dim));
        std::memmove(attended.x + to * attended.nCols, attended.x + from * attended.nCols,
                     bytesOf(attended.nCols));
    }
    // The int8 form is remade rather than moved: the same rows give the same bits.
    attended.quantised = wantsInt8(readers);
    if (attended.quantised) quantise(attended, 0, static_cast<std::int64_t>(rows.size()));
}

void CpuBackend::head(const Weight& head, std::int64_t nTokens, float* logits) {
    linear(trace::Op::Head, -1, nTokens, m_workspace.normed, {{&head, logits}});
}

}  // namespace lanescope
