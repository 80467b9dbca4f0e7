// Chrome trace events, for Perfetto and chrome://tracing: one process a lane, one thread for the
// engine's spans, one for requests, counters for KV memory; then the devices (trace_device.cpp).
// Names are few and known, but everything goes through a JSON writer all the same, so that the file
// is strict JSON whatever the names are.

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/base/json.h"
#include "profiler/export/export.h"
#include "profiler/export/json_forms.h"
#include "profiler/export/trace_lines.h"

namespace lanescope::profiler {

namespace {

void addNames(const RunData& run, TraceLines& lines) {
    for (const auto& lane : run.lanes) {
        const int pid = lanePid(lane.index);
        lines.add(nameEvent("process_name", pid, 0, "lane " + lane.name + " " + lane.model));
        lines.add(sortEvent(pid, lane.index));
        lines.add(nameEvent("thread_name", pid, kEngineThread, "engine (host-timed)"));
        lines.add(nameEvent("thread_name", pid, kRequestThread, "requests"));
    }
}

void addRequest(const RequestData& request, TraceLines& lines) {
    const auto& r = request.record;
    std::int64_t end = r.tEndNs;
    if (!request.tokens.empty()) end = std::max(end, request.tokens.back().tNs);
    lines.add({{"ph", "X"},
               {"name", "request " + std::to_string(r.id)},
               {"cat", "request"},
               {"pid", lanePid(r.lane)},
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
                   {"pid", lanePid(r.lane)},
                   {"tid", kRequestThread},
                   {"ts", micros(token.tNs)},
                   {"args",
                    {{"index", token.index},
                     {"token", token.token},
                     {"logProbability", token.logProbability},
                     {"tNs", token.tNs}}}});
    }
}

void addSpan(const trace::Span& s, TraceLines& lines) {
    const double ns = static_cast<double>(s.tEndNs - s.tStartNs);
    auto rate = [ns](std::uint64_t amount) -> Json {  // per ns = giga per second
        return ns > 0.0 ? Json(static_cast<double>(amount) / ns) : Json(nullptr);
    };
    lines.add({{"ph", "X"},
               {"name", trace::opName(s.op)},
               {"cat", "op"},
               {"pid", lanePid(s.lane)},
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

void write(const RunData& run, std::ostream& out) {
    Json other = {{"run", run.header.id},
                  {"name", run.header.name},
                  {"version", run.header.version},
                  {"machine", documentOrText(run.header.machineJson)},
                  {"droppedSpans", run.droppedSpans},
                  {"droppedEvents", run.droppedEvents},
                  {"overheadNsEstimated", run.overheadNs}};
    if (run.deviceTiming.on() || !run.deviceTiming.unavailable.empty())
        other["deviceTiming"] = toJson(run.deviceTiming);
    out << "{\"displayTimeUnit\":\"ns\",\"otherData\":" << dumpJson(other) << ",\"traceEvents\":[";
    TraceLines lines(out);
    addNames(run, lines);
    for (const auto& request : run.requests) addRequest(request, lines);
    for (const auto& span : run.spans) addSpan(span, lines);
    for (const auto& e : run.kvEvents) {
        lines.add({{"ph", "C"},
                   {"name", "KV bytes"},
                   {"pid", lanePid(e.lane)},
                   {"tid", 0},
                   {"ts", micros(e.tNs)},
                   {"args", {{"bytes", e.bytesInUse}}}});
    }
    addDeviceTracks(run, lines);
    out << "\n]}\n";
}

}  // namespace

std::string exportTrace(const RunData& run) {
    std::ostringstream out;
    write(run, out);
    return std::move(out).str();
}

Result<void> writeTrace(const RunData& run, const std::string& path) {
    // Piece by piece into a file beside it, which takes its place when it is whole.
    const std::string part = path + ".part";
    std::error_code error;
    {
        std::ofstream out(part, std::ios::binary | std::ios::trunc);
        if (out) write(run, out);
        if (out) out.flush();
        if (!out) {
            out.close();
            std::filesystem::remove(part, error);
            return ioError("the trace cannot be written", path,
                           "choose another folder, or free some space");
        }
    }
    std::filesystem::rename(part, path, error);
    if (error) return ioError("cannot take its place: " + error.message(), path, {});
    return {};
}

}  // namespace lanescope::profiler
