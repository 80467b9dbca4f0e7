#include "engine/backend/cuda/cuda_workspace.h"

#include <algorithm>

#include "engine/backend/cpu_workspace.h"

namespace lanescope {

PassInputs layOutInputs(const ModelSpec& spec, const BackendSettings& settings, Arena& arena) {
    PassInputs in;
    in.ids = arena.take<std::int32_t>(settings.maxTokens);
    in.positions = arena.take<std::int32_t>(settings.maxTokens);
    in.sequences = arena.take<std::int32_t>(settings.maxTokens);
    in.wanted = arena.take<std::int32_t>(settings.maxTokens);
    in.tiles = arena.take<kernels::cuda::AttentionTile>(settings.maxTokens);
    if (settings.sampleOn == SampleOn::Device) {
        in.sampling = arena.take<kernels::cuda::SampleSettings>(settings.maxSequences);
        in.history = arena.take<std::int32_t>(settings.maxSequences * kMaxSampleHistory);
    }
    if (sinksRotate(spec, settings.pattern))
        in.sinkPositions = arena.take<std::int32_t>(settings.maxTokens);
    if (settings.pattern.kind == AttentionPattern::Kind::Pages)
        in.firstPicking = arena.take<std::int32_t>(settings.maxSequences);
    // The smallest block a cache may have gives the longest table.
    constexpr std::int64_t kSmallestBlock = 8;
    in.blockStride = (settings.maxContext + kSmallestBlock - 1) / kSmallestBlock;
    in.blocks = arena.take<std::int32_t>(settings.maxSequences * in.blockStride);
    if (settings.kvTails)
        in.tails = arena.take<std::int32_t>(settings.maxSequences * in.blockStride);
    if (spec.dynamicNtk.factor > 0.0)
        in.frequencies = arena.take<float>(settings.maxSequences * (spec.rotaryDim / 2));
    return in;
}

PassOutputs layOutOutputs(const BackendSettings& settings, Arena& arena) {
    static_assert(kMaxSampleTop <= kernels::cuda::kMaxTopCandidates);
    PassOutputs out;
    if (settings.sampleOn == SampleOn::Host) return out;
    out.rows = arena.take<kernels::cuda::SampledRow>(settings.maxSequences);
    out.ids = arena.take<std::int32_t>(settings.maxSequences * kMaxSampleTop);
    out.probabilities = arena.take<float>(settings.maxSequences * kMaxSampleTop);
    return out;
}

std::int64_t logitRows(const BackendSettings& settings) {
    constexpr std::int64_t kFew = 16;
    return std::max(settings.maxSequences, std::min(kFew, settings.maxTokens));
}

namespace {

void layOutPattern(const ModelSpec& spec, const BackendSettings& settings, Arena& arena,
                   CudaWorkspace& all) {
    const KeyBitShape bits = keyBitShape(spec, settings);
    all.keyBitHeads = bits.heads;
    all.keyBitWords = bits.words;
    if (bits.words > 0)
        all.keyBits = arena.take<std::uint64_t>(settings.maxTokens * bits.heads * bits.words);
    if (settings.pattern.kind != AttentionPattern::Kind::Pages) return;
    all.maxPages = settings.maxContext / settings.kvBlockTokens + 1;
    all.pageScores = arena.take<float>(std::min(settings.maxTokens, kernels::cuda::kSelectTokens) *
                                       spec.nKvHeads * all.maxPages);
}

}  // namespace

CudaWorkspace layOutCuda(const ModelSpec& spec, const BackendSettings& settings, Arena& arena) {
    CudaWorkspace all;
    all.activations = layOutActivations(spec, settings, arena);
    const std::int64_t widest =
        std::max({spec.dim, spec.nHeads * spec.headDim, static_cast<std::int64_t>(spec.ffnDim)});
    all.spare = arena.take<float>(settings.maxTokens * widest);
    all.logitRows = logitRows(settings);
    all.logits = arena.take<float>(all.logitRows * spec.vocab);
    all.splits =
        (settings.maxContext + kernels::kAttentionStretch - 1) / kernels::kAttentionStretch;
    if (all.splits > 1)
        all.partial = arena.take<float>(settings.maxSequences * spec.nHeads * all.splits *
                                        (spec.headDim + 2));
    if (settings.products == Products::CublasLt) {
        all.rounded = arena.take<std::uint16_t>(settings.maxTokens * widest);
        all.cublas = arena.take<std::byte>(kCublasBytes);
    }
    if (settings.sampleOn == SampleOn::Device)
        all.scores = arena.take<float>(settings.maxSequences * spec.vocab);
    layOutPattern(spec, settings, arena, all);
    all.inputs = layOutInputs(spec, settings, arena);
    if (sinksRotate(spec, settings.pattern))
        all.sinkQueries = arena.take<float>(settings.maxTokens * spec.nHeads * spec.headDim);
    all.outputs = layOutOutputs(settings, arena);
    return all;
}

}  // namespace lanescope
