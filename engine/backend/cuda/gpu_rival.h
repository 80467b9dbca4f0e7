#pragma once
// Another library's products beside ours, for benchmarks.

#include <functional>
#include <optional>
#include <string>

#include "engine/backend/cuda/gpu_device.h"

namespace lanescope {

/// Multiplies by F16 and BF16 weights on the device's stream.
struct GpuRival {
    std::string name;  ///< "cuBLASLt 13.1"
    /// Queues y = x · Wᵀ; x [nTokens, nCols] of the weights' type is at args.xb.
    std::function<kernels::cuda::Status(const kernels::MatmulArgs&)> product;
};

/// cuBLASLt. None, and one line in *why, where the library cannot be had. The device must outlive
/// it.
std::optional<GpuRival> cublasRival(GpuDevice& device, std::string* why);

}  // namespace lanescope
