#pragma once
// The ops over rows of logits against sorted and summed doubles. For op_suite.cpp.

#include "engine/backend/cuda/op_check.h"

namespace lanescope {

/// The greedy choice, its figures and the best candidates.
void checkSampling(OpCheck& check);

}  // namespace lanescope
