#pragma once
// A trace that another program (or an export of ours) wrote, as data: named stretches of time on
// the threads of processes. Read by import/chrome_trace.h; a RunData that carries one has nothing
// else.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::profiler {

/// One stretch of time. What the file does not say is 0, or -1 for indices.
struct TraceEvent {
    std::int64_t tStartNs = 0;  ///< since the first event of the trace
    std::int64_t tEndNs = 0;
    std::uint64_t bytes = 0;
    std::uint64_t flops = 0;
    std::uint64_t link = 0;      ///< shared by a call and the kernels it launched; 0: none
    std::uint32_t name = 0;      ///< index in ImportedTrace::names
    std::uint32_t category = 0;  ///< index in ImportedTrace::names
    std::uint32_t track = 0;     ///< index in ImportedTrace::tracks
    std::int32_t request = -1;
    std::int32_t step = -1;
    std::int16_t layer = -1;
    bool device = false;      ///< timed by a device: a kernel, copy or set
    float occupancy = -1.0F;  ///< 0 … 1
};

/// A thread or stream of a process.
struct TraceTrack {
    std::uint32_t process = 0;  ///< index in ImportedTrace::processes
    std::string id;             ///< tid as the file writes it
    std::string name;           ///< empty: not named
    std::int64_t sortIndex = 0;
};

struct TraceProcess {
    std::string id;  ///< pid as the file writes it
    std::string name;
    std::int64_t sortIndex = 0;
};

struct ImportedTrace {
    std::string path;
    std::vector<std::string> names;  ///< each once; 0 is ""
    std::vector<TraceProcess> processes;
    std::vector<TraceTrack> tracks;
    std::vector<TraceEvent> events;  ///< by track, then start; of equal starts the longer first
    /// Calls and kernels by what links them: (link, index in events), sorted.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> links;
    std::map<std::string, std::uint64_t> notShown;  ///< events by phase ("C", "b" …)
    std::uint64_t unclosed = 0;   ///< begun, never ended: they end with their thread
    std::uint64_t unopened = 0;   ///< ended, never begun: left out
    std::uint64_t broken = 0;     ///< without a time, or with one that is no number: left out
    bool cutOff = false;          ///< the file ends in the middle
    std::uint64_t overLimit = 0;  ///< the reader's limit of events, when it was met; 0: it was not
};

}  // namespace lanescope::profiler
