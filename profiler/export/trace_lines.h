#pragma once
// What the parts of the trace export share: one event a line, microseconds, names of tracks.

#include <cstdint>
#include <string>

#include "engine/base/json.h"
#include "profiler/export/json_forms.h"
#include "profiler/store/run_data.h"

namespace lanescope::profiler {

inline constexpr int kEngineThread = 1;
inline constexpr int kRequestThread = 2;
inline constexpr int kFirstDevicePid = 2001;  ///< above all lanes; 2000 is what has no device

inline int lanePid(std::int32_t lane) {
    return lane + 1;  // 0 is what belongs to no lane
}

/// Microseconds as a decimal number with all nanoseconds: a double has them up to 104 days.
inline Json micros(std::int64_t ns) {
    return static_cast<double>(ns) / 1e3;
}

inline Json nameEvent(const char* what, int pid, int tid, const std::string& name) {
    return {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}};
}

inline Json sortEvent(int pid, int index) {
    return {{"ph", "M"},
            {"name", "process_sort_index"},
            {"pid", pid},
            {"tid", 0},
            {"args", {{"sort_index", index}}}};
}

class TraceLines {
  public:
    void add(const Json& event) {
        m_out += m_first ? "\n" : ",\n";
        m_first = false;
        m_out += dumpJson(event);
    }
    std::string& text() { return m_out; }

  private:
    std::string m_out;
    bool m_first = true;
};

/// A process a device, a thread a stream, arrows from engine spans to what they launched, counters
/// for the sensors.
void addDeviceTracks(const RunData& run, TraceLines& lines);

}  // namespace lanescope::profiler
