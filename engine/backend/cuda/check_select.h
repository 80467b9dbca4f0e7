#pragma once
// The choice of blocks that tokens see, and the Hadamard turn of heads, of a device against the
// reference. For op_suite.cpp.

#include "engine/backend/cuda/op_check.h"

namespace lanescope {

/// "hadamard": bit for bit, as the additions are the same.
void checkHadamard(OpCheck& check);
/// "keyBlocks" and "kvSelect": the bits themselves.
void checkKeyBits(OpCheck& check);

}  // namespace lanescope
