#include "app/cli/recorded_run.h"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "app/cli/console.h"
#include "engine/base/format.h"
#include "engine/lane/run.h"
#include "profiler/analyse/stats.h"
#include "profiler/collect/device_run.h"
#include "profiler/collect/recorder.h"
#include "profiler/export/export.h"

namespace lanescope::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using profiler::RunData;

/// Passes everything to the recorder and says on stderr where the run is.
class ProgressSink : public trace::Sink {
  public:
    ProgressSink(trace::Sink& next, const Plan& plan) : m_next(next), m_plan(plan) {
        std::size_t lanes = 0;
        for (const LaneSpec& lane : plan.lanes) lanes += lane.muted ? 0 : 1;
        m_total = lanes * (plan.prompts.size() * static_cast<std::size_t>(plan.repetitions) +
                           static_cast<std::size_t>(plan.warmup));
    }
    trace::DeviceHooks* deviceHooks() override { return m_next.deviceHooks(); }
    void span(const trace::Span& s) override { m_next.span(s); }
    void kv(const trace::KvEvent& e) override { m_next.kv(e); }
    void runStarted(const trace::RunHeader& h) override {
        m_next.runStarted(h);
        note("run " + h.id);
    }
    void laneReady(const trace::LaneRecord& lane) override {
        m_next.laneReady(lane);
        if (!lane.error.empty()) {
            note("lane " + lane.name + ": " + lane.error);
        } else if (lane.memory.residentBytes == 0) {
            note("lane " + lane.name + ": " + lane.model + ", weights " +
                 formatBytes(lane.memory.weightBytes) + ", KV " + formatBytes(lane.memory.kvBytes) +
                 ", scratch " + formatBytes(lane.memory.scratchBytes));
        }
    }
    void requestStarted(const trace::RequestRecord& r) override {
        m_next.requestStarted(r);
        m_tokens = 0;
    }
    void prefillProgress(std::int32_t request, std::int32_t done, std::int32_t total) override {
        m_next.prefillProgress(request, done, total);
    }
    void token(const trace::TokenRecord& t) override {
        m_next.token(t);
        ++m_tokens;
    }
    void requestFinished(const trace::RequestRecord& r) override {
        m_next.requestFinished(r);
        ++m_done;
        const double seconds = static_cast<double>(r.tEndNs - r.tStartNs) / 1e9;
        note("[" + std::to_string(m_done) + "/" + std::to_string(std::max(m_done, m_total)) +
             "] lane " + m_plan.lanes[static_cast<std::size_t>(r.lane)].name +
             (r.warmup ? " warm-up" : "") + ", prompt " + std::to_string(r.prompt + 1) +
             ", repetition " + std::to_string(r.repetition + 1) + ": " +
             (r.error.empty()
                  ? std::to_string(m_tokens) + " tokens in " + formatNumber(seconds, 2) + " s"
                  : r.error));
    }
    void runFinished(trace::RunStatus status, const std::string& error) override {
        m_next.runFinished(status, error);
    }

  private:
    trace::Sink& m_next;
    const Plan& m_plan;
    std::size_t m_total = 0, m_done = 0, m_tokens = 0;
};

/// Found out before the run, not after it.
Result<void> prepareFolder(const std::string& dir) {
    std::error_code ec;
    fs::create_directories(dir, ec);
    if (ec || !fs::is_directory(dir)) {
        return ioError("cannot be made: " + (ec ? ec.message() : "it is a file"), dir,
                       "choose another --out");
    }
    if (::access(dir.c_str(), W_OK) != 0) {
        return ioError("cannot be written", dir, "choose another --out");
    }
    return {};
}

ordered_json distributionJson(const profiler::Distribution& d) {
    return {{"mean", d.mean}, {"sd", d.sd},   {"n", d.n},
            {"p50", d.p50},   {"p95", d.p95}, {"p99", d.p99}};
}

ordered_json lanesJson(const RunData& run) {
    const auto stats = profiler::laneStats(run);
    ordered_json out = ordered_json::array();
    for (const trace::LaneRecord& lane : run.lanes) {
        ordered_json row;
        row["name"] = lane.name;
        row["model"] = lane.model;
        row["error"] = lane.error.empty() ? ordered_json() : ordered_json(lane.error);
        row["settings"] = ordered_json::parse(lane.settingsJson, nullptr, false);
        if (row["settings"].is_discarded()) row["settings"] = nullptr;
        for (const profiler::LaneStats& s : stats) {
            if (s.lane != lane.index) continue;
            row["requests"] = s.requests;
            row["failed"] = s.failed;
            row["outputTokens"] = s.outputTokens;
            row["ttftMs"] = distributionJson(s.ttftMs);
            row["itlMs"] = distributionJson(s.itlMs);
            row["tpotMs"] = distributionJson(s.tpotMs);
            row["prefillTps"] = distributionJson(s.prefillTps);
            row["decodeTps"] = distributionJson(s.decodeTps);
            row["kvBytesPeak"] = s.kvBytesPeak;
        }
        row["memory"] = {{"weightBytes", lane.memory.weightBytes},
                         {"kvBytesEstimated", lane.memory.kvBytesEstimated},
                         {"kvBytes", lane.memory.kvBytes},
                         {"scratchBytesEstimated", lane.memory.scratchBytesEstimated},
                         {"scratchBytes", lane.memory.scratchBytes},
                         {"residentBytes", lane.memory.residentBytes}};
        out.push_back(row);
    }
    return out;
}

