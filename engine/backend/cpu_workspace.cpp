#include "engine/backend/cpu_workspace.h"

#include <algorithm>

namespace lanescope {

namespace {

kernels::ActsQ8 takeTerm(Arena& arena, std::int64_t nTokens, std::int64_t nCols) {
    kernels::ActsQ8 term;
    term.nCols = nCols;
    term.q = arena.take<std::int8_t>(nTokens * nCols);
    term.scale = arena.take<float>(nTokens * (nCols / kernels::kActsBlock + 1));
    term.sum16 = arena.take<std::int16_t>(nTokens * (nCols / 16 + 1));
    return term;
}

Activations takeActivations(Arena& arena, std::int64_t nCols, const BackendSettings& settings,
                            bool secondTerm) {
    Activations acts;
    acts.nCols = nCols;
    acts.x = arena.take<float>(settings.maxTokens * nCols);
    if (settings.exact) return acts;
    if (settings.bf16) {
        acts.xb = arena.take<std::uint16_t>(settings.maxTokens * nCols);
        return acts;
    }
    acts.q8 = takeTerm(arena, settings.maxTokens, nCols);
    if (secondTerm) acts.rest = takeTerm(arena, settings.maxTokens, nCols);
    return acts;
}

/// Room for the sums of shared out keys: enough for a token of every sequence, four items a thread
/// (more items need no sharing).
std::int64_t partialFloats(const ModelSpec& spec, const BackendSettings& settings) {
    if (settings.threads == 1 || settings.attention != kernels::AttentionKind::Flash) return 0;
    const std::int64_t stretches =
        (settings.maxContext + kernels::kAttentionStretch - 1) / kernels::kAttentionStretch;
    if (stretches < 2) return 0;
    const std::int64_t items =
        std::max<std::int64_t>(spec.nKvHeads, kSharedItemsPerThread * settings.threads);
    return items * stretches *
           kernels::attentionPartialFloats(spec.nHeads / spec.nKvHeads, spec.headDim);
}

void layOutPattern(const ModelSpec& spec, const BackendSettings& settings, Arena& arena,
                   CpuWorkspace& all) {
    using Kind = AttentionPattern::Kind;
    const AttentionPattern& pattern = settings.pattern;
    if (pattern.kind == Kind::Window && pattern.sinks > 0 && spec.rotaryDim > 0) {
        all.sinkQueries = arena.take<float>(settings.maxTokens * spec.nHeads * spec.headDim);
        all.sinkPositions = arena.take<std::int32_t>(settings.maxTokens);
    }
    if (pattern.kind != Kind::BlockSparse && pattern.kind != Kind::Pages) return;
    const bool pages = pattern.kind == Kind::Pages;
    const std::int64_t group = pages ? settings.kvBlockTokens : pattern.blockTokens;
    const std::int64_t groups = settings.maxContext / group + 1;
    all.keyBitHeads = pages ? spec.nKvHeads : 1;
    all.keyBitWords = (groups + 63) / 64;
    all.keyBits = arena.take<std::uint64_t>(settings.maxTokens * all.keyBitHeads * all.keyBitWords);
    if (!pages) return;
    all.maxPages = (groups + 15) / 16 * 16;  // no cache line is shared
    all.pageScores = arena.take<float>(all.maxPages * settings.threads);
    all.pageOrder = arena.take<std::int32_t>(all.maxPages * settings.threads);
}

}  // namespace

Workspace layOutActivations(const ModelSpec& spec, const BackendSettings& settings, Arena& arena) {
    const std::int64_t n = settings.maxTokens;
    const std::int64_t qWidth = spec.nHeads * spec.headDim;
    const std::int64_t kvWidth = spec.nKvHeads * spec.headDim;
    Workspace w;
    w.x = arena.take<float>(n * spec.dim);
    w.delta = arena.take<float>(n * spec.dim);
    w.normed = takeActivations(arena, spec.dim, settings, true);
    w.q = arena.take<float>(n * qWidth);
    w.k = arena.take<float>(n * kvWidth);
    w.v = arena.take<float>(n * kvWidth);
    w.attended = takeActivations(arena, qWidth, settings, settings.twoTerms);
    if (spec.mlp == MlpKind::Gated) w.gate = arena.take<float>(n * spec.ffnDim);
    w.up = arena.take<float>(n * spec.ffnDim);
    w.hidden = takeActivations(arena, spec.ffnDim, settings, settings.twoTerms);
    return w;
}

CpuWorkspace layOutWorkspace(const ModelSpec& spec, const BackendSettings& settings, Arena& arena) {
    CpuWorkspace all;
    all.activations = layOutActivations(spec, settings, arena);
    all.positions = arena.take<std::int32_t>(settings.maxTokens);
    if (spec.dynamicNtk.factor > 0.0)
        all.dynamicFrequencies = arena.take<float>(settings.maxSequences * (spec.rotaryDim / 2));
    layOutPattern(spec, settings, arena, all);
    all.attentionFloats = kernels::attentionScratchFloats(
        settings.attention, spec.nHeads, spec.nKvHeads, spec.headDim, settings.maxContext);
    all.attentionFloats = (all.attentionFloats + 15) / 16 * 16;  // no cache line is shared
    all.attentionScratch = arena.take<float>(all.attentionFloats * settings.threads);
    all.partialFloats = partialFloats(spec, settings);
    all.attentionPartial = arena.take<float>(all.partialFloats);
    return all;
}

}  // namespace lanescope
