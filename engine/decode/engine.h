#pragma once
// One lane's engine: a model, its compute settings, its KV cache and scratch, ready to run requests
// one at a time. lane/ builds one per lane; the CLI builds one for `generate`. Not thread-safe: one
// engine thread owns it.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/attention_pattern.h"
#include "engine/backend/gpu_options.h"
#include "engine/base/cancel.h"
#include "engine/base/processors.h"
#include "engine/decode/sampler.h"
#include "engine/model/model.h"
#include "engine/trace/sink.h"
#include "kernels/ops/dispatch.h"

namespace lanescope {

class GpuSource;
struct EngineParts;

/// Where a lane computes.
enum class BackendKind : std::uint8_t { Cpu, Cuda };

enum class ActsFormat : std::uint8_t { Int8, Int8x2, Bf16 };

/// How a lane computes. Everything here is a lane option.
struct EngineSettings {
    BackendKind backend = BackendKind::Cpu;
    int device = 0;   ///< Cuda: as the driver counts
    int threads = 0;  ///< 0 = usableCpuCount()
    kernels::KvFormat kvKeys = kernels::KvFormat::F16;
    kernels::KvFormat kvValues = kernels::KvFormat::F16;
    /// Keys, values and queries are turned by a Hadamard matrix first, which spreads what is large
    /// in a few channels over all of them (arXiv 2404.00456).
    bool kvRotate = false;
    std::int64_t kvBlockTokens = 16;  ///< 8 … 64
    std::int64_t contextTokens = 0;   ///< KV capacity; 0 = min(trained context, 4096)
    kernels::AttentionKind attention = kernels::AttentionKind::Flash;
    AttentionPattern pattern;
    bool exact = false;  ///< fp32 activations and KV, no activation quantisation
    /// Activations that meet block-quantised weights: int8, or int8 with a second term (15 bits).
    /// Bf16: both operands of every matrix product are rounded to bf16.
    ActsFormat acts = ActsFormat::Int8;
    bool pack =
        true;  ///< weights in the layout int8 products read fastest; never when exact or bf16
    std::int64_t prefillChunk = 256;  ///< tokens a forward pass at most
    Affinity affinity = Affinity::None;
    Products products = Products::Own;   ///< Cuda only; never CublasLt when exact
    SampleOn sampleOn = SampleOn::Host;  ///< Device: Cuda only, and where whyOnHost() is empty
    std::int64_t maxSequences = 1;       ///< at once
    /// Of the KV cache, for all sequences together; 0: contextTokens for each of them.
    std::int64_t poolBlocks = 0;

