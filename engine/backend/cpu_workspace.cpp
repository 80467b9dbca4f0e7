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
    if (sinksRotate(spec, settings.pattern)) {
        all.sinkQueries = arena.take<float>(settings.maxTokens * spec.nHeads * spec.headDim);
        all.sinkPositions = arena.take<std::int32_t>(settings.maxTokens);
    }
    const KeyBitShape bits = keyBitShape(spec, settings);
    if (bits.words == 0) return;
    if (settings.pattern.kind == AttentionPattern::Kind::HeavyHitters) {
        all.massStride = settings.maxContext / settings.kvBlockTokens + 1;
        all.mass = arena.take<float>(settings.maxTokens * spec.nKvHeads * all.massStride);
    }
    all.keyBitHeads = bits.heads;
    all.keyBitWords = bits.words;
    all.keyBits = arena.take<std::uint64_t>(settings.maxTokens * bits.heads * bits.words);
    if (settings.pattern.kind != AttentionPattern::Kind::Pages) return;
    const std::int64_t groups = settings.maxContext / settings.kvBlockTokens + 1;
    all.maxPages = (groups + 15) / 16 * 16;  // no cache line is shared
    all.pageScores = arena.take<float>(all.maxPages * settings.threads);
    all.pageOrder = arena.take<std::int32_t>(all.maxPages * settings.threads);
}

}  // namespace

KeyBitShape keyBitShape(const ModelSpec& spec, const BackendSettings& settings) {
    using Kind = AttentionPattern::Kind;
    const AttentionPattern& pattern = settings.pattern;
    if (pattern.kind == Kind::Dense || pattern.kind == Kind::Window) return {};
    const std::int64_t group =
        pattern.kind == Kind::BlockSparse ? pattern.blockTokens : settings.kvBlockTokens;
    return {pattern.kind == Kind::Pages ? spec.nKvHeads : 1,
            (settings.maxContext / group + 64) / 64};
}

bool sinksRotate(const ModelSpec& spec, const AttentionPattern& pattern) {
    return pattern.kind == AttentionPattern::Kind::Window && pattern.sinks > 0 &&
           spec.rotaryDim > 0;
}

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
