#include "engine/decode/forward.h"

#include "engine/base/mapping_guard.h"

namespace lanescope {

namespace {

using trace::Op;

/// Whether there is a next step; a pass that only fills the cache ends inside the last layer.
enum class Next : std::uint8_t { GoOn, Done };

/// Ends the backend's pass, however it is left.
class PassEnd {
  public:
    explicit PassEnd(Backend& backend) : m_backend(backend) {}
    PassEnd(const PassEnd&) = delete;
    PassEnd& operator=(const PassEnd&) = delete;
    ~PassEnd() { m_backend.end(); }

  private:
    Backend& m_backend;
};

/// A pass on its way through the layers.
class Walk {
  public:
    Walk(const Model& model, Backend& backend, const BlockPool& pool, const ForwardPass& pass)
        : m_model(model),
          m_spec(model.spec()),
          m_backend(backend),
          m_pool(pool),
          m_pass(pass),
          m_w(backend.workspace()),
          m_nTokens(static_cast<std::int64_t>(pass.tokens.size())) {}

    void embed();
    Next layer(int i);
    void head();

  private:
    Next sequential(int i, const LayerWeights& layer);
    Next parallel(int i, const LayerWeights& layer);
    /// From the normed rows to what attention adds, in delta. In the last layer only the wanted
    /// rows go on.
    Next attention(int i, const LayerWeights& layer);
    /// From the normed rows to what the MLP adds, in delta.
    void mlp(int i, const LayerWeights& layer);
    [[nodiscard]] Addend delta(const NormWeights& postNorm) const {
        return {m_w.delta, postNorm.present() ? &postNorm : nullptr, m_spec.residualScale};
    }

    const Model& m_model;
    const ModelSpec& m_spec;
    Backend& m_backend;
    const BlockPool& m_pool;
    const ForwardPass& m_pass;
    Workspace& m_w;
    std::int64_t m_nTokens;
    Addend m_pending;  ///< a sub-layer's result on its way into the residual stream
};

void Walk::embed() {
    m_backend.embed(m_model.embedding());
    if (!m_model.positions().present()) return;
    m_backend.embedPositions(m_model.positions());
    m_pending = {m_w.delta, nullptr, 1.0F};
}

Next Walk::layer(int i) {
    const LayerWeights& layer = m_model.layers()[static_cast<std::size_t>(i)];
    return m_spec.block == BlockKind::Parallel ? parallel(i, layer) : sequential(i, layer);
}

Next Walk::sequential(int i, const LayerWeights& layer) {
    m_backend.norm({i,
                    m_nTokens,
                    m_pending,
                    &layer.attnNorm,
                    &m_w.normed,
                    {&layer.q, &layer.k, &layer.v},
                    layer.attnNorm.uneven});
    if (attention(i, layer) == Next::Done) return Next::Done;
    m_backend.norm({i,
                    m_nTokens,
                    delta(layer.attnPostNorm),
                    &layer.ffnNorm,
                    &m_w.normed,
                    {&layer.gate, &layer.up},
                    false});  // most of the arithmetic
    mlp(i, layer);
    m_pending = delta(layer.ffnPostNorm);
    return Next::GoOn;
}

Next Walk::parallel(int i, const LayerWeights& layer) {
    m_backend.norm({i,
                    m_nTokens,
                    m_pending,
                    &layer.attnNorm,
                    &m_w.normed,
                    {&layer.q, &layer.k, &layer.v, &layer.gate, &layer.up},
                    false});
    if (attention(i, layer) == Next::Done) return Next::Done;
    m_backend.addResidual(i, m_nTokens, delta(layer.attnPostNorm));
    mlp(i, layer);
    m_pending = delta(layer.ffnPostNorm);
    return Next::GoOn;
}

Next Walk::attention(int i, const LayerWeights& layer) {
    const bool last = i + 1 == static_cast<int>(m_model.layers().size());
    const auto nWanted = static_cast<std::int64_t>(m_pass.wanted.size());
    for (std::size_t s = 0; s < m_pass.tables.size(); ++s)
        m_pass.views[s] = m_pool.view(i, *m_pass.tables[s]);
    const std::span<const kernels::PagedKv> kv = m_pass.views;
    m_backend.linear(Op::Qkv, i, m_nTokens, m_w.normed,
                     {{&layer.q, m_w.q}, {&layer.k, m_w.k}, {&layer.v, m_w.v}});
    m_backend.ropeAndStore(i, layer, kv);
    if (last && nWanted == 0) return Next::Done;  // the cache is all that was asked for
    m_backend.attention(i, kv, {&layer.o});
    if (last && nWanted < m_nTokens) {
        m_backend.keepResidual(m_pass.wanted);
        m_backend.keepRows(m_pass.wanted, m_w.attended, {&layer.o});
        if (m_spec.block == BlockKind::Parallel)  // the MLP has yet to read them
            m_backend.keepRows(m_pass.wanted, m_w.normed, {&layer.gate, &layer.up});
        m_nTokens = nWanted;
    }
    m_backend.linear(Op::OutProj, i, m_nTokens, m_w.attended, {{&layer.o, m_w.delta}});
    return Next::GoOn;
}

void Walk::mlp(int i, const LayerWeights& layer) {
    if (m_spec.mlp == MlpKind::Gated)
        m_backend.linear(Op::GateUp, i, m_nTokens, m_w.normed,
                         {{&layer.gate, m_w.gate}, {&layer.up, m_w.up}});
    else
        m_backend.linear(Op::GateUp, i, m_nTokens, m_w.normed, {{&layer.up, m_w.up}});
    m_backend.activate(i, m_nTokens, {&layer.down});
    m_backend.linear(Op::Down, i, m_nTokens, m_w.hidden, {{&layer.down, m_w.delta}});
}

void Walk::head() {
    const NormWeights& norm = m_model.finalNorm();
    m_backend.norm({-1, m_nTokens, m_pending, &norm, &m_w.normed, {&m_model.head()}, norm.uneven});
    m_backend.head(m_model.head(), m_nTokens, m_pass.logits);
}

}  // namespace

Result<void> forward(const Model& model, Backend& backend, const BlockPool& pool,
                     const ForwardPass& pass, const trace::Cursor& cursor,
                     const CancelToken& cancel) {
    const std::size_t n = pass.tokens.size();
    const bool decodeStep = n == pass.segments.size() && n == pass.wanted.size();
    for (bool again = true; again;) {
        backend.begin({pass.tokens, pass.segments, decodeStep, pass.sample}, cursor);
        const PassEnd end(backend);
        Walk walk(model, backend, pool, pass);
        walk.embed();
        for (int i = 0; i < static_cast<int>(model.layers().size()); ++i) {
            if (cancel.requested()) return cancelled();
            if (walk.layer(i) == Next::Done) return backend.status();
        }
        walk.head();
        again = backend.again();
        if (again) continue;
        if (auto computed = backend.status(); !computed) return computed;
    }
    if (mappingWasLost()) return model.checkpoint().checkUnchanged();
    return {};
}

}  // namespace lanescope
