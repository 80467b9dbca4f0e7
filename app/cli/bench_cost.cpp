#include "app/cli/bench_cost.h"

#include <algorithm>

#include "engine/model/keys_seen.h"

namespace lanescope::cli {

namespace {

struct Matrices {
    double bytes = 0.0;
    double elements = 0.0;
    void add(const Weight& w) {
        if (!w.present()) return;
        bytes += static_cast<double>(w.sizeBytes);
        elements += static_cast<double>(w.nRows) * static_cast<double>(w.nCols);
    }
};

Matrices layerMatrices(const Model& model) {
    Matrices m;
    for (const LayerWeights& layer : model.layers()) {
        for (const Weight* w :
             {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down}) {
            m.add(*w);
        }
    }
    return m;
}

/// Over all layers, windows respected: keys that n tokens from position `first` on see together,
/// and query-key pairs.
KeysSeen allKeysSeen(const ModelSpec& spec, std::int64_t first, std::int64_t n) {
    KeysSeen all;
    for (int layer = 0; layer < spec.nLayers; ++layer) {
        const KeysSeen seen = keysSeen(first, n, spec.window(layer));
        all.keys += seen.keys;
        all.pairs += seen.pairs;
    }
    return all;
}

/// FLOPs of scores and weighted values.
double attentionFlops(const ModelSpec& spec, std::int64_t pairs) {
    return 4.0 * static_cast<double>(spec.nHeads * spec.headDim) * static_cast<double>(pairs);
}

}  // namespace

Work prefillWork(const Model& model, std::int64_t nTokens, std::int64_t chunk,
                 std::uint64_t kvBytesPerToken) {
    const Matrices layers = layerMatrices(model);
    Matrices head;
    head.add(model.head());
    const ModelSpec& spec = model.spec();
    const auto n = static_cast<double>(nTokens);
    const auto kv = static_cast<double>(kvBytesPerToken);
    Work work;
    work.flops = 2.0 * (layers.elements * n + head.elements) +
                 attentionFlops(spec, allKeysSeen(spec, 0, nTokens).pairs);
    work.bytes = head.bytes + kv * n;
    for (std::int64_t done = 0; done < nTokens; done += chunk) {
        const std::int64_t count = std::min(chunk, nTokens - done);
        const auto read = static_cast<double>(allKeysSeen(spec, done, count).keys);
        work.bytes += layers.bytes + kv / static_cast<double>(spec.nLayers) * read;
    }
    return work;
}

Work decodeWork(const Model& model, std::int64_t nTokens, std::int64_t depth,
                std::int64_t nSequences, std::uint64_t kvBytesPerToken) {
    Matrices all = layerMatrices(model);
    all.add(model.head());
    const ModelSpec& spec = model.spec();
    const auto n = static_cast<double>(nTokens);
    // Every step reads the keys that its one token sees: pairs of a call with all of them.
    const std::int64_t pairs = allKeysSeen(spec, depth, nTokens).pairs;
    const auto kv = static_cast<double>(kvBytesPerToken);
    const double read = kv / static_cast<double>(spec.nLayers) * static_cast<double>(pairs);
    Work work;
    const auto sequences = static_cast<double>(nSequences);
    work.flops = sequences * (2.0 * all.elements * n + attentionFlops(spec, pairs));
    work.bytes = all.bytes * n + sequences * (read + kv * n);
    return work;
}

}  // namespace lanescope::cli
