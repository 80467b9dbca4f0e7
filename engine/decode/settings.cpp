#include "engine/decode/settings.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "engine/backend/cpu_backend.h"
#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/sample_job.h"
#include "engine/base/format.h"
#include "engine/base/thread_pool.h"
#include "engine/decode/forward.h"

namespace lanescope {

namespace {

constexpr int kMaxThreads = 256;
constexpr int kMaxDevices = 64;
constexpr std::int64_t kMaxContextTokens = 1 << 24;
constexpr std::int64_t kMaxPrefillChunk = 4096;
constexpr std::int64_t kMaxPoolBlocks = 1 << 24;
constexpr auto kMaxSequences = static_cast<std::int64_t>(kMaxSegments);

bool exactFromEnvironment() {
    const char* value = std::getenv("LANESCOPE_EXACT");
    return value != nullptr && std::string(value) == "1";
}

Error rangeError(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
    return usageError(std::string(name) + " is " + std::to_string(value) + ", it must be between " +
                      std::to_string(low) + " and " + std::to_string(high));
}

/// What a lane may choose on a GPU only.
void resolveGpuOptions(const ModelSpec& spec, EffectiveSettings& effective) {
    EngineSettings& s = effective.settings;
    const bool onGpu = s.backend == BackendKind::Cuda;
    if (s.products == Products::CublasLt && (s.exact || !onGpu)) {
        s.products = Products::Own;
        effective.notes.push_back(std::string("products own instead of cublaslt: ") +
                                  (onGpu ? "exact path" : "not on a GPU"));
    }
    if (s.sampleOn == SampleOn::Device && (!onGpu || spec.vocab > kMaxSampleVocab)) {
        s.sampleOn = SampleOn::Host;
        effective.notes.push_back(
            "sampling host instead of device: " +
            (onGpu ? "a vocabulary of " + std::to_string(spec.vocab) : "not on a GPU"));
    }
}

/// Ranges of the pattern; where all layers forget, the pool needs no room for what they have.
Result<void> resolvePattern(const ModelSpec& spec, EngineSettings& s) {
    using Kind = AttentionPattern::Kind;
    const AttentionPattern& p = s.pattern;
    constexpr std::int64_t kMost = 1 << 24;
    if (p.kind == Kind::Window) {
        if (p.window < 1 || p.window > kMost) return rangeError("window", p.window, 1, kMost);
        if (p.sinks < 0 || p.sinks > 1024) return rangeError("sinks", p.sinks, 0, 1024);
    }
    if (p.kind == Kind::BlockSparse) {
        if (p.blockTokens < 8 || p.blockTokens > 1024)
            return rangeError("attention block", p.blockTokens, 8, 1024);
        if (p.localBlocks < 1 || p.localBlocks > kMost)
            return rangeError("local blocks", p.localBlocks, 1, kMost);
        if (p.strideBlocks < 1 || p.strideBlocks > kMost)
            return rangeError("stride of blocks", p.strideBlocks, 1, kMost);
    }
    if (p.kind == Kind::Pages && (p.pages < 1 || p.pages > kMost))
        return rangeError("pages", p.pages, 1, kMost);
    if (p.kind == Kind::HeavyHitters) {
        if (p.window < 1 || p.window > kMost) return rangeError("recent keys", p.window, 1, kMost);
        if (p.heavy < 0 || p.heavy > kMost) return rangeError("heavy keys", p.heavy, 0, kMost);
        if (std::ranges::count(p.denseLayers, true) > 0)
            return usageError("what is evicted by weight is gone in all layers: none can be dense",
                              "leave the dense layers out");
        s.attention = kernels::AttentionKind::Naive;  // which has the weights
    }
    const UnseenRange unseen = unseenFrom(spec, p, s.contextTokens);
    if (s.poolBlocks == 0 && unseen.end > unseen.begin) {
        // What is held at once: the sinks, a window, and a pass on top of it.
        const std::int64_t held = s.contextTokens - (unseen.end - unseen.begin) + s.prefillChunk;
        const std::int64_t perSequence = held / s.kvBlockTokens + 3;
        s.poolBlocks =
            s.maxSequences * std::min(perSequence, s.contextTokens / s.kvBlockTokens + 1);
    }
    return {};
}

}  // namespace

Result<EffectiveSettings> resolveSettings(const ModelSpec& spec, const EngineSettings& asked) {
    EffectiveSettings effective;
    EngineSettings& s = effective.settings;
    s = asked;
    if (s.threads < 0 || s.threads > kMaxThreads)
        return rangeError("threads", s.threads, 0, kMaxThreads);
    if (s.threads == 0) s.threads = usableCpuCount();
    if (s.kvBlockTokens < 8 || s.kvBlockTokens > 64)
        return rangeError("KV block", s.kvBlockTokens, 8, 64);
    if (s.contextTokens < 0 || s.contextTokens > kMaxContextTokens)
        return rangeError("context", s.contextTokens, 0, kMaxContextTokens);
    if (s.prefillChunk < 1 || s.prefillChunk > kMaxPrefillChunk)
        return rangeError("prefill chunk", s.prefillChunk, 1, kMaxPrefillChunk);
    if (s.maxSequences < 1 || s.maxSequences > kMaxSequences)
        return rangeError("sequences", s.maxSequences, 1, kMaxSequences);
    for (const kernels::KvFormat format : {s.kvKeys, s.kvValues})
        if (!kernels::canStore(format, spec.headDim))
            return usageError("KV format " + std::string(kernels::kvFormatName(format)) +
                                  " is not possible for heads of " + std::to_string(spec.headDim) +
                                  " columns",
                              "use fp16");
    if (s.poolBlocks < 0 || s.poolBlocks > kMaxPoolBlocks)
        return rangeError("KV blocks", s.poolBlocks, 0, kMaxPoolBlocks);
    if (s.contextTokens == 0) s.contextTokens = std::min<std::int64_t>(spec.contextLength, 4096);
    if (spec.learnedPositions > 0 && s.contextTokens > spec.learnedPositions)
        return usageError("a context of " + std::to_string(s.contextTokens) +
                              " tokens is impossible: the model has learned positions for " +
                              std::to_string(spec.learnedPositions),
                          "choose at most that many");
    if (s.contextTokens > spec.contextLength)
        effective.notes.push_back("context of " + std::to_string(s.contextTokens) +
                                  " tokens is beyond the trained " +
                                  std::to_string(spec.contextLength));
    const bool bounded = unseenFrom(spec, s.pattern, s.contextTokens).end > 0;
    if (s.poolBlocks > 0 && !bounded && s.contextTokens > s.poolBlocks * s.kvBlockTokens) {
        s.contextTokens = s.poolBlocks * s.kvBlockTokens;
        effective.notes.push_back("context " + std::to_string(s.contextTokens) +
                                  ": the KV cache has " + std::to_string(s.poolBlocks) + " blocks");
    }
    s.prefillChunk = std::min(s.prefillChunk, s.contextTokens * s.maxSequences);
    const kernels::AttentionKind kind = s.attention;
    if (auto ok = resolvePattern(spec, s); !ok) return ok.error();
    if (s.attention != kind)
        effective.notes.emplace_back("attention naive: it has the weights that blocks go by");
    if (!s.exact && exactFromEnvironment()) {
        s.exact = true;
        effective.notes.emplace_back("exact path: LANESCOPE_EXACT is set");
    }
    if (s.exact) {
        for (kernels::KvFormat* format : {&s.kvKeys, &s.kvValues}) {
            if (*format == kernels::KvFormat::F32) continue;
            const std::string part = format == &s.kvKeys && s.kvKeys == s.kvValues ? "kv"
                                     : format == &s.kvKeys                         ? "keys"
                                                                                   : "values";
            if (part == "kv") s.kvValues = kernels::KvFormat::F32;
            effective.notes.push_back(part + " fp32 instead of " +
                                      std::string(kernels::kvFormatName(*format)) + ": exact path");
            *format = kernels::KvFormat::F32;
        }
        s.kvRotate = false;
    }
    if (s.exact || s.acts == ActsFormat::Bf16) s.pack = false;  // they read stored weights
    resolveGpuOptions(spec, effective);
    if (s.backend == BackendKind::Cuda) {
        s.pack = false;
        if (s.device < 0 || s.device >= kMaxDevices)
            return rangeError("device", s.device, 0, kMaxDevices - 1);
        if (s.pattern.kind == AttentionPattern::Kind::HeavyHitters)
            return unsupported("attention that evicts by weight on a GPU", {},
                               "use the backend cpu, or pages:K");
        if (s.attention == kernels::AttentionKind::Naive) {
            s.attention = kernels::AttentionKind::Flash;
            effective.notes.emplace_back("attention flash instead of naive: on a GPU");
        }
        if (!s.exact && s.acts == ActsFormat::Bf16) {
            s.acts = ActsFormat::Int8;
            effective.notes.emplace_back(
                "activations int8 instead of bf16 beside quantised weights: on a GPU");
        }
        s.affinity = Affinity::None;
    }
    return effective;
}

KvLayout kvLayout(const ModelSpec& spec, const EngineSettings& settings) {
    return {.nLayers = spec.nLayers,
            .nKvHeads = spec.nKvHeads,
            .headDim = spec.headDim,
            .blockTokens = settings.kvBlockTokens,
            .keys = settings.kvKeys,
            .values = settings.kvValues,
            .bounds = settings.pattern.kind == AttentionPattern::Kind::Pages};
}

std::int32_t poolBlocks(const KvLayout& layout, const EngineSettings& settings) {
    return static_cast<std::int32_t>(
        settings.poolBlocks > 0 ? settings.poolBlocks
                                : settings.maxSequences * layout.blocksFor(settings.contextTokens));
}

std::int32_t poolTails(const KvLayout& layout, const EngineSettings& settings) {
    return layout.tailsFor(std::max(settings.prefillChunk, settings.maxSequences),
                           settings.maxSequences);
}

BackendSettings backendSettings(const EngineSettings& settings) {
    return {.threads = settings.threads,
            .maxTokens = std::max(settings.prefillChunk, settings.maxSequences),
            .maxSequences = settings.maxSequences,
            .maxContext = settings.contextTokens,
            .attention = settings.attention,
            .pattern = settings.pattern,
            .kvBlockTokens = settings.kvBlockTokens,
            .kvTails = kernels::codesWholeBlocks(settings.kvKeys, kernels::KvPart::Keys),
            .kvRotate = settings.kvRotate,
            .exact = settings.exact,
            .twoTerms = settings.acts == ActsFormat::Int8x2,
            .bf16 = settings.acts == ActsFormat::Bf16,
            .products = settings.products,
            .sampleOn = settings.sampleOn,
            .affinity = settings.affinity,
            .packed = nullptr};
}

MemoryEstimate estimateMemory(const ModelSpec& spec, const WeightBytes& weights,
                              const EngineSettings& settings) {
    MemoryEstimate estimate;
    const auto resolved = resolveSettings(spec, settings);
    const EngineSettings& s = resolved ? resolved->settings : settings;
    const bool packs = s.pack && kernels::opTable(kernels::preferredIsa()).pack != nullptr;
    estimate.weightBytes = packs ? weights.packed : weights.stored;
    const KvLayout layout = kvLayout(spec, s);
    estimate.kvBytes = layout.poolBytes(poolBlocks(layout, s), poolTails(layout, s));
    estimate.scratchBytes =
        s.backend == BackendKind::Cuda
            ? CudaBackend::requiredBytes(spec, backendSettings(s))
            : CpuBackend::requiredBytes(spec, backendSettings(s)) +
                  static_cast<std::uint64_t>(spec.vocab * s.maxSequences) * sizeof(float);
    return estimate;
}

Result<void> checkFits(const MemoryEstimate& need, std::uint64_t availableBytes) {
    if (availableBytes == 0 || need.total() <= availableBytes) return {};
    return outOfMemory(
        "needs " + formatBytes(need.total()) + " (weights " + formatBytes(need.weightBytes) +
            ", KV cache " + formatBytes(need.kvBytes) + ", work space " +
            formatBytes(need.scratchBytes) + "), " + formatBytes(availableBytes) + " free",
        "memory", "choose a shorter context, a smaller KV format or a model in a 4-bit format");
}

}  // namespace lanescope
