// Phi-1, 1.5 and 2 (arXiv 2309.05463): layer norms, attention and a plain GELU MLP side by side on
// one norm, rotation of a part of each head, biases everywhere. "phi-msft" is the spelling of the
// first published files.

#include "engine/model/rope_scaling.h"
#include "engine/model/spec_builders.h"
#include "engine/model/spec_keys.h"

namespace lanescope {

namespace {

void setPhi(ModelSpec& spec) {
    spec.mlp = MlpKind::Plain;
    spec.block = BlockKind::Parallel;
    spec.qkvBias = spec.outBias = spec.mlpBias = spec.headBias = BiasRule::Always;
}

}  // namespace

Result<ModelSpec> phiFromConfig(const Checkpoint& checkpoint) {
    ConfigDialect dialect;
    dialect.norm = NormKind::Layer;
    dialect.normEps = "layer_norm_eps";
    dialect.defaultNormEps = 1e-5;
    dialect.defaultActivation = "gelu_new";
    auto spec = decoderFromConfig(checkpoint, "phi", dialect);
    if (!spec) return spec;
    setPhi(*spec);
    SpecKeys keys = SpecKeys::config(checkpoint);
    if (keys.flag("qk_layernorm", false))
        keys.fail(unsupported("phi with qk_layernorm is not supported", keys.file()));
    if (keys.error()) return *keys.error();
    return spec;
}

Result<ModelSpec> phiMsftFromConfig(const Checkpoint& checkpoint) {
    ConfigDialect dialect = gpt2Dialect();
    dialect.kvHeads = "n_head_kv";
    auto spec = decoderFromConfig(checkpoint, "phi-msft", dialect);
    if (!spec) return spec;
    setPhi(*spec);
    SpecKeys keys = SpecKeys::config(checkpoint);
    spec->rotaryDim = keys.count("rotary_dim", kMaxWidth, spec->rotaryDim);
    if (keys.error()) return *keys.error();
    if (auto shapes = checkShapes(*spec, keys.file()); !shapes) return shapes.error();
    applyRopeScaling({}, *spec);
    return spec;
}

Result<ModelSpec> phi2FromGguf(const Checkpoint& checkpoint) {
    auto spec = decoderFromGguf(checkpoint, "phi2", NormKind::Layer);
    if (!spec) return spec;
    setPhi(*spec);
    spec->activation = kernels::Activation::GeluTanh;
    return spec;
}

}  // namespace lanescope
