#pragma once
// What a lane may choose on a GPU only.

#include <cstdint>

namespace lanescope {

/// Who multiplies F16 and BF16 matrices.
enum class Products : std::uint8_t { Own, CublasLt };

}  // namespace lanescope
