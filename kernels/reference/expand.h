#pragma once
// One function a block format: the values of a stored block, element by element. y holds as many
// floats as the block has elements. Used by dequantise.cpp only.

#include "kernels/types/blocks.h"

namespace lanescope::kernels::reference {

// dequantise_low_bit.cpp
void expand(const BlockQ2_K& b, float* y);
void expand(const BlockQ3_K& b, float* y);
void expand(const BlockIQ4_NL& b, float* y);
void expand(const BlockIQ4_XS& b, float* y);
void expand(const BlockTQ1_0& b, float* y);
void expand(const BlockTQ2_0& b, float* y);
void expand(const BlockMXFP4& b, float* y);
void expand(const BlockNVFP4& b, float* y);

// dequantise_grids.cpp
void expand(const BlockIQ1_S& b, float* y);
void expand(const BlockIQ1_M& b, float* y);
void expand(const BlockIQ2_XXS& b, float* y);
void expand(const BlockIQ2_XS& b, float* y);
void expand(const BlockIQ2_S& b, float* y);
void expand(const BlockIQ3_XXS& b, float* y);
void expand(const BlockIQ3_S& b, float* y);

}  // namespace lanescope::kernels::reference
