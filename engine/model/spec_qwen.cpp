// Qwen2 and Qwen2.5 (arXiv 2407.10671): Llama with biases on q, k and v. Qwen3 (arXiv 2505.09388):
// no biases, but an RMS norm over every head of q and k. Rows of q and k are not permuted in GGUF.

#include "engine/model/sliding_window.h"
#include "engine/model/spec_builders.h"
#include "engine/model/spec_keys.h"

namespace lanescope {

namespace {

/// With use_sliding_window the layers from max_window_layers on are windowed.
Result<void> applyQwenWindow(const Checkpoint& checkpoint, ModelSpec& spec) {
    SpecKeys keys = SpecKeys::config(checkpoint);
    if (!keys.flag("use_sliding_window", false))
        return keys.error() ? *keys.error() : Result<void>();
    WindowRule rule;
    rule.firstWindowed = keys.count("max_window_layers", kMaxLayers, 28, 0);
    if (keys.error()) return *keys.error();
    return applyWindowFromConfig(checkpoint, rule, spec);
}

}  // namespace

Result<ModelSpec> qwen2FromConfig(const Checkpoint& checkpoint) {
    auto spec = decoderFromConfig(checkpoint, "qwen2");
    if (!spec) return spec;
    spec->qkvBias = BiasRule::Always;
    if (auto window = applyQwenWindow(checkpoint, *spec); !window) return window.error();
    return spec;
}

Result<ModelSpec> qwen2FromGguf(const Checkpoint& checkpoint) {
    auto spec = decoderFromGguf(checkpoint, "qwen2");
    if (!spec) return spec;
    spec->qkvBias = BiasRule::Always;
    return spec;
}

Result<ModelSpec> qwen3FromConfig(const Checkpoint& checkpoint) {
    auto spec = decoderFromConfig(checkpoint, "qwen3");
    if (!spec) return spec;
    spec->qkNorm = true;
    SpecKeys keys = SpecKeys::config(checkpoint);
    if (keys.flag("attention_bias", false)) spec->qkvBias = spec->outBias = BiasRule::Always;
    if (keys.error()) return *keys.error();
    if (auto window = applyQwenWindow(checkpoint, *spec); !window) return window.error();
    return spec;
}

Result<ModelSpec> qwen3FromGguf(const Checkpoint& checkpoint) {
    auto spec = decoderFromGguf(checkpoint, "qwen3");
    if (spec) spec->qkNorm = true;
    return spec;
}

}  // namespace lanescope
