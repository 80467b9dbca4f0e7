#pragma once
// CUPTI, opened when it is wanted and never linked: a table of the functions used here. Where it is
// missing, older than CUDA 13 or refuses, one line says why. A table can be filled by hand in
// tests.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "profiler/collect/cupti_abi.h"

namespace lanescope::profiler::cupti {

/// The functions of CUPTI by their own names without the prefix; see its documentation. All set.
struct Api {
    Status (*getVersion)(std::uint32_t* version) = nullptr;
    Status (*getErrorMessage)(Status status, const char** text) = nullptr;
    Status (*subscribe)(void** subscriber, Callback callback, void* user) = nullptr;
    Status (*unsubscribe)(void* subscriber) = nullptr;
    Status (*enableCallback)(std::uint32_t enable, void* subscriber, std::uint32_t domain,
                             std::uint32_t id) = nullptr;
    Status (*registerTimestamp)(Timestamp timestamp) = nullptr;
    Status (*registerCallbacks)(BufferRequested requested, BufferCompleted completed) = nullptr;
    Status (*enable)(std::uint32_t kind) = nullptr;
    Status (*disable)(std::uint32_t kind) = nullptr;
    Status (*flushAll)(std::uint32_t flag) = nullptr;
    Status (*flushPeriod)(std::uint32_t milliseconds) = nullptr;
    Status (*nextRecord)(std::uint8_t* buffer, std::size_t size, void** record) = nullptr;
    Status (*droppedRecords)(void* context, std::uint32_t stream, std::size_t* n) = nullptr;
    Status (*pushExternalId)(std::uint32_t kind, std::uint64_t id) = nullptr;
    Status (*popExternalId)(std::uint32_t kind, std::uint64_t* last) = nullptr;
    Status (*getTimestamp)(std::uint64_t* timestamp) = nullptr;
    Status (*graphNodeId)(void* node, std::uint64_t* id) = nullptr;

    Status (*hostInitialise)(HostInitialise*) = nullptr;
    Status (*hostDeinitialise)(HostDeinitialise*) = nullptr;
    Status (*hostChips)(HostChips*) = nullptr;
    Status (*hostMetrics)(HostMetrics*) = nullptr;
    Status (*hostProperties)(HostProperties*) = nullptr;
    Status (*hostAddMetrics)(HostAddMetrics*) = nullptr;
    Status (*hostImageSize)(HostImageSize*) = nullptr;
    Status (*hostImage)(HostImage*) = nullptr;
    Status (*hostPasses)(HostPasses*) = nullptr;
};

/// Keeps the library open as long as it lives, or for good once CUPTI has its hooks in the process.
class Library {
  public:
    /// Tries $LANESCOPE_CUPTI, then libcupti.so.13 where the system looks, then the toolkit's.
    /// Errors: NoDevice, in one line with what to install.
    static Result<std::shared_ptr<Library>> open();
    /// The same for one file.
    static Result<std::shared_ptr<Library>> openFile(const std::string& path);

    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library();

    /// CUPTI leaves threads and handlers behind once it traced: it must not be unloaded then.
    void keepLoaded() { m_keep = true; }
    [[nodiscard]] const Api& api() const { return m_api; }
    [[nodiscard]] std::uint32_t version() const { return m_version; }  ///< 130001 = 13.0.1

  private:
    explicit Library(void* handle) : m_handle(handle) {}

    void* m_handle;
    bool m_keep = false;
    Api m_api;
    std::uint32_t m_version = 0;
};

/// Whether NVIDIA's driver is installed. Asked first: without it CUPTI's own answers mislead.
Result<void> driverPresent();

/// A refusal of CUPTI as an error for people: what it means and what to do. `what` was tried.
Error refusal(const Api& api, Status status, const std::string& what);

/// "13.0" of 130001.
std::string versionText(std::uint32_t version);

}  // namespace lanescope::profiler::cupti
