#pragma once
// What both readers check about a tensor: its size without overflow, and that no two tensors share
// bytes.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

/// Bytes of a tensor: shape x type. None if a dimension is negative, the last one is no multiple of
/// the block size, or the element count or byte count overflows 63 bits.
std::optional<std::uint64_t> tensorBytes(std::span<const std::int64_t> shape, kernels::DType type);

/// "[320, 32]"
std::string shapeText(std::span<const std::int64_t> shape);

/// A name from a file between quotes: shortened, and '?' for what is not printable ASCII.
std::string inQuotes(std::string_view name);

/// One tensor's bytes in its file, for checks that need all of them.
struct TensorRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string_view name;
};

/// Sorts the ranges that are not empty to the front by begin, drops the empty ones, and gives the
/// second of the first two that overlap (the first one lies just before it); none if all are apart.
std::optional<std::size_t> sortAndFindOverlap(std::vector<TensorRange>& ranges);

}  // namespace lanescope
