#pragma once
// A model's tensors in device memory, in their stored formats: found by where the host has them.

#include <unordered_map>

#include "engine/backend/cuda/gpu_memory.h"
#include "engine/base/cancel.h"
#include "engine/model/model.h"

namespace lanescope {

class DeviceWeights {
  public:
    /// Bytes a copy takes.
    static std::uint64_t requiredBytes(const Model& model);
    /// The model's weights on that device: those a living lane uses already, or a copy made now.
    /// Errors: Unsupported naming a format the device has no kernels for; OutOfMemory with the
    /// bytes; Cancelled.
    static Result<std::shared_ptr<const DeviceWeights>> of(const Model& model,
                                                           std::shared_ptr<GpuDevice> device,
                                                           bool exact, const CancelToken& cancel);

    /// Where the device has what the host has at `host`; null for null. Precondition: one of the
    /// model's tensors, bias vectors or frequency tables.
    template <class T>
    [[nodiscard]] const T* find(const T* host) const {
        return host == nullptr ? nullptr : static_cast<const T*>(m_at.at(host));
    }
    [[nodiscard]] std::uint64_t bytes() const { return m_memory.bytes(); }

  private:
    DeviceWeights() = default;
    Result<void> fill(const Model& model, const CancelToken& cancel);

    std::shared_ptr<GpuDevice> m_device;
    GpuMemory m_memory;
    std::unordered_map<const void*, const void*> m_at;
};

}  // namespace lanescope
