#pragma once
// Frequencies of the rotary embedding under the scalings that checkpoints ask for: none, linear,
// llama3, yarn (arXiv 2309.00071), dynamic NTK, or factors a GGUF file carries. One description,
// read from either format by the spec builders; all but dynamic NTK is applied here, once, at load.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/model/spec.h"

namespace lanescope {

/// What a checkpoint says about scaling. kind: "none", "linear", "llama3", "yarn" or "dynamic".
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

/// From config.json: rope_parameters, or rope_theta with rope_scaling, and partial_rotary_factor.
/// Sets ropeTheta and rotaryDim too; an absent theta stays as it is. Errors: Unsupported naming the
/// kind; BadInput naming a key out of range.
Result<void> applyRopeFromConfig(const Checkpoint& checkpoint, ModelSpec& spec);

/// From GGUF: ARCH.rope.* and the tensor rope_freqs.weight.
Result<void> applyRopeFromGguf(const Checkpoint& checkpoint, ModelSpec& spec);

/// Fills ropeInvFreq, ropeMscale, ropeScaling and dynamicNtk from rotaryDim, ropeTheta and a
/// scaling.
void applyRopeScaling(const RopeScaling& scaling, ModelSpec& spec);

/// The same for windowed layers with a base of their own: rope_parameters.sliding_attention, or
/// rope_local_base_freq. Errors as above.
Result<void> applyLocalRopeFromConfig(const Checkpoint& checkpoint, double defaultTheta,
                                      ModelSpec& spec);
void applyLocalRope(double theta, const RopeScaling& scaling, ModelSpec& spec);

/// Frequencies of dynamic NTK for a call whose sequence ends after `length` positions, as
/// transformers has them: the base grows beyond the original context. out: [rotaryDim / 2].
void dynamicRopeFrequencies(const ModelSpec& spec, std::int64_t length, std::span<float> out);

}  // namespace lanescope
