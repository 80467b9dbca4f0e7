#pragma once
// Spans of operations that share one fork: the calling thread marks the end of each of its parts,
// the last one also gets the wait for the other threads. Costs one branch without a sink.

#include <array>
#include <cstdint>

#include "engine/trace/sink.h"

namespace lanescope {

class SpanSeries {
  public:
    SpanSeries(const trace::Cursor& cursor, int layer) : m_cursor(cursor), m_layer(layer) {
        if (m_cursor.sink != nullptr) m_tNs = nowNs();
    }
    SpanSeries(const SpanSeries&) = delete;
    SpanSeries& operator=(const SpanSeries&) = delete;

    /// On the calling thread: `op` ends here.
    void mark(trace::Op op, std::uint64_t bytes, std::uint64_t flops) {
        if (m_cursor.sink == nullptr || m_count == kMost) return;
        m_marks[m_count++] = {op, nowNs(), bytes, flops};
    }
    ~SpanSeries() {
        if (m_cursor.sink == nullptr || m_count == 0) return;
        m_marks[m_count - 1].tEndNs = nowNs();
        for (std::size_t i = 0; i < m_count; ++i) {
            const Mark& mark = m_marks[i];
            trace::Span span;
            span.tStartNs = m_tNs;
            span.tEndNs = m_tNs = mark.tEndNs;
            span.bytes = mark.bytes;
            span.flops = mark.flops;
            span.request = m_cursor.request;
            span.step = m_cursor.step;
            span.layer = static_cast<std::int16_t>(m_layer);
            span.lane = m_cursor.lane;
            span.op = mark.op;
            m_cursor.sink->span(span);
        }
    }

  private:
    static constexpr std::size_t kMost = 4;
    struct Mark {
        trace::Op op;
        std::int64_t tEndNs;
        std::uint64_t bytes;
        std::uint64_t flops;
    };
    const trace::Cursor& m_cursor;
    int m_layer;
    std::int64_t m_tNs = 0;
    std::size_t m_count = 0;
    std::array<Mark, kMost> m_marks;
};

}  // namespace lanescope
