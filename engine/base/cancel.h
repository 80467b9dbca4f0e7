#pragma once
// A flag that one thread raises and another polls between layers or tokens.

#include <atomic>

namespace lanescope {

/// Cancel request shared between the person's thread and the engine's. All members are thread-safe.
class CancelToken {
  public:
    void request() { m_requested.store(true, std::memory_order_relaxed); }
    void reset() { m_requested.store(false, std::memory_order_relaxed); }
    [[nodiscard]] bool requested() const { return m_requested.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> m_requested{false};
};

}  // namespace lanescope
