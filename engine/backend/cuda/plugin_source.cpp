#include "engine/backend/cuda/plugin_source.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "engine/backend/cuda/self_test.h"

namespace lanescope {

namespace {

constexpr const char* kFileName = "lanescope-cuda.so";
constexpr const char* kInstead = "use the backend cpu";

Error noDevice(std::string message, std::string nextStep = kInstead) {
    return {ErrorCode::NoDevice, std::move(message), "cuda", std::move(nextStep)};
}

/// "13.0" of 13000.
std::string versionText(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::vector<std::filesystem::path> places() {
    std::vector<std::filesystem::path> found;
    if (const char* named = std::getenv("LANESCOPE_CUDA_PLUGIN"); named != nullptr && *named != 0)
        return {named};
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    found.push_back(program / kFileName);
    found.push_back(program / "../lib/lanescope" / kFileName);
    found.push_back(program / "../../plugins" / kFileName);  // a build folder
    return found;
}

Result<const CudaPlugin*> load() {
    for (const auto& place : places()) {
        std::error_code ignored;
        if (!std::filesystem::exists(place, ignored)) continue;
        void* module = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (module == nullptr)
            return noDevice("the CUDA plugin cannot be loaded: " + std::string(::dlerror()),
                            "install it again, or use the backend cpu");
        void* entry = ::dlsym(module, kCudaPluginSymbol);
        if (entry == nullptr)
            return noDevice(place.string() + " is not a plugin of this program",
                            "install it again, or use the backend cpu");
        const CudaPlugin* plugin = reinterpret_cast<CudaPluginEntry>(entry)();
        if (plugin == nullptr || plugin->version != kCudaPluginVersion)
            return noDevice("the CUDA plugin is of another version (" +
                                std::to_string(plugin == nullptr ? 0 : plugin->version) + ", not " +
                                std::to_string(kCudaPluginVersion) + ")",
                            "install program and plugin together, or use the backend cpu");
        return plugin;
    }
    return noDevice("this installation has no CUDA plugin (" + std::string(kFileName) + ")");
}

Result<void> checkDriver(const CudaPlugin& plugin) {
    CudaDriver driver;
    plugin.driver(&driver);
    if (driver.driver == 0) return noDevice("no NVIDIA driver");
    if (driver.status != 0)
        return noDevice("the NVIDIA driver does not answer: " +
                        std::string(plugin.errorText(driver.status)));
    // Any driver of the same major version runs what this runtime makes.
    if (driver.driver / 1000 < driver.runtime / 1000)
        return noDevice("the NVIDIA driver is for CUDA " + versionText(driver.driver) +
                            ", the plugin needs " + std::to_string(driver.runtime / 1000) + ".0",
                        "update the driver, or use the backend cpu");
    return {};
}

class PluginSource final : public GpuSource {
  public:
    Result<std::unique_ptr<GpuDevice>> open(int index) override {
        auto plugin = cudaPlugin();
        if (!plugin) return plugin.error();
        return openThrough(**plugin, index);
    }
};

}  // namespace

Result<std::vector<GpuInfo>> devicesOf(const CudaPlugin& plugin) {
    if (auto driver = checkDriver(plugin); !driver) return driver.error();
    const int count = plugin.deviceCount();
    if (count < 0)
        return noDevice("the NVIDIA driver finds no device: " +
                        std::string(plugin.errorText(-count)));
    std::vector<GpuInfo> all(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        int status = 0;
        if (!plugin.deviceInfo(i, &all[static_cast<std::size_t>(i)], &status))
            return noDevice("device " + std::to_string(i) +
                            " does not answer: " + plugin.errorText(status));
    }
    return all;
}

Result<std::unique_ptr<GpuDevice>> openUntested(const CudaPlugin& plugin, int index) {
    auto all = devicesOf(plugin);
    if (!all) return all.error();
    const auto count = static_cast<int>(all->size());
    if (count == 0) return noDevice("the NVIDIA driver finds no device");
    if (index < 0 || index >= count)
        return noDevice("there is no device " + std::to_string(index) + "; devices: 0 to " +
                            std::to_string(count - 1),
                        "choose one of them, or use the backend cpu");
    const GpuInfo& info = (*all)[static_cast<std::size_t>(index)];
    if (10 * info.capabilityMajor + info.capabilityMinor < kLowestCapability)
        return noDevice(info.name + " is too old: compute capability " +
                        std::to_string(info.capabilityMajor) + "." +
                        std::to_string(info.capabilityMinor) + ", the kernels need 8.0");
    int status = 0;
    std::unique_ptr<GpuDevice> device(plugin.open(index, &status));
    if (device == nullptr)
        return noDevice(info.name + " cannot be used: " + plugin.errorText(status));
    return device;
}

Result<std::unique_ptr<GpuDevice>> openThrough(const CudaPlugin& plugin, int index) {
    auto device = openUntested(plugin, index);
    if (!device) return device;
    if (auto right = selfTest(**device); !right) return right.error();
    return device;
}

Result<const CudaPlugin*> cudaPlugin() {
    static const Result<const CudaPlugin*> plugin = load();
    return plugin;
}

GpuSource& pluginSource() {
    static PluginSource source;
    return source;
}

}  // namespace lanescope
