#pragma once
// The operations a forward pass is made of, as a device offers them. The pass (decode/forward.cpp)
// names the operations and their order; a backend decides how to split and fuse them. Pointers in a
// Workspace belong to the backend's device: only the backend reads or writes through them. Logits
// are host memory. Not thread-safe: one engine thread owns a backend. Read next: cpu_backend.h.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include "engine/base/result.h"
#include "engine/model/model.h"
#include "engine/trace/sink.h"
#include "kernels/ops/dispatch.h"

namespace lanescope {

/// How a backend computes; fixed for its life.
struct BackendSettings {
    int threads = 1;
    std::int64_t maxTokens = 256;    ///< rows of a forward pass at most
    std::int64_t maxContext = 4096;  ///< positions at most
    kernels::AttentionKind attention = kernels::AttentionKind::Flash;
    bool exact = false;  ///< no int8 activations
};

/// What matrices read: fp32 rows always, their int8 form where a block format wants it.
struct Activations {
    float* x = nullptr;  ///< [maxTokens, nCols] f32
    kernels::ActsQ8 q8;
    std::int64_t nCols = 0;
    bool quantised = false;  ///< q8 holds the present x
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
    float* gate = nullptr;   ///< [maxTokens, ffnDim]
    float* up = nullptr;     ///< [maxTokens, ffnDim]
    Activations hidden;      ///< [maxTokens, ffnDim]
};

/// The tokens of a pass: consecutive positions of one sequence.
struct PassTokens {
    std::span<const TokenId> ids;  ///< inside the embedding
    std::int32_t firstPosition = 0;
};

/// The matrices that will read a result: they decide whether its int8 form is made.
using Readers = std::initializer_list<const Weight*>;

/// out = norm(x += add) · weight for the first nTokens rows.
struct NormOp {
    int layer = -1;
    std::int64_t nTokens = 0;
    const float* add = nullptr;  ///< [nTokens, dim], or null: nothing is added
    const float* weight = nullptr;
    Activations* out = nullptr;
    Readers readers;
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

    /// Starts a pass: its tokens and the labels its spans get. ids must live until the pass ends.
    virtual void begin(const PassTokens& tokens, const trace::Cursor& cursor) = 0;
    /// workspace().x = rows of the table.
    virtual void embed(const Weight& table) = 0;
    /// Residual add, norm and quantisation over workspace().x.
    virtual void norm(const NormOp& op) = 0;
    /// Several matrices that read the same rows.
    virtual void linear(trace::Op op, int layer, std::int64_t nTokens, const Activations& in,
                        std::initializer_list<Product> products) = 0;
    /// Rotates q and k of all tokens and stores k and v in the cache.
    virtual void ropeAndStore(int layer, const kernels::PagedKv& kv) = 0;
    /// workspace().attended = attention of workspace().q over the cache.
    virtual void attention(int layer, const kernels::PagedKv& kv, Readers readers) = 0;
    /// workspace().hidden = silu(gate) · up.
    virtual void activate(int layer, std::int64_t nTokens, Readers readers) = 0;
    /// Keeps only the given rows (ascending) of x and attended, moved to the front.
    virtual void keepRows(std::span<const std::int32_t> rows, Readers readers) = 0;
    /// logits[nTokens, head.nRows] = normed · headᵀ, in host memory.
    virtual void head(const Weight& head, std::int64_t nTokens, float* logits) = 0;
};

}  // namespace lanescope
