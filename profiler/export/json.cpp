#include "engine/base/json.h"

#include "profiler/export/export.h"
#include "profiler/export/json_forms.h"

namespace lanescope::profiler {

Json toJson(const Distribution& d) {
    if (d.n == 0) return {{"n", 0}};
    return {{"n", d.n},     {"mean", d.mean}, {"sd", d.n > 1 ? Json(d.sd) : Json(nullptr)},
            {"min", d.min}, {"max", d.max},   {"p50", d.p50},
            {"p95", d.p95}, {"p99", d.p99}};
}

Json toJson(const LaneStats& s) {
    return {{"requests", s.requests},           {"failed", s.failed},
            {"ttftMs", toJson(s.ttftMs)},       {"itlMs", toJson(s.itlMs)},
            {"tpotMs", toJson(s.tpotMs)},       {"prefillTps", toJson(s.prefillTps)},
            {"decodeTps", toJson(s.decodeTps)}, {"endToEndMs", toJson(s.endToEndMs)},
            {"promptTokens", s.promptTokens},   {"outputTokens", s.outputTokens},
            {"kvBytesPeak", s.kvBytesPeak},     {"meanLogProbability", s.meanLogProbability}};
}

Json toJson(const Delta& d) {
    auto side = [](double value, double sd, std::int64_t n) -> Json {
        if (n == 0) return nullptr;
        return {{"value", value}, {"sd", n > 1 ? Json(sd) : Json(nullptr)}, {"n", n}};
    };
    return {{"metric", d.metric},
            {"unit", d.unit},
            {"before", side(d.before, d.beforeSd, d.beforeN)},
            {"after", side(d.after, d.afterSd, d.afterN)},
            {"absolute", d.absolute},
            {"percent", d.percent},
            {"lowerIsBetter", d.lowerIsBetter},
            {"verdict", verdictName(d.verdict)}};
}

Json toJson(const DeviceTiming& t) {
    return {{"source", t.source},
            {"unavailable", t.unavailable},
            {"clockResidualNs", t.clockResidualNs},
            {"droppedRecords", t.droppedRecords},
            {"badRecords", t.badRecords},
            {"unmatched", t.unmatched},
            {"overheadNs", t.overheadNs},
            {"labelCostNs", t.labelCostNs}};
}

Json documentOrText(const std::string& text) {
    if (text.empty()) return nullptr;
    if (!parseJson(text, "")) return text;
    // Parsed again in order: keys keep their place.
    return Json::parse(text, nullptr, false);
}

namespace {

Json laneJson(const trace::LaneRecord& lane, const LaneStats& stats) {
    const auto& m = lane.memory;
    return {{"index", lane.index},
            {"name", lane.name},
            {"model", lane.model},
            {"modelPath", lane.modelPath},
            {"settings", documentOrText(lane.settingsJson)},
            {"memory",
             {{"weightBytes", m.weightBytes},
              {"kvBytesEstimated", m.kvBytesEstimated},
              {"kvBytes", m.kvBytes},
              {"scratchBytesEstimated", m.scratchBytesEstimated},
              {"scratchBytes", m.scratchBytes},
              {"residentBytes", m.residentBytes}}},
            {"loadMs", lane.loadMs},
            {"parameters", lane.nParameters},
            {"layers", lane.nLayers},
            {"kvBytesPerToken", lane.kvBytesPerToken},
            {"error", lane.error},
            {"stats", toJson(stats)}};
}

Json tokenJson(const trace::TokenRecord& t) {
    Json top = Json::array();
    for (const auto& c : t.top) {
        top.push_back({{"token", c.token}, {"probability", c.probability}, {"piece", c.piece}});
    }
    return {{"index", t.index},
            {"token", t.token},
            {"piece", t.piece},
            {"tNs", t.tNs},
            {"logProbability", t.logProbability},
            {"entropy", t.entropy},
            {"contextTokens", t.contextTokens},
            {"kvBytes", t.kvBytes},
            {"top", std::move(top)}};
}

Json requestJson(const RequestData& request) {
    const auto& r = request.record;
    Json tokens = Json::array();
    for (const auto& token : request.tokens) tokens.push_back(tokenJson(token));
    return {{"id", r.id},
            {"lane", r.lane},
            {"prompt", r.prompt},
            {"repetition", r.repetition},
            {"warmup", r.warmup},
            {"promptText", r.promptText},
            {"promptTokens", r.promptTokens},
            {"prefillDone", request.prefillDone},
            {"tStartNs", r.tStartNs},
            {"tPrefillEndNs", r.tPrefillEndNs},
            {"tEndNs", r.tEndNs},
            {"finishReason", trace::finishReasonName(r.finish)},
            {"text", r.text},
            {"error", r.error},
            {"tokens", std::move(tokens)}};
}

const char* actionName(trace::KvAction action) {
    switch (action) {
        case trace::KvAction::Allocate:
            return "allocate";
        case trace::KvAction::Free:
            return "free";
        case trace::KvAction::Reuse:
            return "reuse";
        case trace::KvAction::Copy:
            return "copy";
        case trace::KvAction::Evict:
            return "evict";
    }
    return "";
}

Json deviceJson(const DeviceFacts& d) {
    return {{"device", d.device},
            {"name", d.name},
            {"computeCapability", d.computeMajor == 0 ? Json(nullptr)
                                                      : Json(std::to_string(d.computeMajor) + "." +
                                                             std::to_string(d.computeMinor))},
            {"sms", d.nSms},
            {"memoryBytes", d.memoryBytes},
            {"uuid", d.uuid},
            {"copyGBps", d.copyGBps > 0.0 ? Json(d.copyGBps) : Json(nullptr)}};
}

/// Rows by column, like the spans; -1 for what is unknown, null for an unknown time.
Json activitiesJson(const RunData& run) {
    Json out = {{"columns",
                 {"tStartNs",
                  "tEndNs",
                  "kind",
                  "name",
                  "device",
                  "context",
                  "stream",
                  "op",
                  "layer",
                  "lane",
                  "request",
                  "step",
                  "tSpanNs",
                  "correlation",
                  "graphNode",
                  "bytes",
                  "grid",
                  "block",
                  "registersPerThread",
                  "staticSharedBytes",
                  "dynamicSharedBytes",
                  "occupancy"}},
                {"rows", Json::array()}};
    for (const auto& a : run.deviceActivities) {
        out["rows"].push_back(
            {a.tStartNs,
             a.tEndNs,
             deviceActivityKindName(a.kind),
             a.name,
             a.device,
             a.context,
             a.stream,
             a.op < 0 ? Json(nullptr) : Json(trace::opName(static_cast<trace::Op>(a.op))),
             a.layer,
             a.lane,
             a.request,
             a.step,
             a.tSpanNs == kUnknownNs ? Json(nullptr) : Json(a.tSpanNs),
             a.correlation,
             a.graphNode,
             a.bytes,
             a.grid,
             a.block,
             a.registersPerThread,
             a.staticSharedBytes,
             a.dynamicSharedBytes,
             a.occupancy});
    }
    return out;
}

Json samplesJson(const RunData& run) {
    Json out = {{"columns",
                 {"tNs", "device", "powerMilliwatts", "smClockMHz", "memoryClockMHz",
                  "temperatureC", "memoryUsedBytes"}},
                {"rows", Json::array()}};
    for (const auto& s : run.deviceSamples) {
        out["rows"].push_back({s.tNs, s.device, s.powerMilliwatts, s.smClockMHz, s.memoryClockMHz,
                               s.temperatureC, s.memoryUsedBytes});
    }
    return out;
}

/// All about the devices; null when none took part.
Json devicesJson(const RunData& run) {
    if (run.devices.empty() && !run.deviceTiming.on() && run.deviceTiming.unavailable.empty()) {
        return nullptr;
    }
    Json out = {{"timing", toJson(run.deviceTiming)},
                {"devices", Json::array()},
                {"names", Json::array()},
                {"activities", activitiesJson(run)},
                {"samples", samplesJson(run)}};
    for (const auto& device : run.devices) out["devices"].push_back(deviceJson(device));
    for (const auto& name : run.deviceNames) out["names"].push_back(name);
    return out;
}

}  // namespace

std::string exportJson(const RunData& run) {
    Json out;
    out["schema"] = 1;
    out["kind"] = "lanescope-run";
    out["id"] = run.header.id;
    out["name"] = run.header.name;
    out["startedUnixMs"] = run.header.startedUnixMs;
    out["version"] = run.header.version;
    out["command"] = run.header.command;
    out["status"] = trace::runStatusName(run.status);
    out["error"] = run.error;
    out["machine"] = documentOrText(run.header.machineJson);
    out["plan"] = documentOrText(run.header.planJson);
    out["overhead"] = {{"droppedSpans", run.droppedSpans},
                       {"droppedEvents", run.droppedEvents},
                       {"spanCostNs", run.spanCostNs},
                       {"overheadNsEstimated", run.overheadNs}};
    Json lanes = Json::array();
    const auto stats = laneStats(run);
    for (std::size_t i = 0; i < run.lanes.size(); ++i) {
        lanes.push_back(laneJson(run.lanes[i], stats[i]));
    }
    out["lanes"] = std::move(lanes);
    Json requests = Json::array();
    for (const auto& request : run.requests) requests.push_back(requestJson(request));
    out["requests"] = std::move(requests);
    // Spans by column: a row each would be most of the file.
    Json spans = {
        {"columns",
         {"tStartNs", "tEndNs", "op", "layer", "lane", "request", "step", "bytes", "flops"}},
        {"rows", Json::array()}};
    for (const auto& s : run.spans) {
        spans["rows"].push_back({s.tStartNs, s.tEndNs, trace::opName(s.op), s.layer, s.lane,
                                 s.request, s.step, s.bytes, s.flops});
    }
    out["spans"] = std::move(spans);
    Json events = Json::array();
    for (const auto& e : run.kvEvents) {
        events.push_back({{"tNs", e.tNs},
                          {"lane", e.lane},
                          {"request", e.request},
                          {"action", actionName(e.action)},
                          {"blocks", e.blocks},
                          {"blocksInUse", e.blocksInUse},
                          {"bytesInUse", e.bytesInUse}});
    }
    out["kvEvents"] = std::move(events);
    out["device"] = devicesJson(run);
    return dumpJson(out, 1) + "\n";
}

}  // namespace lanescope::profiler
