// The operations of the CPU backend that know of positions and caches: rotation, the write into the
// cache, attention. Each may work on several sequences at once.

#include <algorithm>

#include "engine/backend/cache_bytes.h"
#include "engine/backend/cpu_backend.h"
#include "engine/backend/cpu_traffic.h"
#include "engine/backend/cpu_workspace.h"
#include "engine/backend/pattern_keys.h"
#include "engine/backend/share.h"

namespace lanescope {

void CpuBackend::ropeRows(int layer, std::size_t segment, const NormWeights& norm, float* x,
                          std::int64_t nHeads, const std::int32_t* positions, std::int64_t begin,
                          std::int64_t end) const {
    // Heads lie end to end: each is a row of the norm.
    if (norm.present())
        normRows(NormKind::Rms, norm, x, x, m_spec.headDim, begin * nHeads, end * nHeads);
    const float* frequencies = m_spec.ropeFrequencies(layer).data();
    if (m_own.dynamicFrequencies != nullptr)
        frequencies =
            m_own.dynamicFrequencies + static_cast<std::int64_t>(segment) * (m_spec.rotaryDim / 2);
    m_ops.rope({.x = x,
                .stride = nHeads * m_spec.headDim,
                .nHeads = nHeads,
                .headDim = m_spec.headDim,
                .rotaryDim = m_spec.rotaryDim,
                .invFreq = frequencies,
                .positions = positions,
                .layout = m_spec.ropeLayout,
                .mscale = m_spec.ropeMscale,
                .tokenBegin = begin,
                .tokenEnd = end});
}

void CpuBackend::sinkQueries(int layer, std::size_t segment, const NormWeights& norm,
                             std::int64_t begin, std::int64_t end) const {
    const std::int64_t width = m_spec.nHeads * m_spec.headDim;
    std::copy(m_workspace.q + begin * width, m_workspace.q + end * width,
              m_own.sinkQueries + begin * width);
    ropeRows(layer, segment, norm, m_own.sinkQueries, m_spec.nHeads, m_own.sinkPositions, begin,
             end);
    turn(m_own.sinkQueries, m_spec.nHeads, begin, end);
}

void CpuBackend::turn(float* x, std::int64_t nHeads, std::int64_t begin, std::int64_t end) const {
    if (m_settings.kvRotate) m_ops.hadamard({x, nHeads, m_spec.headDim, begin, end});
}

void CpuBackend::sealBlocks(std::span<const kernels::PagedKv> kv) {
    if (!kernels::codesWholeBlocks(kv.front().kFormat, kernels::KvPart::Keys) &&
        kv.front().bounds == nullptr)
        return;
    const std::int64_t blockTokens = kv.front().blockTokens;
    const auto blocks = [&](std::size_t i) {
        const Segment& segment = m_tokens.segments[i];
        return std::pair{segment.firstPosition / blockTokens,
                         (segment.firstPosition + segment.nTokens) / blockTokens};
    };
    std::int64_t total = 0;
    for (std::size_t i = 0; i < kv.size(); ++i) total += blocks(i).second - blocks(i).first;
    if (total == 0) return;
    // Shared out by head of a block.
    const auto seal = [&](std::int64_t from, std::int64_t to) {
        std::int64_t first = 0;
        for (std::size_t i = 0; i < kv.size(); ++i) {
            const auto [begin, end] = blocks(i);
            for (std::int64_t b = begin; b < end; ++b, first += m_spec.nKvHeads) {
                const std::int64_t headBegin = std::max(from - first, std::int64_t{0});
                const std::int64_t headEnd = std::min(to - first, m_spec.nKvHeads);
                if (headBegin < headEnd) m_ops.kvSeal({kv[i], b, b + 1, headBegin, headEnd});
            }
        }
    };
    const std::int64_t units = total * m_spec.nKvHeads;
    if (units * blockTokens * m_spec.headDim <= kSmallWork)
        seal(0, units);
    else
        m_pool.split(units, 1, seal);
}

void CpuBackend::ropeAndStore(int layer, const LayerWeights& weights,
                              std::span<const kernels::PagedKv> kv) {
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const std::int64_t qWidth = m_spec.nHeads * m_spec.headDim;
    const std::int64_t kvWidth = m_spec.nKvHeads * m_spec.headDim;
    SpanSeries spans(m_cursor, layer);
    forTokens(n, [&](std::int64_t begin, std::int64_t end) {
        forSegments(begin, end, [&](std::size_t i, std::int64_t from, std::int64_t to) {
            if (hasSinks(layer)) sinkQueries(layer, i, weights.qNorm, from, to);
            const std::int32_t* at = m_own.positions;
            ropeRows(layer, i, weights.qNorm, m_workspace.q, m_spec.nHeads, at, from, to);
            ropeRows(layer, i, weights.kNorm, m_workspace.k, m_spec.nKvHeads, at, from, to);
            turn(m_workspace.q, m_spec.nHeads, from, to);
            turn(m_workspace.k, m_spec.nKvHeads, from, to);
            turn(m_workspace.v, m_spec.nKvHeads, from, to);
        });
        if (begin == 0)
            spans.mark(trace::Op::Rope, bytesOf(2 * n * (qWidth + kvWidth)),
                       static_cast<std::uint64_t>(3 * n * (qWidth + kvWidth)));
        forSegments(begin, end, [&](std::size_t i, std::int64_t from, std::int64_t to) {
            m_ops.kvWrite({.k = m_workspace.k,
                           .v = m_workspace.v,
                           .kStride = kvWidth,
                           .vStride = kvWidth,
                           .positions = m_own.positions,
                           .kv = kv[i],
                           .tokenBegin = from,
                           .tokenEnd = to});
        });
        if (begin == 0) {
            spans.mark(trace::Op::KvWrite, bytesOf(2 * n * kvWidth) + cacheBytes(kv.front(), n), 0);
        }
    });
    sealBlocks(kv);
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
    args.positions = m_own.positions + firstToken;
    args.nTokens = m_tokens.segments[segment].nTokens;
    args.nHeads = m_spec.nHeads;
    args.scale = m_spec.attentionScale();
    const AttentionPattern& pattern = m_settings.pattern;
    args.window = pattern.reach(m_spec, layer);
    if (pattern.appliesTo(m_spec, layer)) {
        args.sinks = pattern.sinks;
        if (m_own.sinkQueries != nullptr) args.qSinks = m_own.sinkQueries + firstToken * qWidth;
        if (m_own.keyBits != nullptr) {
            const std::int64_t stride = m_own.keyBitHeads * m_own.keyBitWords;
            args.mask = {m_own.keyBits + firstToken * stride,
                         pattern.kind == AttentionPattern::Kind::BlockSparse ? pattern.blockTokens
                                                                             : kv.blockTokens,
                         stride, m_own.keyBitHeads == 1 ? 0 : m_own.keyBitWords};
        }
        if (countsMass(layer)) {
            args.mass = m_own.mass + firstToken * kv.nKvHeads * m_own.massStride;
            args.massGroup = kv.blockTokens;
            args.massStride = m_own.massStride;
        }
    }
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
    if (m_own.partialFloats == 0 || m_ops.attentionCombine == nullptr) return false;
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
    if (m_settings.pattern.appliesTo(m_spec, layer)) return false;
    return longest > kernels::kAttentionStretch && (window == 0 || longest <= window) &&
           items < kSharedItemsPerThread * m_pool.size() && floats <= m_own.partialFloats;
}

template <class Fn>
void CpuBackend::eachAttention(int layer, std::span<const kernels::PagedKv> kv, bool shared,
                               Fn&& fn) const {
    std::int64_t token = 0;
    float* partial = m_own.attentionPartial;
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

void CpuBackend::markBlocks() {
    const AttentionPattern& pattern = m_settings.pattern;
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    std::fill_n(m_own.keyBits, n * m_own.keyBitWords, std::uint64_t{0});
    for (std::int64_t t = 0; t < n; ++t) {
        std::uint64_t* words = m_own.keyBits + t * m_own.keyBitWords;
        const std::int64_t own = m_own.positions[t] / pattern.blockTokens;
        const auto set = [words](std::int64_t g) { words[g / 64] |= std::uint64_t{1} << (g % 64); };
        for (std::int64_t g = 0; g <= own; g += pattern.strideBlocks) set(g);
        for (std::int64_t g = std::max<std::int64_t>(own + 1 - pattern.localBlocks, 0); g <= own;
             ++g)
            set(g);
    }
}

void CpuBackend::pickPages(int layer, std::span<const kernels::PagedKv> kv) {
    const AttentionPattern& pattern = m_settings.pattern;
    if (pattern.kind != AttentionPattern::Kind::Pages || !pattern.appliesTo(m_spec, layer)) return;
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const std::int64_t width = m_spec.nHeads * m_spec.headDim;
    const auto part = [&](int index, int count) {
        const std::int64_t begin = n * index / count;
        const std::int64_t end = n * (index + 1) / count;
        forSegments(begin, end, [&](std::size_t i, std::int64_t from, std::int64_t to) {
            m_ops.kvSelect({.q = m_workspace.q,
                            .qStride = width,
                            .nHeads = m_spec.nHeads,
                            .positions = m_own.positions,
                            .kv = kv[i],
                            .keep = pattern.pages,
                            .firstPosition = m_tokens.segments[i].firstPicking,
                            .words = m_own.keyBits,
                            .wordsPerHead = m_own.keyBitWords,
                            .scores = m_own.pageScores + index * m_own.maxPages,
                            .order = m_own.pageOrder + index * m_own.maxPages,
                            .tokenBegin = from,
                            .tokenEnd = to});
        });
    };
    if (n == 1)
        part(0, 1);
    else
        m_pool.run(part);
}

KeysSeen CpuBackend::countKeys(int layer) {
    KeysSeen seen;
    for (const Segment& segment : m_tokens.segments) {
        const PatternKeys own = patternKeys(
            m_spec, m_settings.pattern, layer, m_settings.kvBlockTokens,
            {segment.firstPosition, segment.nTokens, segment.firstPicking, goneKeys(segment)});
        seen.keys += own.seen.keys;
        seen.pairs += own.seen.pairs;
        m_pairs.seen += static_cast<std::uint64_t>(own.seen.pairs);
        m_pairs.all += static_cast<std::uint64_t>(own.pairs);
    }
    return seen;
}

void CpuBackend::attention(int layer, std::span<const kernels::PagedKv> kv, Readers readers) {
    const auto n = static_cast<std::int64_t>(m_tokens.ids.size());
    const std::int64_t qWidth = m_spec.nHeads * m_spec.headDim;
    Activations& out = m_workspace.attended;
    out.quantised = wantsRounded(readers);
    out.twoTerms = m_settings.twoTerms;

    SpanSeries spans(m_cursor, layer);
    pickPages(layer, kv);
    if (m_own.mass != nullptr && layer == 0) markHeld(kv);
    const KeysSeen seen = countKeys(layer);
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
            args.scratch = m_own.attentionScratch + index * m_own.attentionFloats;
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
    if (countsMass(layer)) addMass(layer);
    spans.mark(trace::Op::Attention, bytesOf(2 * n * qWidth) + cacheBytes(kv.front(), seen.keys),
               static_cast<std::uint64_t>(4 * seen.pairs * qWidth));
    if (m_settings.kvRotate)
        forTokens(n, [&](std::int64_t begin, std::int64_t end) {
            turn(out.x, m_spec.nHeads, begin, end);
        });
    if (!out.quantised) return;
    forTokens(n, [&](std::int64_t begin, std::int64_t end) { quantise(out, begin, end); });
    markQuantised(spans, n * qWidth);
}

}  // namespace lanescope
