#pragma once
// What a lane may choose on a GPU only.

#include <cstdint>

namespace lanescope {

/// Who multiplies F16 and BF16 matrices.
enum class Products : std::uint8_t { Own, CublasLt };

/// Where logits become tokens.
enum class SampleOn : std::uint8_t { Host, Device };

}  // namespace lanescope
