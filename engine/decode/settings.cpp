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
    if (s.kvType != kernels::DType::F32 && s.kvType != kernels::DType::F16 &&
        s.kvType != kernels::DType::BF16)
        return usageError(
            "KV format " + std::string(kernels::info(s.kvType).name) + " is not supported",
            "use f32, f16 or bf16");
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
    s.prefillChunk = std::min(s.prefillChunk, s.contextTokens);
    if (!s.exact && exactFromEnvironment()) {
        s.exact = true;
        effective.notes.emplace_back("exact path: LANESCOPE_EXACT is set");
    }
    if (s.exact && s.kvType != kernels::DType::F32) {
        effective.notes.push_back("kv f32 instead of " + std::string(kernels::info(s.kvType).name) +
                                  ": exact path");
        s.kvType = kernels::DType::F32;
    }
    if (s.exact || s.acts == ActsFormat::Bf16) s.pack = false;  // they read stored weights
    resolveGpuOptions(spec, effective);
    if (s.backend == BackendKind::Cuda) {
        s.pack = false;
        if (s.device < 0 || s.device >= kMaxDevices)
            return rangeError("device", s.device, 0, kMaxDevices - 1);
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
            .dtype = settings.kvType};
}

BackendSettings backendSettings(const EngineSettings& settings) {
    return {.threads = settings.threads,
            .maxTokens = std::max(settings.prefillChunk, settings.maxSequences),
            .maxSequences = settings.maxSequences,
            .maxContext = settings.contextTokens,
            .attention = settings.attention,
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
    estimate.kvBytes =
        static_cast<std::uint64_t>(s.maxSequences * layout.blocksFor(s.contextTokens)) *
        layout.blockBytes();
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
