#pragma once
// The key-value part of a GGUF file. Used by gguf_reader only.

#include <cstdint>
#include <string>

#include "engine/base/result.h"
#include "engine/checkpoint/byte_cursor.h"
#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

/// Longest key or tensor name that is read; the format allows keys of 65535 bytes.
constexpr std::uint64_t kMaxGgufName = 65535;
/// Most array elements that all metadata of a file may hold together: 16 Mi, far over any
/// vocabulary. Bounds the memory that a large hostile file can ask for.
constexpr std::uint64_t kMaxMetadataElements = std::uint64_t{1} << 24;
/// Arrays of arrays deeper than this are refused.
constexpr int kMaxArrayDepth = 4;

/// Reads `count` keys and values. Precondition: none; the count is checked here.
Result<Metadata> readGgufMetadata(ByteCursor& cursor, std::uint64_t count, const std::string& path);

/// Reads a length and that many bytes. `what` names the thing in messages.
Result<std::string_view> readGgufString(ByteCursor& cursor, const std::string& what,
                                        const std::string& path, std::uint64_t limit = UINT64_MAX);

/// The error for a file that ends too early: says what was being read and how many bytes lack.
Error ggufEndsEarly(const ByteCursor& cursor, const std::string& what, std::uint64_t wanted,
                    const std::string& path);

}  // namespace lanescope
