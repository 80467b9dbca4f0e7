#pragma once
// The CPU backend: one thread pool, one table of kernels. Every operation is split into contiguous
// parts (rows of a matrix, tokens, attention items), so the bits never depend on the number of
// threads. Small work stays on the calling thread: a fork costs about a microsecond.

#include <algorithm>

#include "engine/backend/backend.h"
#include "engine/backend/cpu_workspace.h"
#include "engine/base/thread_pool.h"
#include "engine/model/keys_seen.h"

namespace lanescope {

class CpuBackend final : public Backend {
  public:
    /// Errors: OutOfMemory when the workspace cannot be reserved.
    static Result<std::unique_ptr<Backend>> create(const ModelSpec& spec,
                                                   const BackendSettings& settings);
    /// Bytes create() will allocate.
    static std::uint64_t requiredBytes(const ModelSpec& spec, const BackendSettings& settings);

    ~CpuBackend() override;

    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::string isa() const override;
    [[nodiscard]] std::uint64_t workspaceBytes() const override { return m_storageBytes; }
    Workspace& workspace() override { return m_workspace; }

    void begin(const PassTokens& tokens, const trace::Cursor& cursor) override;
    void end() override { m_pool.leave(); }
    [[nodiscard]] PairsSeen pairsSeen() const override { return m_pairs; }
    void parallel(std::int64_t n, const std::function<void(std::int64_t)>& fn) override {
        m_pool.split(n, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) fn(i);
        });
    }
    void embed(const Weight& table) override;
    void embedPositions(const Weight& table) override;
    void norm(const NormOp& op) override;
    void addResidual(int layer, std::int64_t nTokens, const Addend& add) override;
    void linear(trace::Op op, int layer, std::int64_t nTokens, const Activations& in,
                std::initializer_list<Product> products) override;
    void ropeAndStore(int layer, const LayerWeights& weights,
                      std::span<const kernels::PagedKv> kv) override;
    void attention(int layer, std::span<const kernels::PagedKv> kv, Readers readers) override;
    void activate(int layer, std::int64_t nTokens, Readers readers) override;
    void keepResidual(std::span<const std::int32_t> rows) override;
    void keepRows(std::span<const std::int32_t> rows, Activations& acts, Readers readers) override;
    void head(const Weight& head, std::int64_t nTokens, float* logits) override;

  private:
    CpuBackend(const ModelSpec& spec, const BackendSettings& settings, std::byte* storage,
               std::uint64_t storageBytes);
    /// Rows of an embedding into y, scaled.
    void gather(const Weight& table, const std::int32_t* ids, float* y, float scale);
    /// True when one of the readers wants int8 rows (never on the exact path).
    [[nodiscard]] bool wantsRounded(Readers readers) const;
    void quantise(const Activations& acts, std::int64_t tokenBegin, std::int64_t tokenEnd) const;
    /// `rows` of width `dim` normed, tokens [begin, end); in place allowed.
    void normRows(NormKind kind, const NormWeights& weights, const float* x, float* y,
                  std::int64_t dim, std::int64_t begin, std::int64_t end) const;
    /// The add of rows [begin, end), with the norm of what is added.
    void addRows(const Addend& add, std::int64_t begin, std::int64_t end) const;
    /// Norm (if any) and rotation of the heads in x, tokens [begin, end), which lie in one segment.
    void ropeRows(int layer, std::size_t segment, const NormWeights& norm, float* x,
                  std::int64_t nHeads, const std::int32_t* positions, std::int64_t begin,
                  std::int64_t end) const;
    /// Queries of tokens [begin, end) for the lane's sinks, out of those that are not turned yet.
    void sinkQueries(int layer, std::size_t segment, const NormWeights& norm, std::int64_t begin,
                     std::int64_t end) const;
    [[nodiscard]] bool hasSinks(int layer) const {
        return m_own.sinkQueries != nullptr && m_settings.pattern.appliesTo(m_spec, layer);
    }
    /// Fills the pass's bits of a fixed pattern.
    void markBlocks();
    /// Fills a layer's bits of a pattern that depends on its queries.
    void pickPages(int layer, std::span<const kernels::PagedKv> kv);
    /// Keys that the pass's tokens look at in a layer; counts them.
    KeysSeen countKeys(int layer);
    /// Whether a layer's weights are added up to evict by (heavy_hitters.h).
    [[nodiscard]] bool countsMass(int layer) const {
        return m_own.mass != nullptr && layer + 1 < static_cast<int>(m_spec.nLayers);
    }
    /// Lets tokens see the blocks that their sequences still have.
    void markHeld(std::span<const kernels::PagedKv> kv);
    [[nodiscard]] std::int64_t goneKeys(const Segment& segment) const;
    void addMass(int layer);
    /// Turns the heads in x of tokens [begin, end) by a Hadamard matrix, where the lane wants that.
    void turn(float* x, std::int64_t nHeads, std::int64_t begin, std::int64_t end) const;
    /// Codes the blocks that this pass has filled, where keys are coded a block at a time.
    void sealBlocks(std::span<const kernels::PagedKv> kv);
    /// The call for one segment, whose first token is the pass's `firstToken`; items are not set.
    [[nodiscard]] kernels::AttentionArgs attentionArgs(int layer, std::size_t segment,
                                                       std::int64_t firstToken,
                                                       const kernels::PagedKv& kv) const;
    /// Floats of the sums over one stretch of keys for an item of the segment.
    [[nodiscard]] std::int64_t partialRow(std::size_t segment) const;
    /// Whether threads share out the keys of an item: few items, many keys, room for the sums.
    [[nodiscard]] bool sharesKeys(int layer) const;
    /// What can be given to different threads: how many, and the keys of each.
    struct Units {
        std::int64_t count, weight;
    };
    /// fn(args, units) for the attention of every segment.
    template <class Fn>
    void eachAttention(int layer, std::span<const kernels::PagedKv> kv, bool shared, Fn&& fn) const;
    /// fn(segment, tokenBegin, tokenEnd) for every segment that meets tokens [begin, end).
    template <class Fn>
    void forSegments(std::int64_t begin, std::int64_t end, Fn&& fn) const {
        std::int64_t first = 0;
        for (std::size_t i = 0; i < m_tokens.segments.size() && first < end; ++i) {
            const std::int64_t last = first + m_tokens.segments[i].nTokens;
            if (last > begin) fn(i, std::max(begin, first), std::min(end, last));
            first = last;
        }
    }
    /// fn(tokenBegin, tokenEnd) over all tokens; one token stays on the calling thread.
    template <class Fn>
    void forTokens(std::int64_t nTokens, Fn&& fn) {
        if (nTokens == 1)
            fn(std::int64_t{0}, nTokens);
        else
            m_pool.split(nTokens, 1, fn);
    }

    ModelSpec m_spec;
    BackendSettings m_settings;
    const kernels::OpTable& m_ops;
    ThreadPool m_pool;
    std::byte* m_storage;
    std::uint64_t m_storageBytes;
    Workspace m_workspace;
    CpuWorkspace m_own;  ///< beside the activations
    PairsSeen m_pairs;
    std::vector<std::int64_t> m_goneKeys;  ///< [segments], where the lane evicts by weight
    PassTokens m_tokens;
    trace::Cursor m_cursor;
};

}  // namespace lanescope
