#include "profiler/collect/cupti_library.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <vector>

namespace lanescope::profiler::cupti {

namespace {

std::vector<std::string> placesToLook() {
    std::vector<std::string> places;
    if (const char* given = std::getenv("LANESCOPE_CUPTI"); given != nullptr && *given != '\0') {
        places.emplace_back(given);
        return places;
    }
    places.emplace_back("libcupti.so.13");
    std::vector<std::string> toolkits;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* home = std::getenv(name); home != nullptr && *home != '\0') {
            toolkits.emplace_back(home);
        }
    }
    toolkits.emplace_back("/usr/local/cuda");
    toolkits.emplace_back("/usr/local/cuda-13.0");
    for (const auto& toolkit : toolkits) {
        for (const char* folder : {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"}) {
            places.push_back(toolkit + folder + "libcupti.so.13");
        }
    }
    return places;
}

/// Resolves functions one by one; remembers the first that is not there.
class Resolver {
  public:
    explicit Resolver(void* handle) : m_handle(handle) {}

    template <class Function>
    void find(Function*& function, const char* name) {
        void* address = ::dlsym(m_handle, name);
        if (address == nullptr && m_missing.empty()) m_missing = name;
        function = reinterpret_cast<Function*>(address);
    }
    [[nodiscard]] const std::string& missing() const { return m_missing; }

  private:
    void* m_handle;
    std::string m_missing;
};

std::string resolve(void* handle, Api& api) {
    Resolver r(handle);
    r.find(api.getVersion, "cuptiGetVersion");
    r.find(api.getErrorMessage, "cuptiGetErrorMessage");
    r.find(api.subscribe, "cuptiSubscribe");
    r.find(api.unsubscribe, "cuptiUnsubscribe");
    r.find(api.enableCallback, "cuptiEnableCallback");
    r.find(api.registerTimestamp, "cuptiActivityRegisterTimestampCallback");
    r.find(api.registerCallbacks, "cuptiActivityRegisterCallbacks");
    r.find(api.enable, "cuptiActivityEnable");
    r.find(api.disable, "cuptiActivityDisable");
    r.find(api.flushAll, "cuptiActivityFlushAll");
    r.find(api.flushPeriod, "cuptiActivityFlushPeriod");
    r.find(api.nextRecord, "cuptiActivityGetNextRecord");
    r.find(api.droppedRecords, "cuptiActivityGetNumDroppedRecords");
    r.find(api.pushExternalId, "cuptiActivityPushExternalCorrelationId");
    r.find(api.popExternalId, "cuptiActivityPopExternalCorrelationId");
    r.find(api.getTimestamp, "cuptiGetTimestamp");
    r.find(api.graphNodeId, "cuptiGetGraphNodeId");
    r.find(api.hostInitialise, "cuptiProfilerHostInitialize");
    r.find(api.hostDeinitialise, "cuptiProfilerHostDeinitialize");
    r.find(api.hostChips, "cuptiProfilerHostGetSupportedChips");
    r.find(api.hostMetrics, "cuptiProfilerHostGetBaseMetrics");
    r.find(api.hostProperties, "cuptiProfilerHostGetMetricProperties");
    r.find(api.hostAddMetrics, "cuptiProfilerHostConfigAddMetrics");
    r.find(api.hostImageSize, "cuptiProfilerHostGetConfigImageSize");
    r.find(api.hostImage, "cuptiProfilerHostGetConfigImage");
    r.find(api.hostPasses, "cuptiProfilerHostGetNumOfPasses");
    return r.missing();
}

Error unavailable(const std::string& message, const std::string& nextStep) {
    return {ErrorCode::NoDevice, message, "", nextStep};
}

}  // namespace

std::string versionText(std::uint32_t version) {
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
}

Result<std::shared_ptr<Library>> Library::openFile(const std::string& path) {
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* why = ::dlerror();
        return unavailable("CUPTI cannot be opened: " + std::string(why != nullptr ? why : path),
                           "install the CUDA 13 toolkit or name libcupti in LANESCOPE_CUPTI");
    }
    std::shared_ptr<Library> library(new Library(handle));
    const std::string missing = resolve(handle, library->m_api);
    if (!missing.empty()) {
        return unavailable(path + " is not the CUPTI of CUDA 13: it lacks " + missing,
                           "install the CUDA 13 toolkit");
    }
    const Status status = library->m_api.getVersion(&library->m_version);
    if (status != kSuccess || library->m_version < kMinVersion) {
        return unavailable("CUPTI " + versionText(library->m_version) + " is too old, " +
                               versionText(kMinVersion) + " is needed",
                           "install the CUDA 13 toolkit");
    }
    return library;
}

Result<std::shared_ptr<Library>> Library::open() {
    const auto places = placesToLook();
    for (const auto& place : places) {
        void* probe = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (probe == nullptr) continue;
        auto library = openFile(place);
        ::dlclose(probe);
        return library;
    }
    return openFile(places.front());  // says why
}

Library::~Library() {
    if (!m_keep) ::dlclose(m_handle);
}

Result<void> driverPresent() {
    void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (driver == nullptr) {
        return unavailable("no NVIDIA driver", "install the driver of the GPU, if there is one");
    }
    ::dlclose(driver);
    return {};
}

Error refusal(const Api& api, Status status, const std::string& what) {
    switch (status) {
        case kMultipleSubscribers:
            return unavailable("another profiler is attached, so " + what + " is not possible",
                               "run without Nsight, compute-sanitizer or a debugger");
        case kInsufficientPrivileges:
        case kVirtualDevicePrivileges:
            return unavailable(
                what + " needs privilege: the driver keeps hardware counters for administrators",
                "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0; "
                "kernel "
                "timing works without");
        case kInvalidChipName:
            return unavailable(what + ": this chip is not known to CUPTI",
                               "install a newer CUDA toolkit");
        default:
            break;
    }
    const char* text = nullptr;
    if (api.getErrorMessage != nullptr) (void)api.getErrorMessage(status, &text);
    return unavailable(what + " was refused by CUPTI with error " + std::to_string(status) +
                           (text != nullptr ? std::string(": ") + text : std::string()),
                       "");
}

}  // namespace lanescope::profiler::cupti
