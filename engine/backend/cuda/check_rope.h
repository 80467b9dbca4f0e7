#pragma once
// Rotation and cache write of a device against the reference. For op_suite.cpp.

#include "engine/backend/cuda/op_check.h"

namespace lanescope {

/// A row for q and k after rotation, one for the pages of each format of a cache.
void checkRopeKv(OpCheck& check);

}  // namespace lanescope
