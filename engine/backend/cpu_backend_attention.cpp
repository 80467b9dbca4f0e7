// The operations of the CPU backend that know of positions and caches: rotation, the write into the
// cache, attention. Each may work on several sequences at once.

#include <algorithm>

#include "engine/backend/cpu_backend.h"
#include "engine/backend/cpu_traffic.h"
#include "engine/backend/cpu_workspace.h"
#include "engine/backend/share.h"
#include "engine/model/keys_seen.h"

namespace lanescope {

void CpuBackend::ropeRows(int layer, std::size_t segment, const NormWeights& norm, float* x,
                          std::int64_t nHeads, std::int64_t begin, std::int64_t end) const {
    // Heads lie end to end: each is a row of the norm.
    if (norm.present())
        normRows(NormKind::Rms, norm, x, x, m_spec.headDim, begin * nHeads, end * nHeads);
    const float* frequencies = m_spec.ropeFrequencies(layer).data();
    if (m_dynamicFrequencies != nullptr)
        frequencies =
            m_dynamicFrequencies + static_cast<std::int64_t>(segment) * (m_spec.rotaryDim / 2);
    m_ops.rope({.x = x,
                .stride = nHeads * m_spec.headDim,
                .nHeads = nHeads,
                .headDim = m_spec.headDim,
                .rotaryDim = m_spec.rotaryDim,
                .invFreq = frequencies,
                .positions = m_positions,
                .layout = m_spec.ropeLayout,
                .mscale = m_spec.ropeMscale,
                .tokenBegin = begin,
                .tokenEnd = end});
}

void CpuBackend::ropeAndStore(int layer, const LayerWeights& weights,
                              std::span<const kernels::PagedKv> kv) {
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const std::int64_t qWidth = m_spec.nHeads * m_spec.headDim;
    const std::int64_t kvWidth = m_spec.nKvHeads * m_spec.headDim;
    SpanSeries spans(m_cursor, layer);
    forTokens(n, [&](std::int64_t begin, std::int64_t end) {
        forSegments(begin, end, [&](std::size_t i, std::int64_t from, std::int64_t to) {
            ropeRows(layer, i, weights.qNorm, m_workspace.q, m_spec.nHeads, from, to);
            ropeRows(layer, i, weights.kNorm, m_workspace.k, m_spec.nKvHeads, from, to);
        });
        if (begin == 0)
            spans.mark(trace::Op::Rope, bytesOf(2 * n * (qWidth + kvWidth)),
                       static_cast<std::uint64_t>(3 * n * (qWidth + kvWidth)));
        forSegments(begin, end, [&](std::size_t i, std::int64_t from, std::int64_t to) {
            m_ops.kvWrite({.k = m_workspace.k,
                           .v = m_workspace.v,
                           .kStride = kvWidth,
                           .vStride = kvWidth,
                           .positions = m_positions,
                           .kv = kv[i],
                           .tokenBegin = from,
                           .tokenEnd = to});
        });
        if (begin == 0) {
            const std::int64_t stored = 2 * n * kernels::rowBytes(kv.front().dtype, kvWidth);
            spans.mark(trace::Op::KvWrite,
                       bytesOf(2 * n * kvWidth) + static_cast<std::uint64_t>(stored), 0);
        }
    });
}

kernels::AttentionArgs CpuBackend::attentionArgs(int layer, std::size_t segment,
                                                 std::int64_t firstToken,
                                                 const kernels::PagedKv& kv) const {
    const std::int64_t qWidth = m_spec.nHeads * m_spec.headDim;
    kernels::AttentionArgs args;
    args.kind = m_settings.attention;
    args.q = m_workspace.q + firstToken * qWidth;
    args.qStride = qWidth;
    args.out = m_workspace.attended.x + firstToken * qWidth;
    args.positions = m_positions + firstToken;
    args.nTokens = m_tokens.segments[segment].nTokens;
    args.nHeads = m_spec.nHeads;
    args.scale = m_spec.attentionScale();
    args.window = m_spec.window(layer);
    args.softcap = m_spec.attentionSoftcap;
    args.kv = kv;
    return args;
}

std::int64_t CpuBackend::partialRow(std::size_t segment) const {
    const std::int64_t tokens =
        std::min(m_tokens.segments[segment].nTokens, kernels::kAttentionTile);
    return kernels::attentionPartialFloats(tokens * (m_spec.nHeads / m_spec.nKvHeads),
                                           m_spec.headDim);
}

bool CpuBackend::sharesKeys(int layer) const {
    if (m_partialFloats == 0 || m_ops.attentionCombine == nullptr) return false;
    std::int64_t items = 0;
    std::int64_t floats = 0;
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < m_tokens.segments.size(); ++i) {
        const Segment& segment = m_tokens.segments[i];
        const std::int64_t end = segment.firstPosition + segment.nTokens;
        const std::int64_t tiles =
            (segment.nTokens + kernels::kAttentionTile - 1) / kernels::kAttentionTile;
        const std::int64_t stretches = (end - 1) / kernels::kAttentionStretch + 1;
        items += m_spec.nKvHeads * tiles;
        floats += m_spec.nKvHeads * tiles * stretches * partialRow(i);
        longest = std::max(longest, end);
    }
    const std::int64_t window = m_spec.window(layer);
    return longest > kernels::kAttentionStretch && (window == 0 || longest <= window) &&
           items < kSharedItemsPerThread * m_pool.size() && floats <= m_partialFloats;
}

