#pragma once
// Which of a lane's matrix products run with int8 activations: what decides the arithmetic roof
// they are held against (profiler/analyse/roofline.h). Stored with a run in the lane's settings,
// "int8".

#include <vector>

#include "engine/model/model.h"
#include "engine/trace/events.h"

namespace lanescope {

/// The products that do at least half of their multiply-accumulates on weights in a block format,
/// which the CPU backend meets with int8 activations; none where activations are f32 or bf16. In
/// the order of Op.
std::vector<trace::Op> int8Products(const Model& model, bool noInt8);

}  // namespace lanescope
