#pragma once
// Where each activation lies in the CPU backend's one allocation. The same walk gives the size
// before anything is allocated and the pointers afterwards, so an estimate cannot drift.

#include <cstddef>
#include <cstdint>

#include "engine/backend/backend.h"

namespace lanescope {

/// Hands out aligned parts of an allocation; with a null base it only counts.
class Arena {
  public:
    explicit Arena(std::byte* base) : m_base(base) {}

    template <class T>
    T* take(std::int64_t count) {
        const std::uint64_t offset = m_used;
        m_used += (static_cast<std::uint64_t>(count) * sizeof(T) + kAlignment - 1) / kAlignment *
                  kAlignment;
        return m_base == nullptr ? nullptr : reinterpret_cast<T*>(m_base + offset);
    }
    [[nodiscard]] std::uint64_t used() const { return m_used; }

  private:
    static constexpr std::uint64_t kAlignment = 64;
    std::byte* m_base;
    std::uint64_t m_used = 0;
};

/// With fewer items of attention than this a thread, their keys are shared out too.
inline constexpr std::int64_t kSharedItemsPerThread = 4;

/// Everything the CPU backend allocates.
struct CpuWorkspace {
    Workspace activations;
    std::int32_t* positions = nullptr;
    float* dynamicFrequencies = nullptr;
    float* attentionScratch = nullptr;
    std::int64_t attentionFloats = 0;  ///< per thread
    float* attentionPartial = nullptr;
    std::int64_t partialFloats = 0;
};

CpuWorkspace layOutWorkspace(const ModelSpec& spec, const BackendSettings& settings, Arena& arena);

}  // namespace lanescope
