// Any bytes as a trace file: reading must end in a Result, and what was read must be in order and
// inside its lists.

#include <cstdio>
#include <cstdlib>

#include "profiler/import/chrome_trace.h"

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken property: %s\n", what);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanescope;
    profiler::TraceLimits limits;
    limits.maxEvents = 10'000;
    limits.maxTracks = 64;
    limits.bytes.maxTextBytes = 1 << 16;
    const auto trace = profiler::parseChromeTrace({reinterpret_cast<const char*>(data), size},
                                                  "fuzz.json", limits);
    if (!trace) {
        require(!trace.error().toString().empty(), "an error says something");
        return 0;
    }
    const auto& t = **trace;
    require(!t.events.empty() && t.tracks.size() <= limits.maxTracks, "within the limits");
    for (std::size_t i = 0; i < t.events.size(); ++i) {
        const auto& e = t.events[i];
        require(e.tStartNs >= 0 && e.tEndNs >= e.tStartNs, "times are in order");
        require(e.name < t.names.size() && e.category < t.names.size(), "names are there");
        require(e.track < t.tracks.size() && t.tracks[e.track].process < t.processes.size(),
                "threads are there");
        if (i == 0) continue;
        const auto& before = t.events[i - 1];
        require(
            before.track < e.track || (before.track == e.track && before.tStartNs <= e.tStartNs),
            "events are sorted");
    }
    return 0;
}
