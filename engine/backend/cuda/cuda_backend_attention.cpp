// The operations of the CUDA backend that know of positions and caches.

#include <algorithm>

#include "engine/backend/cache_bytes.h"
#include "engine/backend/cuda/cuda_backend.h"
#include "engine/model/keys_seen.h"

namespace lanescope {

void CudaBackend::sendTables(std::span<const kernels::PagedKv> kv) {
    const auto nSequences = static_cast<std::int64_t>(m_tokens.segments.size());
    for (std::int64_t i = 0; i < nSequences; ++i) {
        const Segment& segment = m_tokens.segments[static_cast<std::size_t>(i)];
        const kernels::PagedKv& cache = kv[static_cast<std::size_t>(i)];
        const std::int64_t context = segment.firstPosition + segment.nTokens;
        const std::int64_t nBlocks = (context + cache.blockTokens - 1) / cache.blockTokens;
        std::copy_n(cache.blockTable, nBlocks, m_in.blocks + i * m_in.blockStride);
        if (m_in.tails != nullptr)
            std::copy_n(cache.tailTable, nBlocks, m_in.tails + i * m_in.blockStride);
    }
    if (!queues()) return;  // the graph copies them
    const auto label = labelled(phase(), -1);
    const auto bytes =
        static_cast<std::uint64_t>(nSequences * m_in.blockStride) * sizeof(std::int32_t);
    check(m_device->upload(m_w.inputs.blocks, m_in.blocks, bytes));
    if (m_in.tails != nullptr) check(m_device->upload(m_w.inputs.tails, m_in.tails, bytes));
}

void CudaBackend::ropeAndStore(int layer, const LayerWeights& weights,
                               std::span<const kernels::PagedKv> kv) {
    if (layer == 0) sendTables(kv);
    if (!queues()) return;
    const auto label = labelled(trace::Op::Rope, layer);
    const Workspace& w = m_w.activations;
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const std::int64_t qWidth = m_spec.nHeads * m_spec.headDim;
    const std::int64_t kvWidth = m_spec.nKvHeads * m_spec.headDim;
    // Heads lie end to end: each is a row of the norm.
    if (weights.qNorm.present())
        normRows(NormKind::Rms, weights.qNorm, w.q, m_spec.headDim, n * m_spec.nHeads);
    if (weights.kNorm.present())
        normRows(NormKind::Rms, weights.kNorm, w.k, m_spec.headDim, n * m_spec.nKvHeads);
    const bool dynamic = m_w.inputs.frequencies != nullptr;
    const auto rope = [&](float* x, std::int64_t nHeads) {
        return kernels::RopeArgs{.x = x,
                                 .stride = nHeads * m_spec.headDim,
                                 .nHeads = nHeads,
                                 .headDim = m_spec.headDim,
                                 .rotaryDim = m_spec.rotaryDim,
                                 .invFreq = dynamic
                                                ? m_w.inputs.frequencies
                                                : m_frequencies[static_cast<std::size_t>(layer)],
                                 .positions = m_w.inputs.positions,
                                 .layout = m_spec.ropeLayout,
                                 .mscale = m_spec.ropeMscale,
                                 .tokenBegin = 0,
                                 .tokenEnd = n};
    };
    kernels::cuda::RopeKvArgs args;
    args.q = rope(w.q, m_spec.nHeads);
    args.k = rope(w.k, m_spec.nKvHeads);
    args.kv = {.k = w.k,
               .v = w.v,
               .kStride = kvWidth,
               .vStride = kvWidth,
               .positions = m_w.inputs.positions,
               .kv = kv.front(),
               .tokenBegin = 0,
               .tokenEnd = n};
    args.tables = sequenceTables();
    args.frequencyStride = dynamic ? m_spec.rotaryDim / 2 : 0;
    check(ops().ropeKv(args, m_device->stream()));
    if (m_settings.kvTails || kv.front().bounds != nullptr)
        check(ops().kvSeal({m_w.inputs.positions, n, kv.front(), sequenceTables()},
                           m_device->stream()));
    const auto stored = static_cast<std::int64_t>(cacheBytes(kv.front(), n));
    m_timeline.mark(
        trace::Op::Rope, layer,
        static_cast<std::uint64_t>((2 * n * (qWidth + kvWidth) + 2 * n * kvWidth) * 4 + stored),
        static_cast<std::uint64_t>(3 * n * (qWidth + kvWidth)));
}

void CudaBackend::attention(int layer, std::span<const kernels::PagedKv> kv, Readers readers) {
    Workspace& w = m_w.activations;
    w.attended.quantised = wantsInt8(readers);
    w.attended.twoTerms = m_settings.twoTerms;
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const std::int64_t qWidth = m_spec.nHeads * m_spec.headDim;
    const std::int64_t window = m_spec.window(layer);
    KeysSeen seen;
    std::int64_t longest = 0;
    for (const Segment& segment : m_tokens.segments) {
        const KeysSeen own = keysSeen(segment.firstPosition, segment.nTokens, window);
        seen.keys += own.keys;
        seen.pairs += own.pairs;
        longest = std::max(longest, segment.firstPosition + segment.nTokens);
    }
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(8 * n * qWidth) + cacheBytes(kv.front(), seen.keys);
    const auto flops = static_cast<std::uint64_t>(4 * seen.pairs * qWidth);
    if (m_mode == Mode::Replay) m_timeline.revise(trace::Op::Attention, layer, bytes, flops);
    if (!queues()) return;
    const auto label = labelled(trace::Op::Attention, layer);
    kernels::cuda::PagedAttentionArgs args;
    args.q = w.q;
    args.qStride = qWidth;
    args.out = w.attended.x;
    args.positions = m_w.inputs.positions;
    args.nTokens = n;
    args.nHeads = m_spec.nHeads;
    args.scale = m_spec.attentionScale();
    args.window = window;
    args.softcap = m_spec.attentionSoftcap;
    args.kv = kv.front();
    args.tables = sequenceTables();
    args.tiles = m_w.inputs.tiles;
    args.nTiles = m_nTiles;
    // A graph serves every later step: it gets blocks for the longest context.
    if (m_w.partial != nullptr && n <= m_settings.maxSequences)
        args.nSplits = m_mode == Mode::Record ? m_w.splits
                                              : (longest + kernels::kAttentionStretch - 1) /
                                                    kernels::kAttentionStretch;
    if (args.nSplits > 1) args.partial = m_w.partial;
    check(ops().attention(args, m_device->stream()));
    m_timeline.mark(trace::Op::Attention, layer, bytes, flops);
    if (!w.attended.quantised) return;
    const auto quantising = labelled(trace::Op::QuantiseActs, layer);
    check(ops().quantiseActs({.x = w.attended.x,
                              .out = w.attended.q8,
                              .nCols = qWidth,
                              .tokenBegin = 0,
                              .tokenEnd = n,
                              .rest = w.attended.secondTerm()},
                             m_device->stream()));
    m_timeline.mark(trace::Op::QuantiseActs, layer,
                    static_cast<std::uint64_t>(n * qWidth * 5 + n * qWidth / 4),
                    static_cast<std::uint64_t>(2 * n * qWidth));
}

}  // namespace lanescope
