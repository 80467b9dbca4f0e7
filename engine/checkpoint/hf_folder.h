#pragma once
// Hugging Face checkpoints: a folder with config.json, weights in one or several .safetensors files
// and what the tokenizer needs. What the config means is model/'s business.

#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

/// Opens a folder. Weights are looked for as transformers does: model.safetensors, then
/// model.safetensors.index.json, then the only .safetensors file there is.
Result<std::shared_ptr<const Checkpoint>> openHfFolder(const std::string& folder);

/// Opens one .safetensors file (`file` is its mapping) with the config.json beside it; a shard
/// opens the whole model.
Result<std::shared_ptr<const Checkpoint>> openSafetensors(std::shared_ptr<const MappedFile> file,
                                                          const std::string& path);

}  // namespace lanescope
