#pragma once
// cuBLASLt as a rival in the benchmark of a device's products.

#include <optional>
#include <string>

#include "engine/lane/gpu_bench.h"

namespace lanescope {

/// None, and one line in *why, where the library cannot be had. The device must outlive it.
std::optional<GpuBenchRival> cublasRival(GpuDevice& device, std::string* why);

}  // namespace lanescope
