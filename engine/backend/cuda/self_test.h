#pragma once
// Whether a device computes what it should: a few small products, a norm and attention through the
// real kernels, held against plain loops to the tolerance of each (op_check.h). Some milliseconds;
// run when a device is opened. All ops at many shapes: op_suite.h.

#include "engine/backend/cuda/gpu_device.h"

namespace lanescope {

/// Errors: NoDevice naming the first op that failed or differed, and by how much.
Result<void> selfTest(GpuDevice& device);
/// The same of other ops that run on its stream.
Result<void> selfTest(GpuDevice& device, const kernels::cuda::OpTable& ops);

}  // namespace lanescope
