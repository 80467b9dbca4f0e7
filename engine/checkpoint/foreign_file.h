#pragma once
// Recognises files that are not a checkpoint but are often found under a checkpoint's name: Git LFS
// pointers, web pages, PyTorch archives. A message that says so saves an evening.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "engine/base/result.h"

namespace lanescope {

/// An error that names what the file really is; none if its start looks like nothing we know.
std::optional<Error> recogniseForeign(std::span<const std::byte> file, const std::string& path);

/// Whether the bytes start like GGUF (right magic) / like safetensors (a brace after 8 bytes).
bool looksLikeGguf(std::span<const std::byte> file);
bool looksLikeSafetensors(std::span<const std::byte> file);

}  // namespace lanescope
