// The operations of the CUDA backend that know of positions and caches.

#include <algorithm>
#include <limits>

#include "engine/backend/cache_bytes.h"
#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/pattern_keys.h"

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

void CudaBackend::writePattern() {
    const AttentionPattern& pattern = m_settings.pattern;
    const std::int64_t last = pattern.sinks + pattern.window - 1;
    if (m_in.sinkPositions != nullptr)
        for (std::size_t t = 0; t < m_tokens.ids.size(); ++t)
            m_in.sinkPositions[t] =
                static_cast<std::int32_t>(std::min<std::int64_t>(m_in.positions[t], last));
    if (m_in.firstPicking != nullptr)
        for (std::size_t i = 0; i < m_tokens.segments.size(); ++i)
            m_in.firstPicking[i] = static_cast<std::int32_t>(std::min<std::int64_t>(
                m_tokens.segments[i].firstPicking, std::numeric_limits<std::int32_t>::max()));
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
    if (m_w.sinkQueries != nullptr && m_settings.pattern.appliesTo(m_spec, layer)) {
        args.qSinks = m_w.sinkQueries;
        args.sinkPositions = m_w.inputs.sinkPositions;
    }
    if (m_settings.kvRotate) args.turnedV = w.v;
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

KeysSeen CudaBackend::countKeys(int layer) {
    KeysSeen seen;
    for (const Segment& segment : m_tokens.segments) {
        const PatternKeys own =
            patternKeys(m_spec, m_settings.pattern, layer, m_settings.kvBlockTokens,
                        {segment.firstPosition, segment.nTokens, segment.firstPicking});
        seen.keys += own.seen.keys;
        seen.pairs += own.seen.pairs;
        m_pairs.seen += static_cast<std::uint64_t>(own.seen.pairs);
        m_pairs.all += static_cast<std::uint64_t>(own.pairs);
    }
    return seen;
}

void CudaBackend::chooseKeys(int layer, const kernels::PagedKv& kv) {
    const AttentionPattern& pattern = m_settings.pattern;
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    if (pattern.kind == AttentionPattern::Kind::BlockSparse && layer == 0)  // the same in all
        check(ops().keyBlocks({m_w.inputs.positions, n, pattern.blockTokens, pattern.localBlocks,
                               pattern.strideBlocks, m_w.keyBits, m_w.keyBitWords},
                              m_device->stream()));
    if (pattern.kind != AttentionPattern::Kind::Pages || !pattern.appliesTo(m_spec, layer)) return;
    kernels::cuda::PagedSelectArgs args;
    args.q = m_w.activations.q;
    args.qStride = m_spec.nHeads * m_spec.headDim;
    args.nHeads = m_spec.nHeads;
    args.positions = m_w.inputs.positions;
    args.nTokens = n;
    args.kv = kv;
    args.tables = sequenceTables();
    args.keep = pattern.pages;
    args.firstPosition = m_w.inputs.firstPicking;
    args.words = m_w.keyBits;
    args.wordsPerHead = m_w.keyBitWords;
    args.scores = m_w.pageScores;
    args.scoreStride = m_w.maxPages;
    check(ops().kvSelect(args, m_device->stream()));
}

kernels::KeyMask CudaBackend::keyMask() const {
    if (m_w.keyBits == nullptr) return {};
    const bool pages = m_settings.pattern.kind == AttentionPattern::Kind::Pages;
    return {m_w.keyBits, pages ? m_settings.kvBlockTokens : m_settings.pattern.blockTokens,
            m_w.keyBitHeads * m_w.keyBitWords, m_w.keyBitHeads == 1 ? 0 : m_w.keyBitWords};
}

void CudaBackend::attention(int layer, std::span<const kernels::PagedKv> kv, Readers readers) {
    Workspace& w = m_w.activations;
    w.attended.quantised = wantsInt8(readers);
    w.attended.twoTerms = m_settings.twoTerms;
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const std::int64_t qWidth = m_spec.nHeads * m_spec.headDim;
    const KeysSeen seen = countKeys(layer);
    std::int64_t longest = 0;
    for (const Segment& segment : m_tokens.segments)
        longest = std::max(longest, segment.firstPosition + segment.nTokens);
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(8 * n * qWidth) + cacheBytes(kv.front(), seen.keys);
    const auto flops = static_cast<std::uint64_t>(4 * seen.pairs * qWidth);
    if (m_mode == Mode::Replay) m_timeline.revise(trace::Op::Attention, layer, bytes, flops);
    if (!queues()) return;
    const auto label = labelled(trace::Op::Attention, layer);
    chooseKeys(layer, kv.front());
    kernels::cuda::PagedAttentionArgs args;
    args.q = w.q;
    args.qStride = qWidth;
    args.out = w.attended.x;
    args.positions = m_w.inputs.positions;
    args.nTokens = n;
    args.nHeads = m_spec.nHeads;
    args.scale = m_spec.attentionScale();
    const AttentionPattern& pattern = m_settings.pattern;
    args.window = pattern.reach(m_spec, layer);
    if (pattern.appliesTo(m_spec, layer)) {
        args.sinks = pattern.sinks;
        args.qSinks = m_w.sinkQueries;
        args.mask = keyMask();
    }
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
    if (m_settings.kvRotate)
        check(ops().hadamard({.x = w.attended.x,
                              .nHeads = m_spec.nHeads,
                              .headDim = m_spec.headDim,
                              .tokenBegin = 0,
                              .tokenEnd = n},
                             m_device->stream()));
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
