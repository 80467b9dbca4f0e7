#pragma once
// From a path to a Checkpoint for GGUF: one file, or all parts of a split model
// (name-00001-of-000NN.gguf), which lie in one folder and are opened together.

#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

/// `file` is the mapping of `path`. Any part of a split model may be given.
Result<std::shared_ptr<const Checkpoint>> openGguf(std::shared_ptr<const MappedFile> file,
                                                   const std::string& path);

}  // namespace lanescope
