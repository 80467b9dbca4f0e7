// `kv-memory`: the KV cache of a model, or of any shape, in closed form.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "engine/base/format.h"
#include "engine/cache/kv_memory.h"
#include "engine/decode/settings.h"
#include "engine/lane/run.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;

/// The shape asked for: a model's, or one in numbers.
Result<KvLayout> layoutOf(const KvMemoryArgs& args) {
    KvLayout layout;
    layout.nLayers = args.layers;
    layout.nKvHeads = args.kvHeads;
    layout.headDim = args.headDim;
    if (!args.model.empty()) {
        ModelStore models;
        auto model = models.get(args.model);
        if (!model) return model.error();
        layout.nLayers = (*model)->spec().nLayers;
        layout.nKvHeads = (*model)->spec().nKvHeads;
        layout.headDim = (*model)->spec().headDim;
    } else if (args.layers == 0 || args.kvHeads == 0 || args.headDim == 0) {
        return usageError("give a MODEL, or --layers, --kv-heads and --head-dim");
    }
    layout.blockTokens = args.blockTokens;
    layout.keys = *kvFormat(args.format);
    layout.values = args.valueFormat.empty() ? layout.keys : *kvFormat(args.valueFormat);
    for (const kernels::KvFormat format : {layout.keys, layout.values})
        if (!kernels::canStore(format, layout.headDim))
            return usageError("heads of " + std::to_string(layout.headDim) +
                              " columns cannot be stored as " +
                              std::string(kernels::kvFormatName(format)));
    return layout;
}

}  // namespace

Result<int> runKvMemory(const KvMemoryArgs& args) {
    const auto layout = layoutOf(args);
    if (!layout) return layout.error();
    const EngineSettings defaults;
    const KvMemory m =
        kvMemory(*layout, args.context, args.batch, std::max(defaults.prefillChunk, args.batch));
    ordered_json json{{"layers", layout->nLayers},
                      {"kvHeads", layout->nKvHeads},
                      {"headDim", layout->headDim},
                      {"context", args.context},
                      {"batch", args.batch},
                      {"keys", kernels::kvFormatName(layout->keys)},
                      {"values", kernels::kvFormatName(layout->values)},
                      {"blockTokens", layout->blockTokens},
                      {"bytesPerTokenPerLayer", m.bytesPerTokenPerLayer},
                      {"bytesPerToken", m.bytesPerToken},
                      {"blocksPerSequence", m.blocksPerSequence},
                      {"bytesPerSequence", m.bytesPerSequence},
                      {"tailBytes", m.tailBytes},
                      {"total", m.total},
                      {"formula", m.formula}};
    const auto bytes = [](double n) {
        return formatBytes(static_cast<std::uint64_t>(std::llround(n)));
    };
    std::string text = m.formula + "\n";
    text += "per token per layer  " + bytes(m.bytesPerTokenPerLayer) + "\n";
    text += "per token            " + bytes(m.bytesPerToken) + "\n";
    text += "per sequence         " + formatBytes(m.bytesPerSequence) + " (" +
            std::to_string(args.context) + " tokens in " + std::to_string(m.blocksPerSequence) +
            " blocks of " + std::to_string(layout->blockTokens) + ")\n";
    if (m.tailBytes > 0) text += "keys of open blocks  " + formatBytes(m.tailBytes) + "\n";
    text += "total                " + formatBytes(m.total) + " (" + std::to_string(args.batch) +
            (args.batch == 1 ? " sequence)\n" : " sequences)\n");
    auto printed = args.output == OutputKind::Json ? printJson(json) : print(text);
    if (!printed) return printed.error();
    return 0;
}

}  // namespace lanescope::cli
