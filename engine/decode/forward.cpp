#include "engine/decode/forward.h"

namespace lanescope {

Result<void> forward(const Model& model, Backend& backend, const BlockPool& pool,
                     const ForwardPass& pass, const trace::Cursor& cursor,
                     const CancelToken& cancel) {
    using trace::Op;
    Workspace& w = backend.workspace();
    const auto nLayers = static_cast<int>(model.layers().size());
    auto nTokens = static_cast<std::int64_t>(pass.tokens.size());
    const auto nWanted = static_cast<std::int64_t>(pass.wanted.size());

    backend.begin({pass.tokens, pass.firstPosition}, cursor);
    backend.embed(model.embedding());
    const float* pending = nullptr;  // a sub-layer's result on its way into the residual stream
    for (int i = 0; i < nLayers; ++i) {
        if (cancel.requested()) return cancelled();
        const LayerWeights& layer = model.layers()[static_cast<std::size_t>(i)];
        const kernels::PagedKv kv = pool.view(i, *pass.table);

        backend.norm(
            {i, nTokens, pending, layer.attnNorm, &w.normed, {&layer.q, &layer.k, &layer.v}});
        backend.linear(Op::Qkv, i, nTokens, w.normed,
                       {{&layer.q, w.q}, {&layer.k, w.k}, {&layer.v, w.v}});
        backend.ropeAndStore(i, kv);
        if (i + 1 == nLayers && nWanted == 0) return {};  // the cache is all that was asked for
        backend.attention(i, kv, {&layer.o});
        if (i + 1 == nLayers && nWanted < nTokens) {
            backend.keepRows(pass.wanted, {&layer.o});
            nTokens = nWanted;
        }
        backend.linear(Op::OutProj, i, nTokens, w.attended, {{&layer.o, w.delta}});

        backend.norm({i, nTokens, w.delta, layer.ffnNorm, &w.normed, {&layer.gate, &layer.up}});
        backend.linear(Op::GateUp, i, nTokens, w.normed,
                       {{&layer.gate, w.gate}, {&layer.up, w.up}});
        backend.activate(i, nTokens, {&layer.down});
        backend.linear(Op::Down, i, nTokens, w.hidden, {{&layer.down, w.delta}});
        pending = w.delta;
    }
    backend.norm({-1, nTokens, pending, model.finalNorm(), &w.normed, {&model.head()}});
    backend.head(model.head(), nTokens, pass.logits);
    return {};
}

}  // namespace lanescope
