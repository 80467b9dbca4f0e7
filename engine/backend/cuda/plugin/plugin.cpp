// What the program asks of lanescope-cuda.so.

#include "engine/backend/cuda/plugin/cuda_device.h"
#include "engine/backend/cuda/plugin_api.h"

namespace lanescope {

namespace {

void driver(CudaDriver* out) {
    out->status = cudaDriverGetVersion(&out->driver);
    cudaRuntimeGetVersion(&out->runtime);
}

int deviceCount() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaErrorNoDevice) return 0;
    return status == cudaSuccess ? count : -static_cast<int>(status);
}

bool deviceInfo(int index, GpuInfo* out, int* status) {
    *status = readGpuInfo(index, *out);
    return *status == cudaSuccess;
}

GpuDevice* open(int index, int* status) {
    cudaError_t error = cudaSuccess;
    std::unique_ptr<GpuDevice> device = openCudaDevice(index, error);
    *status = error;
    return device.release();
}

const char* errorText(int status) {
    return cudaGetErrorString(static_cast<cudaError_t>(status));
}

constexpr CudaPlugin kPlugin{kCudaPluginVersion, driver, deviceCount, deviceInfo, open, errorText};

}  // namespace

}  // namespace lanescope

extern "C" __attribute__((visibility("default"))) const lanescope::CudaPlugin*
lanescopeCudaPlugin() {
    return &lanescope::kPlugin;
}
