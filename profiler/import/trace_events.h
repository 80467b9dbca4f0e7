#pragma once
// The events of a Chrome trace one after another, as they stand in the file: nothing is paired,
// nothing kept. Read next: chrome_trace.cpp, which makes tracks of them.

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace lanescope::profiler {

/// What an event says. Empty or -1: not said.
struct RawEvent {
    std::string phase, name, category, pid, tid;
    std::optional<std::int64_t> tNs, durationNs;
    bool badNumber = false;  ///< ts or dur is there, and is no time
    // From args.
    std::string argName;  ///< of metadata
    std::int64_t sortIndex = 0;
    std::int64_t correlation = 0, externalId = 0;
    std::int64_t bytes = 0, flops = 0, layer = -1, step = -1, request = -1;
    double occupancyPercent = -1.0;
};

/// Microseconds, as a decimal number in a text, in ns; nothing when it is no number or a time of
/// more than 73 years.
std::optional<std::int64_t> microsToNs(std::string_view text);

struct EventStream {
    bool foundList = false;  ///< an array of events was there
    bool complete = false;   ///< the JSON ended as it should
    std::string problem;     ///< why not; with the byte where
    std::uint64_t atByte = 0;
};

/// Calls `take` for every event until it returns false. Anything outside the list of events is
/// skipped. Nesting over maxDepth is a problem.
EventStream readTraceEvents(std::istream& in, int maxDepth,
                            const std::function<bool(RawEvent&)>& take);

}  // namespace lanescope::profiler
