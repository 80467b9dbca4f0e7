#pragma once
// Devices through the CUDA plugin. Every step that can fail has one message of its own: plugin,
// driver, device, capability, self-test.

#include <string>
#include <vector>

#include "engine/backend/cuda/plugin_api.h"

namespace lanescope {

/// The lowest compute capability the kernels run on, times ten.
inline constexpr int kLowestCapability = 80;

/// The steps up to a usable device, over a plugin that is loaded. Errors: NoDevice.
Result<std::unique_ptr<GpuDevice>> openThrough(const CudaPlugin& plugin, int index);
/// The same but for the self-test, for whoever asks what a device gets wrong.
Result<std::unique_ptr<GpuDevice>> openUntested(const CudaPlugin& plugin, int index);
/// Devices a plugin sees, usable or not. Errors: NoDevice where there is no driver.
Result<std::vector<GpuInfo>> devicesOf(const CudaPlugin& plugin);

/// The plugin beside the program (LANESCOPE_CUDA_PLUGIN names another file); loaded once and kept.
/// Errors: NoDevice.
Result<const CudaPlugin*> cudaPlugin();

/// The source that engines use by default.
GpuSource& pluginSource();

}  // namespace lanescope
