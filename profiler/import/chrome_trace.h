#pragma once
// Chrome/Perfetto JSON ("traceEvents", or the bare array), as this program, the PyTorch profiler,
// exporters of nsys and llama.cpp-like tools write it. The file is not trusted: sizes, nesting and
// counts are limited. Format: "Trace Event Format" (Google, 2016). X, B/E and M are understood,
// flows are left out, other phases are counted.

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "profiler/import/trace_bytes.h"
#include "profiler/store/imported_trace.h"

namespace lanescope::profiler {

struct TraceLimits {
    ByteLimits bytes;
    std::uint64_t maxEvents = 20'000'000;  ///< shown; what follows is not, and is said
    std::uint64_t maxNameBytes = 256 << 20;
    std::size_t maxTracks = 4096;
    std::size_t maxOpenEvents = 1 << 16;  ///< B without E, per thread
    int maxDepth = 64;
};

/// Shared with whoever waits. Any thread.
struct TraceReading {
    std::atomic<bool> cancel{false};
    std::atomic<double> fraction{0.0};
};

/// Errors: Io; BadInput (not JSON, no list of events in it, no event with a time, over a limit);
/// Cancelled. A file that ends in the middle is read as far as it goes (cutOff).
Result<std::shared_ptr<const ImportedTrace>> readChromeTrace(const std::string& path,
                                                             const TraceLimits& limits = {},
                                                             TraceReading* reading = nullptr);
Result<std::shared_ptr<const ImportedTrace>> parseChromeTrace(std::string_view json,
                                                              const std::string& path,
                                                              const TraceLimits& limits = {},
                                                              TraceReading* reading = nullptr);

}  // namespace lanescope::profiler
