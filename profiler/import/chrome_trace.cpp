#include "profiler/import/chrome_trace.h"

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "profiler/import/trace_events.h"

namespace lanescope::profiler {

namespace {

constexpr std::uint64_t kCorrelation = 1ULL << 62;  // apart from external ids

bool isDevice(const std::string& category) {
    return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" ||
           category == "memcpy" || category == "memset" || category == "graph";
}

template <class T>
T within(std::int64_t value) {
    const bool fits =
        value >= -1 && value <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
    return static_cast<T>(fits ? value : -1);
}

/// Makes tracks of raw events, in whatever order they come.
class Assembler {
  public:
    Assembler(const TraceLimits& limits, TraceReading* reading)
        : m_limits(limits), m_reading(reading) {
        m_trace->names.emplace_back();
        m_names.emplace(std::string(), 0);
    }

    /// False: enough, see problem() and cancelled().
    bool take(RawEvent& e) {
        if (m_reading != nullptr && (++m_taken & 1023U) == 0 && m_reading->cancel.load()) {
            m_cancelled = true;
            return false;
        }
        if (e.phase == "X") return complete(e);
        if (e.phase == "B") return begin(e);
        if (e.phase == "E") return end(e);
        if (e.phase == "M") return metadata(e);
        if (e.phase == "s" || e.phase == "t" || e.phase == "f") return true;
        if (m_trace->notShown.size() < 64) ++m_trace->notShown[e.phase.substr(0, 8)];
        return true;
    }

    std::shared_ptr<ImportedTrace> finish() {
        closeOpen();
        sortTracks();
        ImportedTrace& t = *m_trace;
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        for (const auto& e : t.events) first = std::min(first, e.tStartNs);
        for (auto& e : t.events) {
            e.tStartNs -= first;
            e.tEndNs -= first;
        }
        std::sort(t.events.begin(), t.events.end(), [](const TraceEvent& a, const TraceEvent& b) {
            if (a.track != b.track) return a.track < b.track;
            if (a.tStartNs != b.tStartNs) return a.tStartNs < b.tStartNs;
            return a.tEndNs > b.tEndNs;
        });
        for (std::size_t i = 0; i < t.events.size(); ++i)
            if (t.events[i].link != 0)
                t.links.emplace_back(t.events[i].link, static_cast<std::uint32_t>(i));
        std::sort(t.links.begin(), t.links.end());
        return std::move(m_trace);
    }

    [[nodiscard]] const ImportedTrace& trace() const { return *m_trace; }
    [[nodiscard]] bool cancelled() const { return m_cancelled; }
    [[nodiscard]] const std::string& problem() const { return m_problem; }

  private:
    bool fail(std::string problem) {
        m_problem = std::move(problem);
        return false;
    }

    bool complete(const RawEvent& e) {
        if (!e.tNs || e.badNumber || e.durationNs.value_or(0) < 0) {
            ++m_trace->broken;
            return true;
        }
        return add(e, *e.tNs + e.durationNs.value_or(0));
    }

    bool add(const RawEvent& e, std::int64_t endNs) {
        if (m_trace->events.size() >= m_limits.maxEvents) {
            m_trace->overLimit = m_limits.maxEvents;
            return false;
        }
        TraceEvent out;
        if (!track(e, out.track) || !intern(e.name, out.name) || !intern(e.category, out.category))
            return false;
        out.tStartNs = *e.tNs;
        out.tEndNs = endNs;
        out.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, e.bytes));
        out.flops = static_cast<std::uint64_t>(std::max<std::int64_t>(0, e.flops));
        if (e.externalId > 0)
            out.link = static_cast<std::uint64_t>(e.externalId) & (kCorrelation - 1);
        else if (e.correlation > 0)
            out.link =
                (static_cast<std::uint64_t>(e.correlation) & (kCorrelation - 1)) | kCorrelation;
        out.layer = within<std::int16_t>(e.layer);
        out.step = within<std::int32_t>(e.step);
        out.request = within<std::int32_t>(e.request);
        out.device = isDevice(e.category);
        if (e.occupancyPercent >= 0.0 && e.occupancyPercent <= 100.0)
            out.occupancy = static_cast<float>(e.occupancyPercent / 100.0);
        std::int64_t& last = m_lastNs[out.track];
        last = std::max(last, endNs);
        m_trace->events.push_back(out);
        return true;
    }

