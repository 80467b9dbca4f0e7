// GPT-2 (Radford et al. 2019): learned positions, layer norms, a plain GELU MLP, biases everywhere,
// tied head. In a folder matrices are stored [in, out] (see tensor_names.h).

#include "engine/model/spec_builders.h"
#include "engine/model/spec_keys.h"

namespace lanescope {

namespace {

void setGpt2(ModelSpec& spec) {
    spec.mlp = MlpKind::Plain;
    spec.qkvBias = spec.outBias = spec.mlpBias = BiasRule::Always;
}

}  // namespace

ConfigDialect gpt2Dialect() {
    ConfigDialect dialect;
    dialect.layers = "n_layer";
    dialect.width = "n_embd";
    dialect.ffnWidth = "n_inner";
    dialect.heads = "n_head";
    dialect.context = "n_positions";
    dialect.norm = NormKind::Layer;
    dialect.normEps = "layer_norm_epsilon";
    dialect.activation = "activation_function";
    dialect.defaultNormEps = 1e-5;
    dialect.defaultActivation = "gelu_new";
    dialect.defaultFfnPerWidth = 4;
    return dialect;
}

Result<ModelSpec> gpt2FromConfig(const Checkpoint& checkpoint) {
    ConfigDialect dialect = gpt2Dialect();
    dialect.positions = PositionKind::Learned;
    dialect.defaultTied = true;
    auto spec = decoderFromConfig(checkpoint, "gpt2", dialect);
    if (!spec) return spec;
    setGpt2(*spec);
    SpecKeys keys = SpecKeys::config(checkpoint);
    for (const char* key : {"scale_attn_by_inverse_layer_idx", "reorder_and_upcast_attn"})
        if (keys.flag(key, false))
            keys.fail(
                unsupported("gpt2 with " + std::string(key) + " is not supported", keys.file()));
    if (!keys.flag("scale_attn_weights", true)) spec->queryScale = 1.0F;
    if (keys.error()) return *keys.error();
    return spec;
}

Result<ModelSpec> gpt2FromGguf(const Checkpoint& checkpoint) {
    auto spec = decoderFromGguf(checkpoint, "gpt2", NormKind::Layer, PositionKind::Learned);
    if (!spec) return spec;
    setGpt2(*spec);
    spec->activation = kernels::Activation::GeluTanh;
    return spec;
}

}  // namespace lanescope
