#pragma once
// The operations a forward pass is made of, as a device offers them. The pass (decode/forward.cpp)
// names the operations and their order; a backend decides how to split and fuse them. Pointers in a
// Workspace belong to the backend's device: only the backend reads or writes through them. Logits
// are host memory. Not thread-safe: one engine thread owns a backend. Read next: cpu_backend.h.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include "engine/backend/attention_pattern.h"
#include "engine/backend/gpu_options.h"
#include "engine/backend/heavy_hitters.h"
#include "engine/backend/sample_job.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/model/model.h"
#include "engine/model/packed_weights.h"
#include "engine/trace/sink.h"
#include "kernels/ops/dispatch.h"

namespace lanescope {

/// How a backend computes; fixed for its life.
struct BackendSettings {
    int threads = 1;
    std::int64_t maxTokens = 256;    ///< rows of a forward pass at most
    std::int64_t maxSequences = 1;   ///< segments of a forward pass at most
    std::int64_t maxContext = 4096;  ///< positions at most
    kernels::AttentionKind attention = kernels::AttentionKind::Flash;
    AttentionPattern pattern;
    std::int64_t kvBlockTokens = 16;
    bool kvTails = false;                ///< keys are coded a block at a time (PagedKv::tail)
    bool kvRotate = false;               ///< keys and values are turned before they are stored
    bool exact = false;                  ///< no int8 activations
    bool twoTerms = false;               ///< int8 activations with a second term
    bool bf16 = false;                   ///< products of bf16 activations and weights instead
    Products products = Products::Own;   ///< on a GPU
    SampleOn sampleOn = SampleOn::Host;  ///< Device: passes may have jobs, on a GPU
    Affinity affinity = Affinity::None;
    std::shared_ptr<const PackedWeights> packed;  ///< null: weights are read as they are stored
};

/// What matrices read: fp32 rows always, their int8 form where a block format wants it. With bf16
/// activations the rows are bf16 values, which xb holds too.
struct Activations {
    float* x = nullptr;  ///< [maxTokens, nCols] f32
    kernels::ActsQ8 q8;
    kernels::ActsQ8 rest;         ///< room for q8's second term; q null: there is none
    std::uint16_t* xb = nullptr;  ///< [maxTokens, nCols] bf16; null: there is none
    std::int64_t nCols = 0;
    bool quantised = false;  ///< q8 or xb holds the present x
    bool twoTerms = false;   ///< … and rest what q8 leaves of it
    [[nodiscard]] kernels::ActsQ8 secondTerm() const { return twoTerms ? rest : kernels::ActsQ8{}; }
};

/// The activations of one forward pass, named as the pass uses them.
struct Workspace {
    float* x = nullptr;      ///< [maxTokens, dim]: the residual stream
    float* delta = nullptr;  ///< [maxTokens, dim]: what a sub-layer adds to it
    Activations normed;      ///< [maxTokens, dim]
    float* q = nullptr;      ///< [maxTokens, nHeads * headDim]
    float* k = nullptr;      ///< [maxTokens, nKvHeads * headDim]
    float* v = nullptr;      ///< [maxTokens, nKvHeads * headDim]
    Activations attended;    ///< [maxTokens, nHeads * headDim]
    float* gate = nullptr;   ///< [maxTokens, ffnDim], gated MLPs only
    float* up = nullptr;     ///< [maxTokens, ffnDim]
    Activations hidden;      ///< [maxTokens, ffnDim]
};

/// A stretch of a pass's tokens: consecutive positions of one sequence.
struct Segment {
    std::int64_t nTokens = 0;
    std::int32_t firstPosition = 0;
    /// Positions of the whole call this stretch is a chunk of, for frequencies that follow the
    /// length (ModelSpec::dynamicNtk); 0: up to the stretch's own end.
    std::int64_t callLength = 0;
    /// Queries before this position see all keys where the lane picks blocks
    /// (AttentionPattern::Pages: the prompt is read in full).
    std::int64_t firstPicking = 0;
    /// The sequence's, where the lane evicts by weight: attention adds to it.
    HeavyHitters* heavy = nullptr;
};

/// The tokens of a pass: one or more sequences, segment behind segment. Both must live until the
/// pass ends.
struct PassTokens {
    std::span<const TokenId> ids;       ///< inside the embedding
    std::span<const Segment> segments;  ///< at most maxSequences; their tokens are all of ids
    /// One token a sequence, the logits of each wanted: a step of decoding, which looks the same
    /// every time but for its numbers.
    bool decodeStep = false;
    SampleJob* sample = nullptr;  ///< null: logits are copied to the host (SampleOn::Device only)
};

/// The matrices that will read a result: they decide whether its int8 form is made.
using Readers = std::initializer_list<const Weight*>;

/// What is added to the residual stream: x += scale · norm(rows). Rows null: nothing.
struct Addend {
    float* rows = nullptr;              ///< [nTokens, dim]; overwritten where it is normed
    const NormWeights* norm = nullptr;  ///< null: the rows as they are
    float scale = 1.0F;
};

/// out = norm(x += add) for the first nTokens rows.
struct NormOp {
    int layer = -1;
    std::int64_t nTokens = 0;
    Addend add;
    const NormWeights* norm = nullptr;
    Activations* out = nullptr;
    Readers readers;
    bool fine = false;  ///< int8 activations get a second term whatever the settings say
};

/// One matrix of a linear operation: y = in · weightᵀ + bias.
struct Product {
    const Weight* weight = nullptr;
    float* y = nullptr;  ///< [nTokens, weight->nRows]
};

class Backend {
  public:
    virtual ~Backend() = default;

