#pragma once
// The one way up: the engine calls a Sink and never knows who listens. With no sink attached a span
// costs one branch.

#include "engine/base/clock.h"
#include "engine/trace/device_hooks.h"
#include "engine/trace/events.h"
#include "engine/trace/run_record.h"
#include "engine/trace/serving.h"

namespace lanescope::trace {

/// Receives events on the engine thread. Implementations must be quick and must not throw or block.
class Sink {
  public:
    virtual ~Sink() = default;

    /// What a backend on a device calls around its launches; null: nobody times devices.
    [[nodiscard]] virtual DeviceHooks* deviceHooks() { return nullptr; }

    virtual void span(const Span&) {}
    virtual void kv(const KvEvent&) {}
    /// Whether block() is wanted: it is called once a block.
    [[nodiscard]] virtual bool wantsBlocks() const { return false; }
    virtual void block(const BlockEvent&) {}

    virtual void runStarted(const RunHeader&) {}
    virtual void laneReady(const LaneRecord&) {
    }  ///< after loading; again when memory figures become known
    virtual void requestStarted(const RequestRecord&) {}
    virtual void prefillProgress(std::int32_t /*request*/, std::int32_t /*done*/,
                                 std::int32_t /*total*/) {}
    virtual void token(const TokenRecord&) {}
    virtual void requestFinished(const RequestRecord&) {}  ///< the completed record
    virtual void runFinished(RunStatus, const std::string& /*error*/) {}

    virtual void batchStep(const BatchStep&) {}
    virtual void served(const ServedRecord&) {}
};

/// Where the engine is: the labels a span gets. Owned by whoever runs the forward pass.
struct Cursor {
    Sink* sink = nullptr;
    std::int16_t lane = -1;
    std::int32_t request = -1;
    std::int32_t step = -1;
};

/// Measures its own lifetime; does nothing without a sink.
class ScopedSpan {
  public:
    ScopedSpan(const Cursor& cursor, Op op, int layer, std::uint64_t bytes = 0,
               std::uint64_t flops = 0)
        : m_sink(cursor.sink) {
        if (m_sink == nullptr) return;
        m_span.op = op;
        m_span.layer = static_cast<std::int16_t>(layer);
        m_span.lane = cursor.lane;
        m_span.request = cursor.request;
        m_span.step = cursor.step;
        m_span.bytes = bytes;
        m_span.flops = flops;
        m_span.tStartNs = nowNs();
    }
    ScopedSpan(const ScopedSpan&) = delete;
    ScopedSpan& operator=(const ScopedSpan&) = delete;
    ~ScopedSpan() {
        if (m_sink == nullptr) return;
        m_span.tEndNs = nowNs();
        m_sink->span(m_span);
    }

  private:
    Sink* m_sink;
    Span m_span;
};

}  // namespace lanescope::trace
