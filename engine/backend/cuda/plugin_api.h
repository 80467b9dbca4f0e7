#pragma once
// The border between the program and its CUDA plugin (lanescope-cuda.so), a module that is loaded
// when a lane asks for a GPU. Both are built together; a plugin of another version is refused
// before anything else of it is used.

#include <cstddef>
#include <cstdint>

#include "engine/backend/cuda/gpu_device.h"

namespace lanescope {

/// Changes whenever GpuDevice, the op table or this struct does.
inline constexpr std::uint32_t kCudaPluginVersion = 3;
inline constexpr const char* kCudaPluginSymbol = "lanescopeCudaPlugin";

/// What the driver says, without any other use of it.
struct CudaDriver {
    int status = 0;   ///< of cudaDriverGetVersion
    int driver = 0;   ///< 13000 = CUDA 13.0; 0: no driver
    int runtime = 0;  ///< what the plugin was built with
};

struct CudaPlugin {
    std::uint32_t version;  ///< first of all: kCudaPluginVersion
    void (*driver)(CudaDriver* out);
    /// Number of devices; a negative one: minus the runtime's error.
    int (*deviceCount)();
    /// False: the runtime's error in `status`.
    bool (*deviceInfo)(int index, GpuInfo* out, int* status);
    /// A device with a stream of its own; null: the runtime's error in `status`.
    GpuDevice* (*open)(int index, int* status);
    const char* (*errorText)(int status);
};

using CudaPluginEntry = const CudaPlugin* (*)();

}  // namespace lanescope