template <class Fn>
void CpuBackend::eachAttention(int layer, std::span<const kernels::PagedKv> kv, bool shared,
                               Fn&& fn) const {
    std::int64_t token = 0;
    float* partial = m_attentionPartial;
    for (std::size_t i = 0; i < m_tokens.segments.size(); ++i) {
        const Segment& segment = m_tokens.segments[i];
        kernels::AttentionArgs args = attentionArgs(layer, i, token, kv[i]);
        token += segment.nTokens;
        Units units{kernels::attentionItems(args), segment.firstPosition + segment.nTokens};
        if (shared) {
            args.partial = partial;
            units.count *= kernels::attentionStretches(args);
            units.weight = std::min(units.weight, kernels::kAttentionStretch);
            partial += units.count * partialRow(i);
        }
        fn(args, units);
    }
}

void CpuBackend::attention(int layer, std::span<const kernels::PagedKv> kv, Readers readers) {
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const std::int64_t qWidth = m_spec.nHeads * m_spec.headDim;
    const std::int64_t kvWidth = m_spec.nKvHeads * m_spec.headDim;
    Activations& out = m_workspace.attended;
    out.quantised = wantsRounded(readers);

    KeysSeen seen;
    for (const Segment& segment : m_tokens.segments) {
        const KeysSeen own = keysSeen(segment.firstPosition, segment.nTokens, m_spec.window(layer));
        seen.keys += own.keys;
        seen.pairs += own.pairs;
    }
    SpanSeries spans(m_cursor, layer);
    const bool shared = sharesKeys(layer);
    std::int64_t total = 0;
    eachAttention(layer, kv, shared, [&](const kernels::AttentionArgs&, const Units& units) {
        total += units.count * units.weight;
    });
    const auto part = [&](int index, int count) {
        Share share(total, index, count);
        eachAttention(layer, kv, shared, [&](kernels::AttentionArgs& args, const Units& units) {
            const Share::Range range = share.next(units.count, units.weight);
            if (range.empty()) return;
            args.itemBegin = range.begin;
            args.itemEnd = range.end;
            args.scratch = m_attentionScratch + index * m_attentionFloats;
            m_ops.attention(args);
        });
    };
    if (2 * seen.pairs * qWidth <= kSmallWork)
        part(0, 1);
    else
        m_pool.run(part);
    if (shared)
        eachAttention(layer, kv, shared, [&](kernels::AttentionArgs& args, const Units&) {
            args.itemBegin = 0;
            args.itemEnd = kernels::attentionItems(args);
            m_ops.attentionCombine(args);
        });
    spans.mark(
        trace::Op::Attention,
        bytesOf(2 * n * qWidth) + static_cast<std::uint64_t>(
                                      2 * seen.keys * kernels::rowBytes(kv.front().dtype, kvWidth)),
        static_cast<std::uint64_t>(4 * seen.pairs * qWidth));
    if (!out.quantised) return;
    forTokens(n, [&](std::int64_t begin, std::int64_t end) { quantise(out, begin, end); });
    markQuantised(spans, n * qWidth);
}

}  // namespace lanescope