    /// Whether block-quantised weights meet int8 activations.
    [[nodiscard]] bool int8() const { return !exact && acts != ActsFormat::Bf16; }
};

/// Closed-form need of a lane before anything is allocated.
struct MemoryEstimate {
    std::uint64_t weightBytes = 0;  ///< mapped or packed
    std::uint64_t kvBytes = 0;
    std::uint64_t scratchBytes = 0;
    [[nodiscard]] std::uint64_t total() const { return weightBytes + kvBytes + scratchBytes; }
};
MemoryEstimate estimateMemory(const ModelSpec& spec, const WeightBytes& weights,
                              const EngineSettings& settings);

/// Settings as they will really be, and why they differ from what was asked.
struct EffectiveSettings {
    EngineSettings settings;
    std::string isa;                 ///< "avx2" …
    std::vector<std::string> notes;  ///< "kv fp32 instead of fp16: exact path"
};

struct GenerateRequest {
    std::vector<TokenId> prompt;  ///< at least one id, all inside the vocabulary
    std::int32_t maxTokens = 128;
    SamplingSettings sampling;
    std::vector<std::string> stop;  ///< stop strings; the text ends before the first of them
    bool ignoreEos = false;
    int topCandidates = 0;  ///< alternatives kept per token
};

struct GenerateResult {
    std::vector<TokenId> tokens;  ///< the end-of-generation token is not among them
    std::string text;
    trace::FinishReason finish = trace::FinishReason::None;
    std::int64_t tStartNs = 0, tPrefillEndNs = 0, tEndNs = 0;
    std::vector<std::int64_t> tokenNs;  ///< emission time of each token
    std::uint64_t kvBytes = 0;          ///< held by the sequence at its end
    std::int64_t kvBlocks = 0;
    PairsSeen attended;  ///< by all layers and heads of keys and values
    double prefillMs() const { return static_cast<double>(tPrefillEndNs - tStartNs) / 1e6; }
};

/// A text read piece by piece, with the logits of every position. The engine must outlive it; no
/// other request may run meanwhile.
class LogitStream {
  public:
    virtual ~LogitStream() = default;
    /// Tokens that continue the text, at most maxTokens() of them: logits after each, [n, vocab]
    /// f32, valid until the next call. Errors: Usage when the context ends; Cancelled.
    virtual Result<std::span<const float>> feed(std::span<const TokenId> tokens,
                                                const CancelToken& cancel) = 0;
    [[nodiscard]] virtual std::int64_t maxTokens() const = 0;
};

class Engine {
  public:
    /// Estimates first; OutOfMemory with both numbers when it cannot fit in what the machine has
    /// free.
    /// Cuda: NoDevice where the device cannot be used, Unsupported where it has no kernels for the
    /// model. gpus: where devices come from, null: the CUDA plugin.
    static Result<std::unique_ptr<Engine>> create(std::shared_ptr<const Model> model,
                                                  const EngineSettings& settings,
                                                  GpuSource* gpus = nullptr);
    virtual ~Engine() = default;

    [[nodiscard]] virtual const Model& model() const = 0;
    [[nodiscard]] virtual const EffectiveSettings& effective() const = 0;
    [[nodiscard]] virtual MemoryEstimate estimate() const = 0;
    [[nodiscard]] virtual MemoryEstimate measured() const = 0;  ///< bytes really allocated
    [[nodiscard]] virtual std::uint64_t kvBytesPerToken() const = 0;

    /// Runs one request from an empty cache. The sink gets spans, KV events and one token() a
    /// token, labelled with cursor's lane and request. Cancel is honoured within a layer of prefill
    /// or a token. A cancelled or failed request returns what it has so far with finish =
    /// Cancelled; other failures are Errors. All blocks are free again afterwards.
    virtual Result<GenerateResult> generate(const GenerateRequest& request, trace::Cursor cursor,
                                            const CancelToken& cancel) = 0;

    /// A new text of nTokens tokens in all.
    virtual std::unique_ptr<LogitStream> logitStream(std::int64_t nTokens) = 0;
    /// Logits of every position: [nTokens, vocab] f32.
    virtual Result<std::vector<float>> logits(std::span<const TokenId> tokens,
                                              const CancelToken& cancel) = 0;

    /// Benchmark primitives: a prefill of nTokens from empty, or nTokens decode steps after `depth`
    /// tokens of context (arbitrary fixed token ids, no sampling, as llama-bench does). Return
    /// elapsed ns of the timed part.
    virtual Result<std::int64_t> timePrefill(std::int64_t nTokens, const CancelToken& cancel) = 0;
    virtual Result<std::int64_t> timeDecode(std::int64_t nTokens, std::int64_t depth,
                                            const CancelToken& cancel) = 0;
    /// nTokens decode steps of nSequences sequences together, each after `depth` tokens of context.
    virtual Result<std::int64_t> timeBatch(std::int64_t nSequences, std::int64_t nTokens,
                                           std::int64_t depth, const CancelToken& cancel) = 0;
    /// Where the spans of the timed parts go from now on, with the cursor's labels; a cursor
    /// without a sink (the state at first): nowhere. The sink must outlive the benchmarks.
    virtual void traceBenchmarks(const trace::Cursor& cursor) = 0;

    /// For other ways of decoding, while the engine itself does nothing (engine_parts.h).
    virtual EngineParts& parts() = 0;
};

}  // namespace lanescope
