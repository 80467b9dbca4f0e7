#pragma once
// Checkpoints made up from a shape: `synthetic:CONFIG.json[?format=q4_0&seed=3]` has the tensors
// that a Hugging Face model with this config.json would have, with random weights in one format.
// Sizes, memory and speed are real; the text is nonsense. The tensors point into reserved memory
// that materialise() fills, so looking at a 70B shape costs nothing.

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

inline constexpr std::string_view kSyntheticPrefix = "synthetic:";

inline bool isSynthetic(std::string_view model) {
    return model.starts_with(kSyntheticPrefix);
}

/// CONFIG.json of "synthetic:CONFIG.json?format=q4_0". Precondition: isSynthetic.
std::string syntheticConfigPath(std::string_view model);

/// Settings come from the query, else from the object "lanescope" of the config, else f16 and seed
/// 0. Errors: BadInput / Usage for an unknown setting or a shape that is missing, Unsupported for a
/// model_type without a tensor table here, OutOfMemory when not even the addresses can be reserved.
Result<std::shared_ptr<const Checkpoint>> openSynthetic(const std::string& model);

}  // namespace lanescope
