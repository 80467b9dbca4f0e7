#include "app/cli/bench_cost.h"

#include <algorithm>

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

/// FLOPs of scores and weighted values for one token that sees `context` positions.
double attentionFlops(const ModelSpec& spec, double context) {
    return 4.0 * static_cast<double>(spec.nLayers * spec.nHeads * spec.headDim) * context;
}

}  // namespace

Work prefillWork(const Model& model, std::int64_t nTokens, std::int64_t chunk,
                 std::uint64_t kvBytesPerToken) {
    const Matrices layers = layerMatrices(model);
    Matrices head;
    head.add(model.head());
    const auto n = static_cast<double>(nTokens);
    const auto kv = static_cast<double>(kvBytesPerToken);
    Work work;
    work.flops = 2.0 * (layers.elements * n + head.elements) +
                 attentionFlops(model.spec(), n * (n + 1.0) / 2.0);
    work.bytes = head.bytes;
    for (std::int64_t done = 0; done < nTokens; done += chunk) {
        const std::int64_t end = std::min(nTokens, done + chunk);
        work.bytes +=
            layers.bytes + kv * static_cast<double>(end) + kv * static_cast<double>(end - done);
    }
    return work;
}

Work decodeWork(const Model& model, std::int64_t nTokens, std::int64_t depth,
                std::int64_t nSequences, std::uint64_t kvBytesPerToken) {
    Matrices all = layerMatrices(model);
    all.add(model.head());
    const auto n = static_cast<double>(nTokens);
    // Step i sees depth + i + 1 positions.
    const double positions = n * static_cast<double>(depth) + n * (n + 1.0) / 2.0;
    const auto kv = static_cast<double>(kvBytesPerToken);
    Work work;
    const auto sequences = static_cast<double>(nSequences);
    work.flops = sequences * (2.0 * all.elements * n + attentionFlops(model.spec(), positions));
    work.bytes = all.bytes * n + sequences * kv * (positions + n);
    return work;
}

}  // namespace lanescope::cli