    bool begin(const RawEvent& e) {
        if (!e.tNs || e.badNumber) {
            ++m_trace->broken;
            return true;
        }
        if (!add(e, *e.tNs)) return false;
        auto& open = m_open[m_trace->events.back().track];
        if (open.size() >= m_limits.maxOpenEvents)
            return fail("more than " + std::to_string(m_limits.maxOpenEvents) +
                        " events of one thread are open at once");
        open.push_back(static_cast<std::uint32_t>(m_trace->events.size() - 1));
        return true;
    }

    bool end(const RawEvent& e) {
        if (!e.tNs || e.badNumber) {
            ++m_trace->broken;
            return true;
        }
        std::uint32_t index = 0;
        if (!track(e, index)) return false;
        auto& open = m_open[index];
        if (open.empty()) {
            ++m_trace->unopened;
            return true;
        }
        TraceEvent& event = m_trace->events[open.back()];
        open.pop_back();
        event.tEndNs = std::max(event.tStartNs, *e.tNs);
        m_lastNs[index] = std::max(m_lastNs[index], event.tEndNs);
        return true;
    }

    bool metadata(const RawEvent& e) {
        if (e.name == "process_name" || e.name == "process_sort_index") {
            std::uint32_t p = 0;
            if (!process(e.pid, p)) return false;
            if (e.name == "process_name")
                m_trace->processes[p].name = e.argName;
            else
                m_trace->processes[p].sortIndex = e.sortIndex;
        } else if (e.name == "thread_name" || e.name == "thread_sort_index") {
            std::uint32_t t = 0;
            if (!track(e, t)) return false;
            if (e.name == "thread_name")
                m_trace->tracks[t].name = e.argName;
            else
                m_trace->tracks[t].sortIndex = e.sortIndex;
        }
        return true;
    }

    bool process(const std::string& pid, std::uint32_t& index) {
        const auto [at, fresh] = m_processes.try_emplace(pid, m_trace->processes.size());
        if (fresh) {
            if (m_trace->processes.size() >= m_limits.maxTracks)
                return fail("it has more than " + std::to_string(m_limits.maxTracks) +
                            " processes");
            m_trace->processes.push_back({pid, {}, 0});
        }
        index = at->second;
        return true;
    }

    bool track(const RawEvent& e, std::uint32_t& index) {
        if (!m_trace->tracks.empty() && e.pid == m_lastPid && e.tid == m_lastTid) {
            index = m_lastTrack;
            return true;
        }
        std::uint32_t p = 0;
        if (!process(e.pid, p)) return false;
        std::string key = e.tid;
        key += '\0';
        key += std::to_string(p);
        const auto [at, fresh] = m_tracks.try_emplace(key, m_trace->tracks.size());
        if (fresh) {
            if (m_trace->tracks.size() >= m_limits.maxTracks)
                return fail("it has more than " + std::to_string(m_limits.maxTracks) + " threads");
            m_trace->tracks.push_back({p, e.tid, {}, 0});
            m_open.emplace_back();
            m_lastNs.push_back(std::numeric_limits<std::int64_t>::min());
        }
        index = m_lastTrack = at->second;
        m_lastPid = e.pid;
        m_lastTid = e.tid;
        return true;
    }

    bool intern(const std::string& name, std::uint32_t& index) {
        if (const auto at = m_names.find(name); at != m_names.end()) {
            index = at->second;
            return true;
        }
        m_nameBytes += name.size();
        if (m_nameBytes > m_limits.maxNameBytes)
            return fail("the names in it take more than " +
                        std::to_string(m_limits.maxNameBytes >> 20) + " MiB");
        index = static_cast<std::uint32_t>(m_trace->names.size());
        m_trace->names.push_back(name);
        m_names.emplace(name, index);
        return true;
    }

    void closeOpen() {
        for (std::size_t t = 0; t < m_open.size(); ++t) {
            for (const std::uint32_t i : m_open[t]) {
                m_trace->events[i].tEndNs = std::max(m_trace->events[i].tStartNs, m_lastNs[t]);
                ++m_trace->unclosed;
            }
        }
    }

