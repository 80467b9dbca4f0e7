#pragma once
// Owners of a device's memory. The device has to outlive them.

#include <utility>

#include "engine/backend/cuda/gpu_device.h"

namespace lanescope {

/// Device or pinned host memory.
class GpuMemory {
  public:
    enum class Kind : std::uint8_t { Device, Host };

    GpuMemory() = default;
    GpuMemory(GpuDevice& device, Kind kind, std::uint64_t bytes)
        : m_device(&device),
          m_kind(kind),
          m_bytes(bytes),
          m_data(bytes == 0             ? nullptr
                 : kind == Kind::Device ? device.allocate(bytes)
                                        : device.allocateHost(bytes)) {}
    GpuMemory(GpuMemory&& other) noexcept { swap(other); }
    GpuMemory& operator=(GpuMemory&& other) noexcept {
        swap(other);
        return *this;
    }
    GpuMemory(const GpuMemory&) = delete;
    GpuMemory& operator=(const GpuMemory&) = delete;
    ~GpuMemory() {
        if (m_data == nullptr) return;
        if (m_kind == Kind::Device)
            m_device->release(m_data);
        else
            m_device->releaseHost(m_data);
    }

    [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(m_data); }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    /// Whether the device gave what was asked for.
    [[nodiscard]] bool present() const { return m_data != nullptr || m_bytes == 0; }

  private:
    void swap(GpuMemory& other) noexcept {
        std::swap(m_device, other.m_device);
        std::swap(m_kind, other.m_kind);
        std::swap(m_bytes, other.m_bytes);
        std::swap(m_data, other.m_data);
    }

    GpuDevice* m_device = nullptr;
    Kind m_kind = Kind::Device;
    std::uint64_t m_bytes = 0;
    void* m_data = nullptr;
};

}  // namespace lanescope
