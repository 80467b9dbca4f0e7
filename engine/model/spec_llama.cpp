// Llama (arXiv 2302.13971) and what shares its shape: SmolLM, TinyLlama; Mistral (arXiv 2310.06825)
// is Llama with a sliding window.

#include "engine/model/sliding_window.h"
#include "engine/model/spec_builders.h"
#include "engine/model/spec_keys.h"

namespace lanescope {

Result<ModelSpec> llamaFromConfig(const Checkpoint& checkpoint) {
    auto spec = decoderFromConfig(checkpoint, "llama");
    if (!spec) return spec;
    SpecKeys keys = SpecKeys::config(checkpoint);
    const bool attentionBias = keys.flag("attention_bias", false);
    spec->qkvBias = spec->outBias = attentionBias ? BiasRule::Always : BiasRule::Never;
    spec->mlpBias = keys.flag("mlp_bias", false) ? BiasRule::Always : BiasRule::Never;
    if (keys.error()) return *keys.error();
    return spec;
}

namespace {

Result<ModelSpec> permutedFromGguf(const Checkpoint& checkpoint, const char* architecture) {
    auto spec = decoderFromGguf(checkpoint, architecture);
    if (!spec) return spec;
    // The converter permutes the rows of q and k so that rotary pairs are neighbours.
    spec->ropeLayout = kernels::RopeLayout::Interleaved;
    if (auto window = applyWindowFromGguf(checkpoint, {}, *spec); !window) return window.error();
    return spec;
}

}  // namespace

Result<ModelSpec> llamaFromGguf(const Checkpoint& checkpoint) {
    return permutedFromGguf(checkpoint, "llama");  // Mistral's files mostly say llama too
}

Result<ModelSpec> mistralFromConfig(const Checkpoint& checkpoint) {
    auto spec = decoderFromConfig(checkpoint, "mistral");
    if (!spec) return spec;
    if (auto window = applyWindowFromConfig(checkpoint, {}, *spec); !window) return window.error();
    return spec;
}

Result<ModelSpec> mistralFromGguf(const Checkpoint& checkpoint) {
    return permutedFromGguf(checkpoint, "mistral");
}

}  // namespace lanescope
