#pragma once
// Parts of one allocation. The same walk gives the size before anything is allocated and the
// pointers afterwards, so an estimate cannot drift.

#include <cstddef>
#include <cstdint>

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

}  // namespace lanescope