    /// Processes and their threads in the order that the file asks for; without a wish by number.
    void sortTracks() {
        const auto number = [](const std::string& id) {
            return id.empty() || id.find_first_not_of("0123456789") != std::string::npos ||
                           id.size() > 18
                       ? std::numeric_limits<std::int64_t>::max()
                       : std::stoll(id);
        };
        const auto& p = m_trace->processes;
        const auto& t = m_trace->tracks;
        std::vector<std::uint32_t> order(t.size());
        std::iota(order.begin(), order.end(), 0U);
        const auto key = [&](std::uint32_t i) {
            const TraceProcess& process = p[t[i].process];
            return std::tuple(process.sortIndex, number(process.id), t[i].process, t[i].sortIndex,
                              number(t[i].id), i);
        };
        std::sort(order.begin(), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
        std::vector<std::uint32_t> place(order.size());
        std::vector<TraceTrack> sorted;
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            place[order[i]] = i;
            sorted.push_back(t[order[i]]);
        }
        m_trace->tracks = std::move(sorted);
        for (auto& e : m_trace->events) e.track = place[e.track];
    }

    const TraceLimits& m_limits;
    TraceReading* m_reading;
    std::shared_ptr<ImportedTrace> m_trace = std::make_shared<ImportedTrace>();
    std::unordered_map<std::string, std::uint32_t> m_names, m_processes, m_tracks;
    std::vector<std::vector<std::uint32_t>> m_open;  ///< by track: events begun
    std::vector<std::int64_t> m_lastNs;              ///< by track
    std::string m_lastPid, m_lastTid;
    std::uint32_t m_lastTrack = 0;
    std::uint64_t m_nameBytes = 0, m_taken = 0;
    std::string m_problem;
    bool m_cancelled = false;
};

Result<std::shared_ptr<const ImportedTrace>> read(TraceBytes& bytes, const std::string& path,
                                                  const TraceLimits& limits,
                                                  TraceReading* reading) {
    static const std::string kNext =
        "Lanescope opens Chrome trace JSON: an object with traceEvents, or the array alone";
    try {
        Assembler assembler(limits, reading);
        std::istream in(&bytes);
        const EventStream stream = readTraceEvents(in, limits.maxDepth, [&](RawEvent& event) {
            if (reading != nullptr) reading->fraction.store(bytes.fraction());
            return assembler.take(event);
        });
        if (assembler.cancelled()) return Error{ErrorCode::Cancelled, "stopped", path, {}};
        const auto bad = [&](const std::string& why) {
            return Error{ErrorCode::BadInput, "the trace cannot be read: " + why, path, kNext};
        };
        if (!assembler.problem().empty()) return bad(assembler.problem());
        if (!bytes.problem().empty()) return bad(bytes.problem());
        const bool atEnd = stream.atByte >= bytes.bytesRead();
        if (!stream.complete && !(stream.foundList && atEnd))
            return bad(stream.problem +
                       (stream.atByte > 0 ? ", at byte " + std::to_string(stream.atByte) : ""));
        if (!stream.foundList) return bad("there is no list of events in it");
        if (assembler.trace().events.empty()) return bad("no event in it has a name and a time");
        auto trace = assembler.finish();
        trace->path = path;
        trace->cutOff = !stream.complete;
        return std::shared_ptr<const ImportedTrace>(std::move(trace));
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, "the trace does not fit in memory", path,
                     "record a shorter time"};
    }
}

}  // namespace

Result<std::shared_ptr<const ImportedTrace>> readChromeTrace(const std::string& path,
                                                             const TraceLimits& limits,
                                                             TraceReading* reading) {
    auto bytes = TraceBytes::open(path, limits.bytes);
    if (!bytes) return bytes.error();
    return read(**bytes, path, limits, reading);
}

Result<std::shared_ptr<const ImportedTrace>> parseChromeTrace(std::string_view json,
                                                              const std::string& path,
                                                              const TraceLimits& limits,
                                                              TraceReading* reading) {
    TraceBytes bytes(json.data(), json.size(), limits.bytes);
    return read(bytes, path, limits, reading);
}

}  // namespace lanescope::profiler
