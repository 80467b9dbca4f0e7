#pragma once
// Matrices stored [in, out] turned into [out, in], the one form every kernel reads.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

/// The refusal, with both numbers.
Error transposeNeeds(std::uint64_t bytes, std::uint64_t availableBytes);

/// A transposed copy, [shape[1], shape[0]], of a matrix of an unblocked dtype. Errors: Unsupported
/// for block formats; OutOfMemory.
Result<std::unique_ptr<std::byte[]>> transposed(const TensorView& matrix);

}  // namespace lanescope
