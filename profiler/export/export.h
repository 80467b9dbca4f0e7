#pragma once
// A run as files: self-contained HTML with inline SVG charts, CSV, JSON, Markdown, Chrome/Perfetto
// trace. Bytes do not depend on the locale. What came from a model or a person is data: escaped in
// HTML, guarded against formulas in CSV.

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/store/run_data.h"

namespace lanescope::profiler {

enum class ReportFormat : std::uint8_t { Html, Csv, Json, Markdown, Trace };
/// "html,csv,json,md,trace" → formats. Error: Usage naming the unknown one.
Result<std::vector<ReportFormat>> parseFormats(const std::string& list);
const char* fileSuffix(ReportFormat format);

std::string exportHtml(const RunData& run);
std::string exportCsv(const RunData& run);         ///< one row per token, RFC 4180
std::string exportSummaryCsv(const RunData& run);  ///< one row per lane
std::string exportDeviceCsv(const RunData& run);   ///< one row per device activity
std::string exportJson(const RunData& run);        ///< schema-versioned, everything
std::string exportMarkdown(const RunData& run);    ///< the summary table
std::string exportTrace(const RunData& run);       ///< Chrome trace events, strict JSON

/// Writes NAME.html … into dir (made if absent), each atomically; returns the paths.
Result<std::vector<std::string>> writeReports(const RunData& run, const std::string& dir,
                                              const std::vector<ReportFormat>& formats);

/// Line charts as stand-alone SVG, for the report and for "copy as SVG".
struct ChartSeries {
    std::string name;
    std::string color;         ///< "#0072B2"
    std::vector<double> x, y;  ///< non-finite y: a gap
    bool steps = false;        ///< a value holds until the next point; no dots
};
struct ChartSpec {
    std::string title, xLabel, yLabel;
    std::vector<ChartSeries> series;
    int width = 860, height = 300;
};
std::string chartSvg(const ChartSpec& spec);

/// Fixed colours of lanes A-F, the same in every chart and report.
const char* laneColor(std::int32_t lane);

/// Text comparison of two runs, lane by lane of the same name (or by position).
std::string compareMarkdown(const RunData& before, const RunData& after);
std::string compareJson(const RunData& before, const RunData& after);

}  // namespace lanescope::profiler
