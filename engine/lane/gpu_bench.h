#pragma once
// How fast a device's kernels are: each op alone, at the shapes of large models, beside the copy
// bandwidth the device was just measured at and, for products of 16-bit weights, beside another
// library's where there is one. Weights are read from far more memory than its caches hold.

#include <string>
#include <vector>

#include "engine/backend/cuda/gpu_device.h"
#include "engine/backend/cuda/gpu_rival.h"
#include "engine/base/cancel.h"

namespace lanescope {

/// Shapes; the defaults are an 8B model's.
struct GpuBenchSizes {
    std::int64_t dim = 4096;
    std::int64_t ffn = 14336;
    std::int64_t heads = 32;
    std::int64_t kvHeads = 8;
    std::int64_t headDim = 128;
    std::int64_t context = 8192;
    std::int64_t promptTokens = 512;
    std::uint64_t coldBytes = std::uint64_t{1} << 30;  ///< memory that products cycle through
    int repetitions = 20;
};

/// One measurement: the median of the repetitions.
struct GpuBenchRow {
    std::string name;  ///< "gemv q4_K 14336x4096, 1 token"
    double us = 0.0;
    double gbps = 0.0;
    double tflops = 0.0;  ///< 0: not counted
    double ofCopy = 0.0;  ///< gbps beside the copy bandwidth
};

struct GpuBench {
    double copyGbps = 0.0;  ///< bytes read and written, device to device
    std::vector<GpuBenchRow> rows;
};

/// 10^9 bytes a second that copies of so many bytes inside a device read and write, the median of
/// some. Errors: OutOfMemory; NoDevice when work fails; Cancelled.
Result<double> measureCopyGbps(GpuDevice& device, std::uint64_t bytes, int repetitions,
                               const CancelToken& cancel);

/// `rival`: null where there is none. Errors: OutOfMemory; NoDevice when work fails; Cancelled.
Result<GpuBench> benchGpu(GpuDevice& device, const GpuBenchSizes& sizes, const CancelToken& cancel,
                          const GpuRival* rival = nullptr);

}  // namespace lanescope
