// Chrome trace events, for Perfetto and chrome://tracing: one process a lane, one thread for the
// engine's spans, one for requests, counters for KV memory. Names are few and known, but everything
// goes through a JSON writer all the same, so that the file is strict JSON whatever the names are.

#include "engine/base/json.h"
#include "profiler/export/export.h"
#include "profiler/export/json_forms.h"

namespace lanescope::profiler {

namespace {

constexpr int kEngineThread = 1;
constexpr int kRequestThread = 2;

int pidOf(std::int32_t lane) {
    return lane + 1;  // 0 is what belongs to no lane
}

/// Microseconds as a decimal number with all nanoseconds: a double has them up to 104 days.
Json micros(std::int64_t ns) {
    return static_cast<double>(ns) / 1e3;
}

Json nameEvent(const char* what, int pid, int tid, const std::string& name) {
    return {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}};
}

class Lines {
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

void addNames(const RunData& run, Lines& lines) {
    for (const auto& lane : run.lanes) {
        const int pid = pidOf(lane.index);
        lines.add(nameEvent("process_name", pid, 0, "lane " + lane.name + " " + lane.model));
        lines.add({{"ph", "M"},
                   {"name", "process_sort_index"},
                   {"pid", pid},
                   {"tid", 0},
                   {"args", {{"sort_index", lane.index}}}});
        lines.add(nameEvent("thread_name", pid, kEngineThread, "engine (host-timed)"));
        lines.add(nameEvent("thread_name", pid, kRequestThread, "requests"));
    }
}

void addRequest(const RequestData& request, Lines& lines) {
    const auto& r = request.record;
    std::int64_t end = r.tEndNs;
    if (!request.tokens.empty()) end = std::max(end, request.tokens.back().tNs);
    lines.add({{"ph", "X"},
               {"name", "request " + std::to_string(r.id)},
               {"cat", "request"},
               {"pid", pidOf(r.lane)},
               {"tid", kRequestThread},
               {"ts", micros(r.tStartNs)},
               {"dur", micros(std::max<std::int64_t>(0, end - r.tStartNs))},
               {"args",
                {{"prompt", r.promptText},
                 {"promptTokens", r.promptTokens.size()},
                 {"outputTokens", request.tokens.size()},
                 {"repetition", r.repetition},
                 {"warmup", r.warmup},
                 {"finish", trace::finishReasonName(r.finish)},
                 {"startNs", r.tStartNs}}}});
    for (const auto& token : request.tokens) {
        lines.add({{"ph", "i"},
                   {"s", "t"},
                   {"name", token.piece},
                   {"cat", "token"},
                   {"pid", pidOf(r.lane)},
                   {"tid", kRequestThread},
                   {"ts", micros(token.tNs)},
                   {"args",
                    {{"index", token.index},
                     {"token", token.token},
                     {"logProbability", token.logProbability},
                     {"tNs", token.tNs}}}});
    }
}

void addSpan(const trace::Span& s, Lines& lines) {
    const double ns = static_cast<double>(s.tEndNs - s.tStartNs);
    auto rate = [ns](std::uint64_t amount) -> Json {  // per ns = giga per second
        return ns > 0.0 ? Json(static_cast<double>(amount) / ns) : Json(nullptr);
    };
    lines.add({{"ph", "X"},
               {"name", trace::opName(s.op)},
               {"cat", "op"},
               {"pid", pidOf(s.lane)},
               {"tid", kEngineThread},
               {"ts", micros(s.tStartNs)},
               {"dur", micros(std::max<std::int64_t>(0, s.tEndNs - s.tStartNs))},
               {"args",
                {{"layer", s.layer},
                 {"step", s.step},
                 {"request", s.request},
                 {"bytes", s.bytes},
                 {"flops", s.flops},
                 {"GB/s", rate(s.bytes)},
                 {"GFLOP/s", rate(s.flops)},
                 {"startNs", s.tStartNs},
                 {"endNs", s.tEndNs}}}});
}

}  // namespace

std::string exportTrace(const RunData& run) {
    Lines lines;
    addNames(run, lines);
    for (const auto& request : run.requests) addRequest(request, lines);
    for (const auto& span : run.spans) addSpan(span, lines);
    for (const auto& e : run.kvEvents) {
        lines.add({{"ph", "C"},
                   {"name", "KV bytes"},
                   {"pid", pidOf(e.lane)},
                   {"tid", 0},
                   {"ts", micros(e.tNs)},
                   {"args", {{"bytes", e.bytesInUse}}}});
    }
    const Json other = {{"run", run.header.id},
                        {"name", run.header.name},
                        {"version", run.header.version},
                        {"machine", documentOrText(run.header.machineJson)},
                        {"droppedSpans", run.droppedSpans},
                        {"droppedEvents", run.droppedEvents},
                        {"overheadNsEstimated", run.overheadNs}};
    return "{\"displayTimeUnit\":\"ns\",\"otherData\":" + dumpJson(other) + ",\"traceEvents\":[" +
           lines.text() + "\n]}\n";
}

}  // namespace lanescope::profiler
