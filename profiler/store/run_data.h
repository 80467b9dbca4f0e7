#pragma once
// A run as the profiler holds it: an immutable snapshot, live or reopened, that every view, export
// and comparison reads. Times are nanoseconds since the run's start.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/trace/events.h"
#include "engine/trace/run_record.h"

namespace lanescope::profiler {

/// A request with its tokens. While it runs, record.finish is None and tokens grow from snapshot to
/// snapshot.
struct RequestData {
    trace::RequestRecord record;
    std::vector<trace::TokenRecord> tokens;
    std::int32_t prefillDone = 0;  ///< prompt tokens processed so far
};

struct RunData {
    trace::RunHeader header;
    trace::RunStatus status = trace::RunStatus::Running;
    std::string error;
    std::vector<trace::LaneRecord> lanes;
    std::vector<RequestData> requests;  ///< in the order they were started
    std::vector<trace::Span> spans;     ///< by start time
    std::vector<trace::KvEvent> kvEvents;
    std::uint64_t droppedSpans = 0;  ///< lost because a ring was full; shown wherever spans are
    std::uint64_t droppedEvents = 0;
};

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
    std::string lanes;  ///< "A smollm2 kv fp16 | B …", for display
};

}  // namespace lanescope::profiler
