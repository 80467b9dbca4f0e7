// Gemma 3 (arXiv 2503.19786), the text model: five windowed layers between two that see everything,
// each kind with a rotary base of its own; norms before and after both halves of a layer and over
// the heads of q and k, all multiplying by 1 + w; embedding rows scaled by sqrt(width); gated GELU.

#include <cmath>

#include "engine/model/rope_scaling.h"
#include "engine/model/sliding_window.h"
#include "engine/model/spec_builders.h"
#include "engine/model/spec_keys.h"

namespace lanescope {

namespace {

constexpr double kLocalTheta = 10000.0;
constexpr WindowRule kEverySixthIsFull{.fullEvery = 6};

void setGemma(ModelSpec& spec) {
    spec.postNorms = true;
    spec.qkNorm = true;
    spec.embeddingScale = std::sqrt(static_cast<float>(spec.dim));
}

}  // namespace

Result<ModelSpec> gemma3FromConfig(const Checkpoint& checkpoint) {
    // Published configs of the larger models leave out what the class has as defaults.
    ConfigDialect dialect;
    dialect.activation = "hidden_activation";
    dialect.defaultActivation = "gelu_pytorch_tanh";
    dialect.defaultTied = true;
    dialect.defaultHeads = 8;
    dialect.defaultKvHeads = 4;
    dialect.defaultHeadDim = 256;
    dialect.defaultContext = 131072;
    dialect.defaultVocab = 262208;
    dialect.defaultRopeTheta = 1e6;
    auto spec = decoderFromConfig(checkpoint, "gemma3", dialect);
    if (!spec) return spec;
    setGemma(*spec);
    spec->normWeightOffset = 1.0F;
    SpecKeys keys = SpecKeys::config(checkpoint);
    if (keys.flag("attention_bias", false)) spec->qkvBias = spec->outBias = BiasRule::Always;
    spec->queryScale =
        static_cast<float>(1.0 / std::sqrt(keys.positive("query_pre_attn_scalar", 256.0)));
    if (keys.has("attn_logit_softcapping"))
        spec->attentionSoftcap = static_cast<float>(keys.positive("attn_logit_softcapping"));
    if (keys.has("final_logit_softcapping"))
        spec->logitSoftcap = static_cast<float>(keys.positive("final_logit_softcapping"));
    if (keys.flag("use_bidirectional_attention", false))
        keys.fail(unsupported("gemma3 with use_bidirectional_attention is not supported",
                              keys.file(), "use a model that generates text"));
    if (auto rope = applyLocalRopeFromConfig(checkpoint, kLocalTheta, *spec); !rope)
        return rope.error();
    WindowRule rule = kEverySixthIsFull;
    for (const char* key : {"sliding_window_pattern", "_sliding_window_pattern"})
        if (keys.has(key)) rule.fullEvery = keys.count(key, kMaxLayers);
    if (keys.error()) return *keys.error();
    rule.defaultWindow = 4096;
    if (auto window = applyWindowFromConfig(checkpoint, rule, *spec); !window)
        return window.error();
    return spec;
}

Result<ModelSpec> gemma3FromGguf(const Checkpoint& checkpoint) {
    auto spec = decoderFromGguf(checkpoint, "gemma3");
    if (!spec) return spec;
    setGemma(*spec);
    spec->activation = kernels::Activation::GeluTanh;
    SpecKeys keys = SpecKeys::gguf(checkpoint, "gemma3");
    // The format has no key for query_pre_attn_scalar. It is the head's width but in the 27B model,
    // told by its 62 layers, where it is width / heads.
    if (spec->nLayers == 62)
        spec->queryScale =
            1.0F / std::sqrt(static_cast<float>(spec->dim) / static_cast<float>(spec->nHeads));
    if (keys.has("final_logit_softcapping"))
        spec->logitSoftcap = static_cast<float>(keys.positive("final_logit_softcapping"));
    applyLocalRope(keys.positive("rope.freq_base_swa", kLocalTheta), {}, *spec);
    if (keys.error()) return *keys.error();
    if (auto window = applyWindowFromGguf(checkpoint, kEverySixthIsFull, *spec); !window)
        return window.error();
    return spec;
}

}  // namespace lanescope
