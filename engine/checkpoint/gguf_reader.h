#pragma once
// Reads the bytes of one GGUF file (versions 2 and 3, little-endian): header, metadata, tensor
// table. Nothing in the file is believed before it was compared with the bytes that are there.
// Format: ggml/docs/gguf.md. What several files of a split model mean together: gguf_files.h.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

/// The content of one file; views point into the bytes it was read from.
struct GgufFile {
    std::uint32_t version = 0;
    std::uint64_t alignment = 32;  ///< of every tensor's offset, from general.alignment
    Metadata metadata;
    std::vector<TensorView> tensors;  ///< in the order of the table
};

/// Any bytes are safe. `path` is only for messages. Errors: BadInput (not GGUF, cut, damaged),
/// Unsupported (version, byte order, tensor type).
Result<GgufFile> parseGguf(std::span<const std::byte> file, const std::string& path);

}  // namespace lanescope
