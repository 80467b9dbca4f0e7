// MiniCPM (arXiv 2404.06395): Llama with three scales taken from small proxy models: embedding rows
// by scale_emb, what a sub-layer adds by scale_depth / sqrt(layers), logits by dim_model_base /
// width.

#include <cmath>

#include "engine/model/spec_builders.h"
#include "engine/model/spec_keys.h"

namespace lanescope {

namespace {

float perLayer(double depthScale, const ModelSpec& spec) {
    return static_cast<float>(depthScale / std::sqrt(static_cast<double>(spec.nLayers)));
}

}  // namespace

Result<ModelSpec> minicpmFromConfig(const Checkpoint& checkpoint) {
    ConfigDialect dialect;
    dialect.defaultTied = true;
    auto spec = decoderFromConfig(checkpoint, "minicpm", dialect);
    if (!spec) return spec;
    SpecKeys keys = SpecKeys::config(checkpoint);
    if (keys.flag("attention_bias", false)) spec->qkvBias = spec->outBias = BiasRule::Always;
    spec->embeddingScale = static_cast<float>(keys.positive("scale_emb", 1.0));
    spec->residualScale = perLayer(keys.positive("scale_depth", 1.0), *spec);
    spec->logitScale =
        static_cast<float>(keys.positive("dim_model_base", 1.0) / static_cast<double>(spec->dim));
    if (keys.error()) return *keys.error();
    return spec;
}

Result<ModelSpec> minicpmFromGguf(const Checkpoint& checkpoint) {
    auto spec = decoderFromGguf(checkpoint, "minicpm");
    if (!spec) return spec;
    spec->ropeLayout = kernels::RopeLayout::Interleaved;  // rows of q and k are permuted
    SpecKeys keys = SpecKeys::gguf(checkpoint, "minicpm");
    // Files of early 2024 lack these keys: they are the 2B model, whose figures these are.
    spec->embeddingScale = static_cast<float>(keys.positive("embedding_scale", 12.0));
    spec->residualScale = static_cast<float>(keys.positive("residual_scale", perLayer(1.4, *spec)));
    spec->logitScale = static_cast<float>(
        1.0 / keys.positive("logit_scale", static_cast<double>(spec->dim) / 256.0));
    if (keys.error()) return *keys.error();
    return spec;
}

}  // namespace lanescope
