#pragma once
// Spans of a pass by the device's own clock: an event after every operation. Their place on the
// host's clock follows from the end of the pass, which the host waits for (some microseconds late).

#include <memory>
#include <vector>

#include "engine/backend/cuda/gpu_device.h"
#include "engine/trace/sink.h"

namespace lanescope {

class GpuTimeline {
  public:
    struct Mark {
        trace::Op op;
        int layer;
        std::uint64_t bytes, flops;
    };
    explicit GpuTimeline(GpuDevice& device) : m_device(device) {}

    /// Forgets the marks of the pass before. Off: mark() does nothing.
    void start(bool on);
    [[nodiscard]] bool on() const { return m_on; }
    /// The marks of a recorded pass, whose events its graph passes again.
    void resume(std::vector<Mark> marks) {
        m_marks = std::move(marks);
        m_on = true;
    }
    /// Queued: `op` ends here.
    void mark(trace::Op op, int layer, std::uint64_t bytes, std::uint64_t flops);
    /// What an operation of a recorded pass moves and computes this time.
    void revise(trace::Op op, int layer, std::uint64_t bytes, std::uint64_t flops);
    /// After the stream has been waited for: gives the spans to the cursor's sink.
    void finish(const trace::Cursor& cursor);

    [[nodiscard]] const std::vector<Mark>& marks() const { return m_marks; }

  private:
    GpuEvent* event(std::size_t i);

    GpuDevice& m_device;
    bool m_on = false;
    std::vector<std::unique_ptr<GpuEvent>> m_events;  ///< [0] the start, then one a mark; reused
    std::vector<Mark> m_marks;
};

}  // namespace lanescope
