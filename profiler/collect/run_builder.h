#pragma once
// Turns the stream of events into a RunData: times made relative, spans put in order of their
// start, requests found by id. Runs on the collector thread only; knows nothing of threads.

#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "profiler/store/run_data.h"

namespace lanescope::profiler {

struct PrefillProgress {
    std::int32_t request = 0, done = 0, total = 0;
};
struct RequestStarted {
    trace::RequestRecord record;
};
struct RequestFinished {
    trace::RequestRecord record;
};
struct RunFinished {
    trace::RunStatus status{};
    std::string error;
};
using Event = std::variant<trace::RunHeader, trace::LaneRecord, RequestStarted, PrefillProgress,
                           trace::TokenRecord, RequestFinished, trace::KvEvent, RunFinished,
                           DeviceActivityBatch, DeviceFacts, DeviceTiming, DeviceSample>;

/// How much of a run is kept; more is counted as dropped.
struct RunLimits {
    std::size_t spans = 2'000'000;
    std::size_t deviceActivities = 2'000'000;
    std::size_t deviceNames = 65'536;  ///< further ones stay nameless
    std::size_t deviceSamples = 1'000'000;
};

/// The run being put together. Not thread-safe.
class RunBuilder {
  public:
    RunBuilder(const RunLimits& limits, double spanCostNs);

    void apply(Event event);
    /// Adds what one drain of the ring gave; reordered in place.
    void addSpans(std::vector<trace::Span>& batch);
    void setDropped(std::uint64_t ringDrops, std::uint64_t queueDrops,
                    std::uint64_t deviceDrops = 0);

    [[nodiscard]] bool started() const { return m_started; }
    [[nodiscard]] bool finished() const { return m_run.status != trace::RunStatus::Running; }
    /// A copy that shares memory with this builder and later copies.
    [[nodiscard]] RunSnapshot snapshot();

  private:
    struct Open {
        std::size_t index = 0;
        RequestData data;
        bool dirty = false;
    };

    void on(trace::RunHeader header);
    void on(trace::LaneRecord lane);
    void on(RequestStarted started);
    void on(const PrefillProgress& progress);
    void on(trace::TokenRecord token);
    void on(RequestFinished finished);
    void on(trace::KvEvent event);
    void on(RunFinished finished);
    void on(DeviceActivityBatch batch);
    void on(DeviceFacts facts);
    void on(DeviceTiming timing);
    void on(DeviceSample sample);

    [[nodiscard]] std::int32_t deviceName(const std::string& name);  ///< -1: no room for more
    void ensureLane(std::int32_t index);  ///< every request's lane is in the run
    void makeRelative(trace::RequestRecord& record) const;
    [[nodiscard]] std::int64_t relative(std::int64_t ns) const { return ns - m_run.header.epochNs; }
    void publish(Open& open);

    RunData m_run;
    std::map<std::int32_t, Open> m_open;  ///< requests that may still change, by id
    std::unordered_map<std::string, std::int32_t> m_deviceNames;  ///< to places in the run's table
    RunLimits m_limits;
    std::uint64_t m_overLimit = 0;    ///< spans beyond the limit
    std::uint64_t m_deviceDrops = 0;  ///< activities beyond the limit or before the start
    std::uint64_t m_deviceQueueDrops = 0;
    std::uint64_t m_reportedDrops = 0;  ///< by the collector
    std::uint64_t m_unknown = 0;        ///< events for a request that never started
    std::uint64_t m_ringDrops = 0;
    std::uint64_t m_queueDrops = 0;
    bool m_started = false;
};

}  // namespace lanescope::profiler
