// A CUDA plugin whose only device is the emulator: with LANESCOPE_CUDA_PLUGIN naming it the command
// line and the scripts for GPUs run on a machine without one. For tests; nothing installs it.

#include "engine/backend/cuda/plugin_api.h"
#include "tests/engine/backend/emulated_device.h"

namespace lanescope {

namespace {

EmulatedCounts theCounts;

void driver(CudaDriver* out) {
    *out = {0, 13000, 13000};
}

bool deviceInfo(int, GpuInfo* out, int*) {
    *out = EmulatedDevice({}, theCounts).info();
    return true;
}

GpuDevice* open(int, int*) {
    return new EmulatedDevice({}, theCounts);
}

constexpr CudaPlugin kPlugin{kCudaPluginVersion, driver, [] { return 1; },
                             deviceInfo,         open,   [](int) { return "emulated error"; }};

}  // namespace

}  // namespace lanescope

extern "C" __attribute__((visibility("default"))) const lanescope::CudaPlugin*
lanescopeCudaPlugin() {
    return &lanescope::kPlugin;
}
