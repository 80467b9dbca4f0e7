#pragma once
// Reads the bytes of one .safetensors file: an 8-byte length, a JSON header, tensor data. Strict on
// what is used (ranges cover the data exactly once), tolerant of legal oddities (no alignment,
// empty tensors, any order of names). Format: the safetensors README. Folders: hf_folder.h.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

/// The format's own limit on the header.
constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// The content of one file; data pointers point into the bytes it was read from.
struct SafetensorsFile {
    std::vector<TensorView> tensors;  ///< in the order of the header
    std::vector<SkippedTensor> skipped;
};

/// Any bytes are safe. `path` is only for messages. Errors: BadInput, Unsupported (unknown dtype).
Result<SafetensorsFile> parseSafetensors(std::span<const std::byte> file, const std::string& path);

}  // namespace lanescope
