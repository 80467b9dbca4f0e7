#pragma once
// Frequencies of the rotary embedding under the scalings that checkpoints ask for: none, linear,
// llama3, yarn (arXiv 2309.00071), or factors a GGUF file carries. One description, read from
// either format by the spec builders; everything is applied here, once, at load.

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/model/spec.h"

namespace lanescope {

/// What a checkpoint says about scaling. kind: "none", "linear", "llama3" or "yarn".
struct RopeScaling {
    std::string kind = "none";
    double factor = 1.0;
    double originalContext = 0.0;
    double lowFreqFactor = 1.0, highFreqFactor = 4.0;  ///< llama3
    double betaFast = 32.0, betaSlow = 1.0;            ///< yarn
    double attentionFactor = 0.0;                      ///< yarn: multiplies cos and sin; 0 = derive
    double mscale = 0.0, mscaleAllDim = 0.0;           ///< yarn, as DeepSeek writes it
    bool truncate = true;                              ///< yarn: corrections to whole dimensions
};

/// From config.json: rope_parameters, or rope_theta with rope_scaling. Sets ropeTheta too. Errors:
/// Unsupported naming the kind; BadInput naming a key out of range.
Result<void> applyRopeFromConfig(const Checkpoint& checkpoint, ModelSpec& spec);

/// From GGUF: ARCH.rope.* and the tensor rope_freqs.weight.
Result<void> applyRopeFromGguf(const Checkpoint& checkpoint, ModelSpec& spec);

/// Fills ropeInvFreq, ropeMscale and ropeScaling from rotaryDim, ropeTheta and a scaling.
void applyRopeScaling(const RopeScaling& scaling, ModelSpec& spec);

}  // namespace lanescope
