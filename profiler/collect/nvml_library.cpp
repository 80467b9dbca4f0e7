#include "profiler/collect/nvml_library.h"

#include <dlfcn.h>

#include "engine/base/clock.h"

namespace lanescope::profiler::nvml {

namespace {

Error unavailable(const std::string& message, const std::string& nextStep = "") {
    return {ErrorCode::NoDevice, message, "", nextStep};
}

std::string reason(const Api& api, Status status) {
    if (status == kNotSupported) return "this device does not report it";
    const char* text = api.errorString != nullptr ? api.errorString(status) : nullptr;
    return "NVML error " + std::to_string(status) +
           (text != nullptr ? std::string(": ") + text : std::string());
}

template <class Function>
bool find(void* handle, Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(::dlsym(handle, name));
    return function != nullptr;
}

bool resolve(void* handle, Api& api) {
    return find(handle, api.init, "nvmlInit_v2") && find(handle, api.shutdown, "nvmlShutdown") &&
           find(handle, api.errorString, "nvmlErrorString") &&
           find(handle, api.count, "nvmlDeviceGetCount_v2") &&
           find(handle, api.handleByIndex, "nvmlDeviceGetHandleByIndex_v2") &&
           find(handle, api.handleByUuid, "nvmlDeviceGetHandleByUUID") &&
           find(handle, api.name, "nvmlDeviceGetName") &&
           find(handle, api.power, "nvmlDeviceGetPowerUsage") &&
           find(handle, api.clock, "nvmlDeviceGetClockInfo") &&
           find(handle, api.memory, "nvmlDeviceGetMemoryInfo") &&
           find(handle, api.temperature, "nvmlDeviceGetTemperature");
}

}  // namespace

Result<std::shared_ptr<Library>> Library::open() {
    void* handle = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return unavailable("no NVML: the NVIDIA driver is not installed",
                           "install the driver of the GPU, if there is one");
    }
    std::shared_ptr<Library> library(new Library(handle));
    if (!resolve(handle, library->m_api)) {
        return unavailable("NVML is too old", "update the NVIDIA driver");
    }
    const Status status = library->m_api.init();
    if (status != kSuccess) return unavailable(reason(library->m_api, status));
    library->m_initialised = true;
    return library;
}

Library::~Library() {
    if (m_initialised) (void)m_api.shutdown();
    ::dlclose(m_handle);
}

Result<std::unique_ptr<Sensors>> Sensors::open(const Api& api, std::int32_t device,
                                               const std::string& uuid) {
    void* handle = nullptr;
    const Status status = uuid.empty()
                              ? api.handleByIndex(static_cast<std::uint32_t>(device), &handle)
                              : api.handleByUuid(uuid.c_str(), &handle);
    if (status != kSuccess) {
        return unavailable("the sensors of device " + std::to_string(device) +
                           " cannot be read: " + reason(api, status));
    }
    return std::unique_ptr<Sensors>(new Sensors(api, device, handle));
}

bool Sensors::good(Figure figure, Status status) {
    auto& missing = m_missing[static_cast<std::size_t>(figure)];
    if (status == kSuccess) {
        missing.clear();
    } else if (missing.empty()) {
        missing = reason(m_api, status);
    }
    return status == kSuccess;
}

DeviceSample Sensors::read() {
    DeviceSample sample;
    sample.device = m_device;
    std::uint32_t value = 0;
    if (good(Figure::Power, m_api.power(m_handle, &value))) {
        sample.powerMilliwatts = static_cast<std::int32_t>(value);
    }
    if (good(Figure::SmClock, m_api.clock(m_handle, kClockSm, &value))) {
        sample.smClockMHz = static_cast<std::int32_t>(value);
    }
    if (good(Figure::MemoryClock, m_api.clock(m_handle, kClockMemory, &value))) {
        sample.memoryClockMHz = static_cast<std::int32_t>(value);
    }
    if (good(Figure::Temperature, m_api.temperature(m_handle, kTemperatureGpu, &value))) {
        sample.temperatureC = static_cast<std::int32_t>(value);
    }
    MemoryInfo info{};
    if (good(Figure::Memory, m_api.memory(m_handle, &info))) {
        sample.memoryUsedBytes = static_cast<std::int64_t>(info.used);
    }
    sample.tNs = nowNs();
    return sample;
}

}  // namespace lanescope::profiler::nvml
