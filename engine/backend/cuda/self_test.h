#pragma once
// Whether a device computes what it should: small products, an attention and a norm through the
// real kernels, held against plain loops. Some milliseconds; run when a device is opened.

#include "engine/backend/cuda/gpu_device.h"

namespace lanescope {

/// Errors: NoDevice naming the op that failed or differed, and by how much.
Result<void> selfTest(GpuDevice& device);

}  // namespace lanescope
