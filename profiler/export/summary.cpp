#include "profiler/export/summary.h"

#include <algorithm>

#include "engine/base/format.h"
#include "engine/base/json.h"
#include "profiler/export/text.h"

namespace lanescope::profiler {

namespace {

const char* definitionOf(const std::string& metric) {
    if (metric == "TTFT") return "request start to first output token";
    if (metric.starts_with("ITL")) return "gap between two emitted tokens";
    if (metric == "TPOT") return "(end-to-end - TTFT) / (tokens - 1), per request";
    if (metric == "decode") return "1000 / TPOT";
    if (metric == "prefill") return "prompt tokens / prefill time";
    if (metric == "end-to-end") return "request start to its end";
    if (metric == "KV peak") return "most bytes of KV blocks a sequence held";
    return "";
}

}  // namespace

std::size_t baselineOf(const RunData& run) {
    const auto plan = parseJson(run.header.planJson, "plan");
    if (plan && plan->is_object() && plan->contains("baseline") &&
        (*plan)["baseline"].is_string()) {
        const auto name = (*plan)["baseline"].get<std::string>();
        for (std::size_t i = 0; i < run.lanes.size(); ++i) {
            if (run.lanes[i].name == name) return i;
        }
    }
    return 0;
}

std::string changeInWords(const Delta& d) {
    if (d.beforeN == 0 || d.afterN == 0) return "n/a";
    std::string out = d.before != 0.0 ? text::percent(d.percent)
                                      : (d.absolute > 0 ? "+" : "") + text::shortNumber(d.absolute);
    if (d.verdict != Delta::Verdict::NotComparable) {
        out += std::string(" ") + verdictName(d.verdict);
    }
    return out;
}

std::string valueInWords(const Delta& d, double value, double sd, std::int64_t n) {
    if (n == 0) return "n/a";
    if (d.unit == "bytes") return formatBytes(static_cast<std::uint64_t>(std::max(0.0, value)));
    return text::meanSd(value, sd, n);
}

std::string laneTitle(const trace::LaneRecord& lane) {
    return lane.model.empty() ? lane.name : lane.name + " " + lane.model;
}

Summary summarise(const RunData& run) {
    Summary out;
    out.baseline = baselineOf(run);
    const auto stats = laneStats(run);
    if (stats.empty()) return out;
    for (std::size_t i = 0; i < stats.size(); ++i) {
        const auto deltas = compareLanes(stats[out.baseline], stats[i]);
        for (std::size_t m = 0; m < deltas.size(); ++m) {
            const Delta& d = deltas[m];
            if (i == 0) out.rows.push_back({d.metric, d.unit, definitionOf(d.metric), {}});
            SummaryCell cell;
            cell.value = valueInWords(d, d.after, d.afterSd, d.afterN);
            cell.n = d.afterN;
            if (i != out.baseline) {
                cell.change = changeInWords(d);
                cell.verdict = d.verdict;
            }
            out.rows[m].cells.push_back(std::move(cell));
        }
        if (i != out.baseline && isSlower(deltas)) {
            std::string words = "Lane " + run.lanes[i].name + " is slower than baseline " +
                                run.lanes[out.baseline].name;
            for (const auto& d : deltas) {
                if (d.metric == "decode" && d.beforeN > 0 && d.afterN > 0) {
                    words += ": decode " + text::shortNumber(d.after) + " against " +
                             text::shortNumber(d.before) + " tok/s";
                }
            }
            if (stats[i].requests < 2) words += " (one repetition: may be noise)";
            out.warnings.push_back(words);
        }
    }
    for (std::size_t i = 0; i < stats.size(); ++i) {
        if (stats[i].failed > 0) {
            out.warnings.push_back("Lane " + run.lanes[i].name + ": " +
                                   std::to_string(stats[i].failed) + " of " +
                                   std::to_string(stats[i].requests) + " requests failed");
        }
        if (!run.lanes[i].error.empty()) {
            out.warnings.push_back("Lane " + run.lanes[i].name +
                                   " could not run: " + run.lanes[i].error);
        }
    }
    return out;
}

namespace {

/// What the timing of devices caught, lost and cost; nothing where none took part.
std::string deviceTimingInWords(const RunData& run) {
    const DeviceTiming& timing = run.deviceTiming;
    if (!timing.unavailable.empty()) return "; devices not timed: " + timing.unavailable;
    if (!timing.on()) return {};
    std::string out = "; " + timing.source + ": " + std::to_string(run.deviceActivities.size()) +
                      " device activities recorded, " + std::to_string(timing.droppedRecords) +
                      " dropped, " + std::to_string(timing.unmatched) +
                      " without an engine span, overhead " +
                      text::shortNumber(static_cast<double>(timing.overheadNs) / 1e6) + " ms";
    if (timing.clockResidualNs > 0.0) {
        out += ", clocks fitted to " + text::shortNumber(timing.clockResidualNs) + " ns";
    }
    return out;
}

}  // namespace

std::string overheadInWords(const RunData& run) {
    std::string out = std::to_string(run.spans.size()) + " spans recorded, " +
                      std::to_string(run.droppedSpans) + " spans and " +
                      std::to_string(run.droppedEvents) +
                      " events dropped; profiler overhead est. " +
                      text::shortNumber(static_cast<double>(run.overheadNs) / 1e6) + " ms (" +
                      text::shortNumber(run.spanCostNs) + " ns a span";
    std::int64_t busyNs = 0;
    for (const auto& request : run.requests) {
        if (request.record.tEndNs > request.record.tStartNs) {
            busyNs += request.record.tEndNs - request.record.tStartNs;
        }
    }
    if (busyNs > 0) {
        out += ", " +
               text::shortNumber(100.0 * static_cast<double>(run.overheadNs) /
                                 static_cast<double>(busyNs)) +
               " % of the time of all requests";
    }
    return out + ")" + deviceTimingInWords(run);
}

}  // namespace lanescope::profiler
