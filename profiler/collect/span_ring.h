#pragma once
// The bounded ring between the engine thread and the collector: one producer, one consumer, no
// locks, no allocation after the start. A full ring drops the new span and counts it.

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

#include "engine/trace/events.h"

namespace lanescope::profiler {

/// push() on one thread, drain() on one other.
class SpanRing {
  public:
    /// Capacity is rounded up to a power of two, at least 2.
    explicit SpanRing(std::size_t capacity)
        : m_capacity(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity)),
          m_slots(std::make_unique<trace::Span[]>(m_capacity)) {}

    /// False when the ring was full and the span was dropped.
    bool push(const trace::Span& span) {
        const std::uint64_t head = m_head.load(std::memory_order_relaxed);
        if (head - m_seenTail >= m_capacity) {
            m_seenTail = m_tail.load(std::memory_order_acquire);
            if (head - m_seenTail >= m_capacity) {
                m_dropped.fetch_add(1, std::memory_order_relaxed);
                return false;
            }
        }
        m_slots[head & (m_capacity - 1)] = span;
        m_head.store(head + 1, std::memory_order_release);
        return true;
    }

    /// Hands every waiting span to fn, oldest first; returns how many.
    template <class Fn>
    std::size_t drain(Fn&& fn) {
        const std::uint64_t tail = m_tail.load(std::memory_order_relaxed);
        const std::uint64_t head = m_head.load(std::memory_order_acquire);
        for (std::uint64_t i = tail; i < head; ++i) fn(m_slots[i & (m_capacity - 1)]);
        m_tail.store(head, std::memory_order_release);
        return static_cast<std::size_t>(head - tail);
    }

    [[nodiscard]] std::uint64_t dropped() const {
        return m_dropped.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t capacity() const { return m_capacity; }

  private:
    std::size_t m_capacity;
    std::unique_ptr<trace::Span[]> m_slots;
    alignas(64) std::atomic<std::uint64_t> m_head{0};
    std::uint64_t m_seenTail = 0;  ///< producer's last view of m_tail
    alignas(64) std::atomic<std::uint64_t> m_tail{0};
    alignas(64) std::atomic<std::uint64_t> m_dropped{0};
};

}  // namespace lanescope::profiler