ordered_json requestsJson(const RunData& run) {
    ordered_json out = ordered_json::array();
    for (const profiler::RequestData& request : run.requests) {
        const trace::RequestRecord& r = request.record;
        ordered_json row;
        row["id"] = r.id;
        row["lane"] = r.lane;
        row["prompt"] = r.prompt;
        row["repetition"] = r.repetition;
        row["warmup"] = r.warmup;
        row["tokens"] = ordered_json::array();
        for (const trace::TokenRecord& t : request.tokens) row["tokens"].push_back(t.token);
        row["text"] = r.text;
        row["finishReason"] = trace::finishReasonName(r.finish);
        row["error"] = r.error.empty() ? ordered_json() : ordered_json(r.error);
        out.push_back(row);
    }
    return out;
}

ordered_json summaryJson(const RunData& run, const std::vector<std::string>& reports) {
    ordered_json out;
    out["id"] = run.header.id;
    out["name"] = run.header.name;
    out["status"] = trace::runStatusName(run.status);
    out["error"] = run.error.empty() ? ordered_json() : ordered_json(run.error);
    out["reports"] = reports;
    out["droppedSpans"] = run.droppedSpans;
    out["lanes"] = lanesJson(run);
    out["requests"] = requestsJson(run);
    return out;
}

Result<std::vector<profiler::ReportFormat>> reportFormats(const RunArgs& args) {
    if (args.report.find("pdf") != std::string::npos) {
        return usageError("--report pdf: PDF reports are made by the app",
                          "possible here: html, csv, json, md, trace");
    }
    if (args.out.empty()) {
        if (!args.report.empty()) return usageError("--report needs --out DIR");
        return std::vector<profiler::ReportFormat>{};
    }
    return profiler::parseFormats(args.report.empty() ? "html,csv,json,md" : args.report);
}

Result<int> exitStatus(const RunData& run) {
    if (run.status == trace::RunStatus::Cancelled) return cancelled("the run was cancelled");
    std::int64_t failed = 0;
    for (const trace::LaneRecord& lane : run.lanes) failed += lane.error.empty() ? 0 : 1;
    if (failed == 0) return 0;
    return internalError(std::to_string(failed) + " of " + std::to_string(run.lanes.size()) +
                         " lanes could not run: " + run.error);
}

}  // namespace

Result<std::shared_ptr<profiler::RunStore>> openStore(const StoreArgs& args) {
    if (args.noStore) return std::shared_ptr<profiler::RunStore>();
    return profiler::RunStore::open(args.db.empty() ? profiler::RunStore::defaultPath() : args.db);
}

Result<int> recordRun(const RecordedRun& run, const CancelToken& cancel) {
    auto formats = reportFormats(run.args);
    if (!formats) return formats.error();
    if (!run.args.out.empty()) {
        if (auto ok = prepareFolder(run.args.out); !ok) return ok.error();
    }
    auto store = openStore(run.args.store);
    if (!store) return store.error();

    profiler::RecorderSettings settings;
    settings.store = *store;
    const auto devices = std::make_shared<profiler::DeviceRun>();
    settings.deviceHooks = devices;
    const auto recorder = profiler::Recorder::create(settings);
    ProgressSink sink(*recorder, run.plan);
    ModelStore models;
    RunOptions options;
    options.baseDir = run.baseDir;
    options.command = run.command;
    options.roof = RoofPolicy::Measure;
    options.beforeRoof = [](int threads) {
        note("measuring what this machine can do at most with " + std::to_string(threads) +
             " threads");
    };
    options.beforeGpus = [&](const std::vector<GpuInfo>& gpus) { devices->begin(*recorder, gpus); };
    const auto status = executePlan(run.plan, models, sink, cancel, options);
    devices->end();
    recorder->flush();
    if (!status) return status.error();

    const profiler::RunSnapshot snapshot = recorder->snapshot();
    std::vector<std::string> reports;
    if (!formats->empty()) {
        auto written = profiler::writeReports(*snapshot, run.args.out, *formats);
        if (!written) return written.error();
        reports = *written;
        for (const std::string& path : reports) note("wrote " + path);
    }
    auto printed = run.args.output == OutputKind::Json ? printJson(summaryJson(*snapshot, reports))
                                                       : print(profiler::exportMarkdown(*snapshot));
    if (!printed) return printed.error();
    if (const std::string error = recorder->storeError(); !error.empty()) {
        return ioError("the run is not stored: " + error);
    }
    return exitStatus(*snapshot);
}

}  // namespace lanescope::cli
