// The report as one HTML file: no script, no outside address, light and dark by the reader's
// setting. Everything that came from a model, a plan or a person passes text::html.

#include <algorithm>
#include <cmath>

#include "engine/base/format.h"
#include "engine/base/json.h"
#include "profiler/analyse/series.h"
#include "profiler/export/export.h"
#include "profiler/export/json_forms.h"
#include "profiler/export/summary.h"
#include "profiler/export/text.h"

namespace lanescope::profiler {

namespace {

constexpr const char* kStyle = R"(
:root{--bg:#fff;--fg:#1f2328;--dim:#59636e;--line:#d1d9e0;--soft:#f6f8fa;--good:#116329;--bad:#a40e26;--mark:#fff3b0}
@media(prefers-color-scheme:dark){:root{--bg:#14171c;--fg:#e6e8eb;--dim:#9aa4af;--line:#343a42;--soft:#1c2027;--good:#5fd08a;--bad:#ff8a8a;--mark:#5c4a00}}
*{box-sizing:border-box}body{margin:0 auto;max-width:960px;padding:24px;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:32px 0 8px;border-bottom:1px solid var(--line);padding-bottom:4px}h3{font-size:15px;margin:16px 0 4px}
.dim{color:var(--dim)}.num{text-align:right;white-space:nowrap}.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{padding:4px 8px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}th{font-weight:600;background:var(--soft)}
td small{display:block;color:var(--dim)}small.better{color:var(--good)}small.worse{color:var(--bad)}
.key{display:inline-block;width:12px;height:12px;border-radius:2px;margin-right:6px;vertical-align:-1px}
.warn{border-left:4px solid var(--bad);background:var(--soft);padding:8px 12px;margin:8px 0}
.bar{display:inline-block;height:10px;border-radius:2px}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--soft);padding:12px;border-radius:4px;margin:4px 0}mark{background:var(--mark);color:inherit}
svg.chart{max-width:100%;height:auto}svg.chart text{fill:var(--fg)}
@media print{body{max-width:none}details{display:none}}
)";

std::string key(std::int32_t lane) {
    return "<span class=\"key\" style=\"background:" + std::string(laneColor(lane)) + "\"></span>";
}

std::string numberCell(const std::string& s) {
    return "<td class=\"num\">" + s + "</td>";
}

/// "at most 24.1 GB/s, 480 int8 GOP/s, 120 fp32 GFLOP/s with 2 threads"
std::string roofsText(const Json& roofs) {
    const auto number = [](const Json& roof, const char* key, int decimals) {
        const auto at = roof.find(key);
        return formatNumber(at != roof.end() && at->is_number() ? at->get<double>() : 0.0,
                            decimals);
    };
    std::string out = "at most";
    for (const Json& roof : roofs) {
        if (!roof.is_object()) continue;
        out += (&roof == &roofs.front() ? " " : "; ") + number(roof, "readGBps", 1) + " GB/s, " +
               number(roof, "int8Gops", 0) + " int8 GOP/s, " + number(roof, "fp32Gflops", 0) +
               " fp32 GFLOP/s" +
               (roof.contains("bf16Gflops") ? ", " + number(roof, "bf16Gflops", 0) + " bf16 GFLOP/s"
                                            : "") +
               " with " + number(roof, "threads", 0) + " threads";
    }
    return out;
}

std::string header(const RunData& run) {
    std::string out = "<h1>" + text::html(run.header.name.empty() ? "Run" : run.header.name) +
                      "</h1>\n<p class=\"dim\">" + text::utcTime(run.header.startedUnixMs) + " · " +
                      std::string(trace::runStatusName(run.status)) + " · Lanescope " +
                      text::html(run.header.version) + " · run " + text::html(run.header.id) +
                      "</p>\n";
    if (!run.error.empty()) {
        out += "<p class=\"warn\">" + text::html(run.error) + "</p>\n";
    }
    const Json machine = documentOrText(run.header.machineJson);
    if (machine.is_object()) {
        out += "<p>";
        bool first = true;
        for (const auto& [name, value] : machine.items()) {
            if (name == "roofs" && (!value.is_array() || value.empty())) continue;
            if (!first) out += " · ";
            first = false;
            if (name == "memoryBytes" && value.is_number_unsigned()) {
                out += "memory " + formatBytes(value.get<std::uint64_t>());
                continue;
            }
            if (name == "roofs") {
                out += roofsText(value);
                continue;
            }
            out += text::html(name) + " " +
                   text::html(value.is_string() ? value.get<std::string>() : dumpJson(value));
        }
        out += "</p>\n";
    }
    return out;
}

const char* verdictClass(Delta::Verdict verdict) {
    if (verdict == Delta::Verdict::Better) return " class=\"better\"";
    if (verdict == Delta::Verdict::Worse) return " class=\"worse\"";
    return "";
}

std::string memoryRows(const RunData& run) {
    struct Kind {
        const char* name;
        std::uint64_t trace::MemoryFigures::*measured;
        std::uint64_t trace::MemoryFigures::*estimated;
    };
    const Kind kinds[] = {
        {"weights", &trace::MemoryFigures::weightBytes, nullptr},
        {"KV cache", &trace::MemoryFigures::kvBytes, &trace::MemoryFigures::kvBytesEstimated},
        {"work space", &trace::MemoryFigures::scratchBytes,
         &trace::MemoryFigures::scratchBytesEstimated},
        {"resident growth", &trace::MemoryFigures::residentBytes, nullptr}};
    std::string out;
    for (const Kind& kind : kinds) {
        out += "<tr><td>memory: " + std::string(kind.name) + "</td>";
        for (const auto& lane : run.lanes) {
            const std::uint64_t measured = lane.memory.*(kind.measured);
            std::string cell = measured == 0 ? "n/a" : formatBytes(measured);
            if (kind.estimated != nullptr) {
                cell += "<small>est. " + formatBytes(lane.memory.*(kind.estimated)) + "</small>";
            }
            out += numberCell(cell);
        }
        out += "</tr>\n";
    }
    out += "<tr><td>load <span class=\"dim\">ms</span></td>";
    for (const auto& lane : run.lanes) out += numberCell(text::shortNumber(lane.loadMs));
    return out + "</tr>\n";
}

std::string summaryTable(const RunData& run, const Summary& summary) {
    std::string out = "<h2>Summary</h2>\n";
    for (const auto& warning : summary.warnings) {
        out += "<p class=\"warn\">" + text::html(warning) + "</p>\n";
    }
    if (summary.rows.empty()) return out + "<p>No lane has run.</p>\n";
    out += "<div class=\"wide\"><table><thead><tr><th>metric</th>";
    for (std::size_t i = 0; i < run.lanes.size(); ++i) {
        out += "<th class=\"num\">" + key(run.lanes[i].index) +
               text::html(laneTitle(run.lanes[i])) + (i == summary.baseline ? " ★ baseline" : "") +
               "</th>";
    }
    out += "</tr></thead><tbody>\n";
    for (const auto& row : summary.rows) {
        out += "<tr><td title=\"" + text::html(row.definition) + "\">" + text::html(row.metric) +
               " <span class=\"dim\">" + (row.unit == "bytes" ? "" : text::html(row.unit)) +
               "</span></td>";
        for (const auto& cell : row.cells) {
            std::string content = cell.value;
            if (cell.n > 1)
                content += " <span class=\"dim\">n=" + std::to_string(cell.n) + "</span>";
            if (!cell.change.empty()) {
                content += std::string("<small") + verdictClass(cell.verdict) + ">" + cell.change +
                           "</small>";
            }
            out += numberCell(content);
        }
        out += "</tr>\n";
    }
    out += memoryRows(run);
    return out +
           "</tbody></table></div>\n<p class=\"dim\">Mean ± sample standard deviation over the "
           "timed requests (ITL: over all gaps). Change against the baseline; within noise: "
           "Welch's t-test, two-sided 95 %. Without such words there are too few repetitions to "
           "tell, or the figure has no spread of its own. Times are host-timed.</p>\n";
}

std::string chart(const RunData& run, const char* title, const char* yLabel, SeriesKind kind,
                  double scale) {
    ChartSpec spec;
    spec.title = title;
    spec.xLabel = kind == SeriesKind::KvBytes ? "tokens in the KV cache" : "output token";
    spec.yLabel = yLabel;
    const XAxis axis = kind == SeriesKind::KvBytes ? XAxis::Context : XAxis::Token;
    for (const auto& lane : run.lanes) {
        const Series line = series(run, lane.index, kind, axis, Averaging::Mean);
        ChartSeries out{text::validUtf8(laneTitle(lane)), laneColor(lane.index), line.x, line.y,
                        false};
        out.steps = kind == SeriesKind::KvBytes;
        for (double& y : out.y) y *= scale;
        spec.series.push_back(std::move(out));
    }
    // Inside HTML the name space goes without saying, and the report then holds no address at all.
    std::string svg = chartSvg(spec);
    const std::string_view space = " xmlns=\"http://www.w3.org/2000/svg\"";
    if (const auto at = svg.find(space); at != std::string::npos) svg.erase(at, space.size());
    return svg;
}

std::string charts(const RunData& run) {
    return "<h2>Per-token latency</h2>\n" +
           chart(run, "Inter-token latency, mean over requests", "ITL (ms)", SeriesKind::ItlMs,
                 1.0) +
           "<p class=\"dim\">The first token is TTFT and stands in the summary.</p>\n"
           "<h2>KV memory</h2>\n" +
           chart(run, "KV blocks held by the sequence", "KV memory (MiB)", SeriesKind::KvBytes,
                 1.0 / (1024.0 * 1024.0));
}

std::string operations(const RunData& run) {
    std::string out = "<h2>Where the time goes</h2>\n";
    bool any = false;
    for (const auto& lane : run.lanes) {
        const auto ops = opStats(run, lane.index);
        if (ops.empty()) continue;
        any = true;
        out += "<h3>" + key(lane.index) + text::html(laneTitle(lane)) +
               "</h3>\n<div class=\"wide\"><table><thead><tr><th>op</th><th>share</th>"
               "<th class=\"num\">total ms</th><th class=\"num\">calls</th>"
               "<th class=\"num\">mean µs</th><th class=\"num\">p95 µs</th>"
               "<th class=\"num\">GB/s</th><th class=\"num\">GFLOP/s</th></tr></thead><tbody>\n";
        for (const auto& op : ops) {
            const std::string name(trace::opName(op.op));
            std::string share = "<span class=\"dim\">phase</span>";
            if (!isPhase(op.op)) {
                share = "<span class=\"bar\" style=\"width:" + formatNumber(op.share * 120, 1) +
                        "px;background:" + laneColor(lane.index) + "\"></span> " +
                        formatNumber(op.share * 100, 1) + " %";
            }
            auto rate = [](double v) { return v > 0.0 ? text::shortNumber(v) : std::string("–"); };
            out += "<tr><td>" + text::html(name) + "</td><td>" + share + "</td>" +
                   numberCell(text::shortNumber(op.totalMs)) +
                   numberCell(std::to_string(op.count)) + numberCell(text::shortNumber(op.meanUs)) +
                   numberCell(text::shortNumber(op.p95Us)) + numberCell(rate(op.gbPerS)) +
                   numberCell(rate(op.gflopPerS)) + "</tr>\n";
        }
        out += "</tbody></table></div>\n";
    }
    if (!any) out += "<p>No spans were recorded.</p>\n";
    return out + "<p class=\"dim\">Shares are of the sum over ops; phases enclose ops. " +
           overheadInWords(run) + ".</p>\n";
}

/// The request whose answer stands for a lane and a prompt: the first timed one.
const RequestData* answerOf(const RunData& run, std::int32_t lane, std::int32_t prompt) {
    for (const RequestData* request : timedRequests(run, lane)) {
        if (request->record.prompt == prompt) return request;
    }
    return nullptr;
}

std::string answerText(const RequestData& request, std::int64_t markFrom) {
    if (markFrom < 0 || request.tokens.empty()) return text::html(request.record.text);
    std::string same, different;
    for (std::size_t i = 0; i < request.tokens.size(); ++i) {
        (static_cast<std::int64_t>(i) < markFrom ? same : different) += request.tokens[i].piece;
    }
    if (different.empty()) return text::html(same);
    return text::html(same) + "<mark>" + text::html(different) + "</mark>";
}

std::string answers(const RunData& run, std::size_t baseline) {
    std::vector<std::int32_t> prompts;
    for (const auto& request : run.requests) {
        if (std::find(prompts.begin(), prompts.end(), request.record.prompt) == prompts.end()) {
            prompts.push_back(request.record.prompt);
        }
    }
    std::sort(prompts.begin(), prompts.end());
    std::string out = "<h2>Answers</h2>\n";
    for (const std::int32_t prompt : prompts) {
        const RequestData* reference = answerOf(run, run.lanes[baseline].index, prompt);
        out += "<h3>Prompt " + std::to_string(prompt + 1) + "</h3>\n";
        bool shown = false;
        for (const auto& lane : run.lanes) {
            const RequestData* request = answerOf(run, lane.index, prompt);
            if (request == nullptr) continue;
            if (!shown) {
                out += "<pre>" + text::html(request->record.promptText) + "</pre>\n";
                shown = true;
            }
            std::string note = std::string(trace::finishReasonName(request->record.finish));
            std::int64_t at = -1;
            if (reference != nullptr && reference != request) {
                at = firstDifference(*reference, *request);
                if (at < 0 && reference->tokens.size() != request->tokens.size()) {
                    at = static_cast<std::int64_t>(
                        std::min(reference->tokens.size(), request->tokens.size()));
                }
                note += at < 0 ? " · same as baseline"
                               : " · differs from baseline at token " + std::to_string(at);
            }
            out += "<p>" + key(lane.index) + text::html(laneTitle(lane)) + " <span class=\"dim\">" +
                   std::to_string(request->tokens.size()) + " tokens · " + note +
                   "</span></p>\n<pre>" + answerText(*request, at) + "</pre>\n";
            if (!request->record.error.empty()) {
                out += "<p class=\"warn\">" + text::html(request->record.error) + "</p>\n";
            }
        }
    }
    if (prompts.empty()) out += "<p>No request was made.</p>\n";
    return out;
}

std::string settings(const RunData& run) {
    std::string out = "<h2>Effective settings</h2>\n";
    for (const auto& lane : run.lanes) {
        out += "<h3>" + key(lane.index) + text::html(laneTitle(lane)) +
               "</h3>\n<div class=\"wide\"><table><tbody>\n<tr><td>file</td><td>" +
               text::html(lane.modelPath) + "</td></tr>\n<tr><td>parameters</td><td>" +
               std::to_string(lane.nParameters) +
               "</td></tr>\n<tr><td>KV bytes per token</td><td>" +
               std::to_string(lane.kvBytesPerToken) + "</td></tr>\n";
        const Json document = documentOrText(lane.settingsJson);
        if (document.is_object()) {
            for (const auto& [name, value] : document.items()) {
                std::string shown;
                if (value.is_array()) {
                    for (const auto& item : value) {
                        if (!shown.empty()) shown += "<br>";
                        shown +=
                            text::html(item.is_string() ? item.get<std::string>() : dumpJson(item));
                    }
                } else {
                    shown =
                        text::html(value.is_string() ? value.get<std::string>() : dumpJson(value));
                }
                out += "<tr><td>" + text::html(name) + "</td><td>" + shown + "</td></tr>\n";
            }
        }
        if (!lane.error.empty()) {
            out += "<tr><td>could not run</td><td>" + text::html(lane.error) + "</td></tr>\n";
        }
        out += "</tbody></table></div>\n";
    }
    return out;
}

std::string reproduce(const RunData& run) {
    std::string out = "<h2>How to make this run again</h2>\n";
    if (!run.header.command.empty()) {
        out += "<pre>" + text::html(run.header.command) + "</pre>\n";
    }
    const Json plan = documentOrText(run.header.planJson);
    if (plan.is_null()) return out;
    return out + "<details><summary>Plan</summary><pre>" +
           text::html(plan.is_string() ? plan.get<std::string>() : dumpJson(plan, 1)) +
           "</pre></details>\n";
}

}  // namespace

std::string exportHtml(const RunData& run) {
    const Summary summary = summarise(run);
    std::string out =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
        text::html(run.header.name) + " – Lanescope</title>\n<style>" + kStyle +
        "</style></head><body>\n";
    out += header(run);
    out += summaryTable(run, summary);
    if (!run.lanes.empty()) {
        out += charts(run);
        out += operations(run);
        out += answers(run, summary.baseline);
        out += settings(run);
    }
    out += reproduce(run);
    return out + "</body></html>\n";
}

}  // namespace lanescope::profiler
