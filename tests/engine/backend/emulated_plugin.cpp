// A CUDA plugin whose only device is the emulator: with LANESCOPE_CUDA_PLUGIN naming it the command
// line and the scripts for GPUs run on a machine without one. LANESCOPE_EMULATED_FAIL_AFTER=N: it
// stops after so much work. For tests; nothing installs it.

#include <cstdlib>

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
    EmulatedOptions options;
    if (const char* after = std::getenv("LANESCOPE_EMULATED_FAIL_AFTER"); after != nullptr)
        options.failAfter = std::atoi(after);
    return new EmulatedDevice(options, theCounts);
}

constexpr CudaPlugin kPlugin{kCudaPluginVersion, driver, [] { return 1; },
                             deviceInfo,         open,   [](int) { return "emulated error"; }};

}  // namespace

}  // namespace lanescope

extern "C" __attribute__((visibility("default"))) const lanescope::CudaPlugin*
lanescopeCudaPlugin() {
    return &lanescope::kPlugin;
}
