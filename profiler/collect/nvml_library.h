#pragma once
// NVML, opened when it is wanted and never linked: power, clocks, memory and temperature of a
// device. Each figure may be missing on its own (virtual machines, laptops, MIG); then it stays -1
// and the reason is kept. A table can be filled by hand in tests.

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "profiler/store/device_activity.h"

namespace lanescope::profiler::nvml {

using Status = std::int32_t;
inline constexpr Status kSuccess = 0;
inline constexpr Status kNotSupported = 3;
inline constexpr std::uint32_t kClockSm = 1, kClockMemory = 2;
inline constexpr std::uint32_t kTemperatureGpu = 0;

struct MemoryInfo {
    std::uint64_t total, free, used;
};

/// Functions of NVML by their names without the prefix; see its API reference.
struct Api {
    Status (*init)() = nullptr;
    Status (*shutdown)() = nullptr;
    const char* (*errorString)(Status status) = nullptr;
    Status (*count)(std::uint32_t* n) = nullptr;
    Status (*handleByIndex)(std::uint32_t index, void** device) = nullptr;
    Status (*handleByUuid)(const char* uuid, void** device) = nullptr;
    Status (*name)(void* device, char* text, std::uint32_t size) = nullptr;
    Status (*power)(void* device, std::uint32_t* milliwatts) = nullptr;
    Status (*clock)(void* device, std::uint32_t type, std::uint32_t* mhz) = nullptr;
    Status (*memory)(void* device, MemoryInfo* info) = nullptr;
    Status (*temperature)(void* device, std::uint32_t sensor, std::uint32_t* celsius) = nullptr;
};

enum class Figure : std::uint8_t { Power, SmClock, MemoryClock, Temperature, Memory };
inline constexpr int kFigureCount = static_cast<int>(Figure::Memory) + 1;

/// One device's sensors. One thread at a time.
class Sensors {
  public:
    /// By uuid where one is given (NVML counts in another order than CUDA), else by number.
    /// Errors: NoDevice with the reason.
    static Result<std::unique_ptr<Sensors>> open(const Api& api, std::int32_t device,
                                                 const std::string& uuid);

    /// What the sensors say now; time is nowNs().
    DeviceSample read();
    /// Why a figure is missing, as of the last reading; empty = it is there.
    [[nodiscard]] const std::string& missing(Figure figure) const {
        return m_missing[static_cast<std::size_t>(figure)];
    }

  private:
    Sensors(const Api& api, std::int32_t device, void* handle)
        : m_api(api), m_device(device), m_handle(handle) {}
    /// Keeps the reason of a failure.
    bool good(Figure figure, Status status);

    Api m_api;
    std::int32_t m_device;
    void* m_handle;
    std::array<std::string, kFigureCount> m_missing;
};

/// Keeps NVML open and initialised as long as it lives.
class Library {
  public:
    /// Opens libnvidia-ml.so.1. Errors: NoDevice, in one line.
    static Result<std::shared_ptr<Library>> open();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library();
    [[nodiscard]] const Api& api() const { return m_api; }

  private:
    explicit Library(void* handle) : m_handle(handle) {}
    void* m_handle;
    Api m_api;
    bool m_initialised = false;
};

}  // namespace lanescope::profiler::nvml
