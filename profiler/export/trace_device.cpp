// The devices' side of the trace export.

#include <algorithm>
#include <map>
#include <tuple>

#include "profiler/analyse/device_links.h"
#include "profiler/export/trace_lines.h"

namespace lanescope::profiler {

namespace {

int devicePid(std::int32_t device) {
    return kFirstDevicePid + device;
}

/// Threads of a trace hold slices that nest; activities of a stream may overlap (graphs, copies),
/// so a stream has as many rows as it needs.
class Rows {
  public:
    explicit Rows(TraceLines& lines) : m_lines(lines) {}

    /// The thread for an activity; activities come by start time.
    int threadOf(const DeviceActivity& a) {
        const auto stream = std::make_tuple(a.device, a.context, a.stream);
        std::vector<Row>& ends = m_ends[stream];
        const auto free = std::find_if(ends.begin(), ends.end(),
                                       [&a](const Row& row) { return row.endNs <= a.tStartNs; });
        if (free != ends.end()) {
            free->endNs = std::max(a.tEndNs, a.tStartNs);
            return free->thread;
        }
        const int thread = ++m_nThreads[a.device];
        std::string name = a.stream < 0 ? "no stream" : "stream " + std::to_string(a.stream);
        if (a.context >= 0) name += ", context " + std::to_string(a.context);
        if (!ends.empty()) name += ", row " + std::to_string(ends.size() + 1);
        m_lines.add(nameEvent("thread_name", devicePid(a.device), thread, name));
        ends.push_back({std::max(a.tEndNs, a.tStartNs), thread});
        return thread;
    }

  private:
    struct Row {
        std::int64_t endNs = 0;
        int thread = 0;
    };
    TraceLines& m_lines;
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::vector<Row>> m_ends;
    std::map<std::int32_t, int> m_nThreads;
};

void addNames(const RunData& run, TraceLines& lines) {
    std::map<std::int32_t, std::string> names;
    for (const auto& a : run.deviceActivities) {
        names.try_emplace(a.device,
                          a.device < 0 ? "profiler" : "device " + std::to_string(a.device));
    }
    for (const auto& d : run.devices) {
        names[d.device] = "device " + std::to_string(d.device) + " " + d.name;
    }
    for (const auto& [device, name] : names) {
        lines.add(nameEvent("process_name", devicePid(device), 0, name));
        lines.add(sortEvent(devicePid(device), devicePid(device)));
    }
}

Json known(std::int64_t v) {
    return v < 0 ? Json(nullptr) : Json(v);
}

Json arguments(const DeviceActivity& a) {
    const std::int64_t ns = a.tEndNs - a.tStartNs;
    Json args = {
        {"op", a.op < 0 ? Json(nullptr) : Json(trace::opName(static_cast<trace::Op>(a.op)))},
        {"layer", known(a.layer)},
        {"lane", known(a.lane)},
        {"request", known(a.request)},
        {"step", known(a.step)},
        {"correlation", a.correlation},
        {"graphNode", a.graphNode},
        {"startNs", a.tStartNs},
        {"endNs", a.tEndNs}};
    if (a.kind == DeviceActivityKind::Kernel) {
        args["grid"] = a.grid;
        args["block"] = a.block;
        args["registersPerThread"] = a.registersPerThread;
        args["staticSharedBytes"] = a.staticSharedBytes;
        args["dynamicSharedBytes"] = a.dynamicSharedBytes;
        args["theoreticalOccupancy"] = a.occupancy > 0.0F ? Json(a.occupancy) : Json(nullptr);
    } else if (a.bytes != 0) {
        args["bytes"] = a.bytes;
        args["GB/s"] =
            ns > 0 ? Json(static_cast<double>(a.bytes) / static_cast<double>(ns)) : Json(nullptr);
    }
    return args;
}

/// An arrow binds to the slices around its ends.
void addArrow(std::size_t id, const trace::Span& from, const DeviceActivity& to, int thread,
              TraceLines& lines) {
    const Json common = {
        {"name", "launch"}, {"cat", "launch"}, {"id", id}, {"args", Json::object()}};
    Json start = common;
    start.update({{"ph", "s"},
                  {"pid", lanePid(from.lane)},
                  {"tid", kEngineThread},
                  {"ts", micros(from.tStartNs)}});
    lines.add(start);
    Json end = common;
    end.update({{"ph", "f"},
                {"bp", "e"},
                {"pid", devicePid(to.device)},
                {"tid", thread},
                {"ts", micros(to.tStartNs)}});
    lines.add(end);
}

void addSamples(const RunData& run, TraceLines& lines) {
    for (const auto& s : run.deviceSamples) {
        auto counter = [&](const char* name, const char* unit, double value) {
            lines.add({{"ph", "C"},
                       {"name", name},
                       {"pid", devicePid(s.device)},
                       {"tid", 0},
                       {"ts", micros(s.tNs)},
                       {"args", {{unit, value}}}});
        };
        if (s.powerMilliwatts >= 0) counter("power", "W", s.powerMilliwatts / 1e3);
        if (s.smClockMHz >= 0) counter("SM clock", "MHz", s.smClockMHz);
        if (s.memoryClockMHz >= 0) counter("memory clock", "MHz", s.memoryClockMHz);
        if (s.temperatureC >= 0) counter("temperature", "°C", s.temperatureC);
        if (s.memoryUsedBytes >= 0) {
            counter("memory used", "bytes", static_cast<double>(s.memoryUsedBytes));
        }
    }
}

}  // namespace

void addDeviceTracks(const RunData& run, TraceLines& lines) {
    addNames(run, lines);
    const auto spans = launchingSpans(run);
    Rows rows(lines);
    for (std::size_t i = 0; i < run.deviceActivities.size(); ++i) {
        const DeviceActivity& a = run.deviceActivities[i];
        const int thread = rows.threadOf(a);
        const std::string& name = nameOf(run, a);
        lines.add({{"ph", "X"},
                   {"name", name.empty() ? deviceActivityKindName(a.kind) : name},
                   {"cat", deviceActivityKindName(a.kind)},
                   {"pid", devicePid(a.device)},
                   {"tid", thread},
                   {"ts", micros(a.tStartNs)},
                   {"dur", micros(std::max<std::int64_t>(0, a.tEndNs - a.tStartNs))},
                   {"args", arguments(a)}});
        if (spans[i] < 0) continue;
        addArrow(i, run.spans[static_cast<std::size_t>(spans[i])], a, thread, lines);
    }
    addSamples(run, lines);
}

}  // namespace lanescope::profiler
