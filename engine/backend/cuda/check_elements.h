#pragma once
// The small ops of a device against the reference, one function an op; each adds its rows. For
// op_suite.cpp and self_test.cpp.

#include "engine/backend/cuda/op_check.h"

namespace lanescope {

void checkEmbed(OpCheck& check);
/// RMSNorm and LayerNorm: alone, behind a residual add, in front of int8 rounding.
void checkNorms(OpCheck& check);
/// The smallest of checkNorms(): RMSNorm of a few tokens.
void checkRmsNorm(OpCheck& check);
void checkQuantiseActs(OpCheck& check);
void checkRoundActs(OpCheck& check);
void checkActivations(OpCheck& check);
void checkAddAndSoftcap(OpCheck& check);

}  // namespace lanescope
