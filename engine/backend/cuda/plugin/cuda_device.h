#pragma once
// GpuDevice over the CUDA runtime.

#include <cuda_runtime_api.h>

#include <memory>

#include "engine/backend/cuda/gpu_device.h"

namespace lanescope {

/// What the runtime says of a device.
cudaError_t readGpuInfo(int index, GpuInfo& out);

/// Null: refused, with the error in `status`.
std::unique_ptr<GpuDevice> openCudaDevice(int index, cudaError_t& status);

}  // namespace lanescope