    [[nodiscard]] virtual std::string name() const = 0;              ///< "cpu (avx2, 2 threads)"
    [[nodiscard]] virtual std::string isa() const = 0;               ///< "avx2"
    [[nodiscard]] virtual std::uint64_t workspaceBytes() const = 0;  ///< really allocated
    virtual Workspace& workspace() = 0;

    /// Starts a pass: its tokens and the labels its spans get.
    virtual void begin(const PassTokens& tokens, const trace::Cursor& cursor) = 0;
    /// Since the backend was made.
    [[nodiscard]] virtual PairsSeen pairsSeen() const { return {}; }
    /// Ends it, on the same thread.
    virtual void end() = 0;
    /// workspace().x = embeddingScale · rows of the table.
    virtual void embed(const Weight& table) = 0;
    /// workspace().delta = rows of a table of positions.
    virtual void embedPositions(const Weight& table) = 0;
    /// Residual add, norm and quantisation over workspace().x.
    virtual void norm(const NormOp& op) = 0;
    /// The residual add alone.
    virtual void addResidual(int layer, std::int64_t nTokens, const Addend& add) = 0;
    /// Several matrices that read the same rows.
    virtual void linear(trace::Op op, int layer, std::int64_t nTokens, const Activations& in,
                        std::initializer_list<Product> products) = 0;
    /// Norms (where the layer has such norms) and rotates q and k of all tokens and stores k and v
    /// in the cache. kv: the layer's cache as each segment sees it.
    virtual void ropeAndStore(int layer, const LayerWeights& weights,
                              std::span<const kernels::PagedKv> kv) = 0;
    /// workspace().attended = attention of workspace().q over the cache, inside the layer's window.
    virtual void attention(int layer, std::span<const kernels::PagedKv> kv, Readers readers) = 0;
    /// workspace().hidden = act(gate) · up, or act(up) in plain MLPs.
    virtual void activate(int layer, std::int64_t nTokens, Readers readers) = 0;
    /// Keeps only the given rows (ascending) of workspace().x, moved to the front.
    virtual void keepResidual(std::span<const std::int32_t> rows) = 0;
    /// The same for an activation of the workspace.
    virtual void keepRows(std::span<const std::int32_t> rows, Activations& acts,
                          Readers readers) = 0;
    /// logits[nTokens, head.nRows] = normed · headᵀ, soft-capped, in host memory; where the pass
    /// has a job, that is done instead.
    virtual void head(const Weight& head, std::int64_t nTokens, float* logits) = 0;
    /// Asked after the head: true when nothing of the pass was done for a reason that will not come
    /// back, so that it is to be walked once more from begin() on.
    [[nodiscard]] virtual bool again() { return false; }
    /// fn(0) … fn(n - 1), each once, in as many threads as the backend has; between passes.
    virtual void parallel(std::int64_t n, const std::function<void(std::int64_t)>& fn) {
        for (std::int64_t i = 0; i < n; ++i) fn(i);
    }
    /// Whether all of the pass so far could be computed; asked once, at its end. Errors: NoDevice
    /// or OutOfMemory with what the device said.
    virtual Result<void> status() { return {}; }
};

}  // namespace lanescope
