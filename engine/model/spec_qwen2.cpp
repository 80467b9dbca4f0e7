// Qwen2 and Qwen2.5 (arXiv 2407.10671): Llama with biases on q, k and v. Rows of q and k are not
// permuted in GGUF files.

#include "engine/model/spec_builders.h"
#include "engine/model/spec_keys.h"

namespace lanescope {

Result<ModelSpec> qwen2FromConfig(const Checkpoint& checkpoint) {
    auto spec = decoderFromConfig(checkpoint, "qwen2");
    if (!spec) return spec;
    spec->qkvBias = BiasRule::Always;
    SpecKeys keys = SpecKeys::config(checkpoint);
    if (keys.flag("use_sliding_window", false))
        return unsupported("qwen2 with use_sliding_window is not supported", keys.file());
    if (keys.error()) return *keys.error();
    return spec;
}

Result<ModelSpec> qwen2FromGguf(const Checkpoint& checkpoint) {
    auto spec = decoderFromGguf(checkpoint, "qwen2");
    if (!spec) return spec;
    spec->qkvBias = BiasRule::Always;
    spec->ropeLayout = kernels::RopeLayout::HalfSplit;
    return spec;
}

}  // namespace lanescope
