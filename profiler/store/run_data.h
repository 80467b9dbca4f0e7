#pragma once
// A run as the profiler holds it: an immutable snapshot, live or reopened, that every view, export
// and comparison reads. Times are nanoseconds since the run's start.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/trace/events.h"
#include "engine/trace/run_record.h"
#include "profiler/store/device_activity.h"
#include "profiler/store/shared_list.h"

namespace lanescope::profiler {

/// The lists of a run read like vectors (size, [], range-for, iterators, front, back); snapshots
/// share their memory. Build one by hand with push_back; change an element with edit(i) or
/// replace(i, value).
using TokenList = SharedList<trace::TokenRecord, 64>;
using SpanList = SharedList<trace::Span, 1024>;
using KvEventList = SharedList<trace::KvEvent, 256>;
using DeviceActivityList = SharedList<DeviceActivity, 512>;
using DeviceNameList = SharedList<std::string, 64>;
using DeviceSampleList = SharedList<DeviceSample, 256>;

/// A request with its tokens. While it runs, record.finish is None and tokens grow from snapshot to
/// snapshot.
struct RequestData {
    trace::RequestRecord record;
    TokenList tokens;
    std::int32_t prefillDone = 0;  ///< prompt tokens processed so far
};

using RequestList = SharedList<RequestData, 1>;

struct RunData {
    trace::RunHeader header;
    trace::RunStatus status = trace::RunStatus::Running;
    std::string error;
    std::vector<trace::LaneRecord> lanes;
    RequestList requests;  ///< in the order they were started
    SpanList spans;        ///< by start time; of equal starts the longer (enclosing) first
    KvEventList kvEvents;
    DeviceActivityList deviceActivities;  ///< by start time; of equal starts the longer first
    DeviceNameList deviceNames;           ///< of kernels and the like; each once, only ever grows
    DeviceSampleList deviceSamples;       ///< in the order they were taken
    std::vector<DeviceFacts> devices;     ///< by number
    DeviceTiming deviceTiming;
    std::uint64_t droppedSpans = 0;  ///< lost because a ring was full; shown wherever spans are
    std::uint64_t droppedEvents = 0;
    double spanCostNs = 0.0;  ///< measured when the recorder was made: one span, both clock reads
    std::uint64_t overheadNs = 0;  ///< est.: spans recorded or dropped x spanCostNs
};

/// The name of a kernel or the like; empty where it has none.
inline const std::string& nameOf(const RunData& run, const DeviceActivity& activity) {
    static const std::string kNone;
    const auto i = static_cast<std::size_t>(activity.name);
    return activity.name >= 0 && i < run.deviceNames.size() ? run.deviceNames[i] : kNone;
}

/// Snapshots are shared and never change.
using RunSnapshot = std::shared_ptr<const RunData>;

/// A row of the run history.
struct RunSummary {
    std::string id;
    std::string name;
    std::int64_t startedUnixMs = 0;
    trace::RunStatus status = trace::RunStatus::Running;
    std::int32_t nLanes = 0;
    std::int32_t nRequests = 0;
    std::string lanes;  ///< lanesText(): "A smollm2, kv fp16 | B …"
};

}  // namespace lanescope::profiler
