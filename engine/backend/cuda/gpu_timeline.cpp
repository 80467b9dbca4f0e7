#include "engine/backend/cuda/gpu_timeline.h"

#include "engine/base/clock.h"

namespace lanescope {

GpuEvent* GpuTimeline::event(std::size_t i) {
    while (m_events.size() <= i) m_events.push_back(m_device.makeEvent());
    return m_events[i].get();
}

void GpuTimeline::start(bool on) {
    m_on = on;
    m_marks.clear();
    if (!m_on) return;
    GpuEvent* first = event(0);
    if (first == nullptr || m_device.record(*first) != kernels::cuda::kSuccess) m_on = false;
}

void GpuTimeline::mark(trace::Op op, int layer, std::uint64_t bytes, std::uint64_t flops) {
    if (!m_on) return;
    GpuEvent* end = event(m_marks.size() + 1);
    if (end == nullptr || m_device.record(*end) != kernels::cuda::kSuccess) {
        m_on = false;
        return;
    }
    m_marks.push_back({op, layer, bytes, flops});
}

void GpuTimeline::revise(trace::Op op, int layer, std::uint64_t bytes, std::uint64_t flops) {
    for (Mark& mark : m_marks) {
        if (mark.op != op || mark.layer != layer) continue;
        mark.bytes = bytes;
        mark.flops = flops;
    }
}

void GpuTimeline::finish(const trace::Cursor& cursor) {
    if (!m_on || cursor.sink == nullptr || m_marks.empty()) return;
    std::int64_t total = 0;
    if (m_device.elapsed(*m_events[0], *m_events[m_marks.size()], total) != kernels::cuda::kSuccess)
        return;
    const std::int64_t tStart = nowNs() - total;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        std::int64_t after = 0;
        if (m_device.elapsed(*m_events[0], *m_events[i + 1], after) != kernels::cuda::kSuccess)
            return;
        trace::Span span;
        span.tStartNs = tStart + before;
        span.tEndNs = tStart + after;
        span.bytes = m_marks[i].bytes;
        span.flops = m_marks[i].flops;
        span.request = cursor.request;
        span.step = cursor.step;
        span.layer = static_cast<std::int16_t>(m_marks[i].layer);
        span.lane = cursor.lane;
        span.op = m_marks[i].op;
        cursor.sink->span(span);
        before = after;
    }
}

}  // namespace lanescope
