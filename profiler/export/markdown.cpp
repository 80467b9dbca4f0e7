#include "profiler/export/export.h"
#include "profiler/export/summary.h"
#include "profiler/export/text.h"

namespace lanescope::profiler {

std::string exportMarkdown(const RunData& run) {
    const Summary summary = summarise(run);
    std::string out = "# " + text::markdown(run.header.name) + "\n\n";
    out += "Run `" + text::markdown(run.header.id) + "`, " +
           text::utcTime(run.header.startedUnixMs) + ", Lanescope " +
           text::markdown(run.header.version) + ", " +
           std::string(trace::runStatusName(run.status)) + "\n\n";
    if (!run.error.empty()) out += "**" + text::markdown(run.error) + "**\n\n";
    for (const auto& warning : summary.warnings) out += "- " + text::markdown(warning) + "\n";
    if (!summary.warnings.empty()) out += "\n";
    if (summary.rows.empty()) return out + "No lane has run.\n";
    out += "| metric | unit |";
    std::string rule = "|---|---|";
    for (std::size_t i = 0; i < run.lanes.size(); ++i) {
        out += " " + text::markdown(laneTitle(run.lanes[i]));
        out += i == summary.baseline ? " (baseline) |" : " |";
        rule += "---:|";
    }
    out += "\n" + rule + "\n";
    for (const auto& row : summary.rows) {
        out += "| " + row.metric + " | " + (row.unit == "bytes" ? "" : row.unit) + " |";
        for (const auto& cell : row.cells) {
            out += " " + cell.value;
            if (!cell.change.empty() && cell.change != "n/a") out += " (" + cell.change + ")";
            if (cell.n > 0 && row.unit != "bytes") out += " n=" + std::to_string(cell.n);
            out += " |";
        }
        out += "\n";
    }
    out +=
        "\nMean ± sample standard deviation; change against the baseline; \"within noise\" by "
        "Welch's t-test, 95 %.\n";
    out += overheadInWords(run) + ".\n";
    if (!run.header.command.empty()) {
        std::string command = text::validUtf8(run.header.command);
        for (char& c : command) {
            if (c == '\r') c = ' ';
        }
        std::string fence = "```";
        while (command.find(fence) != std::string::npos) fence += '`';
        out += "\n" + fence + "sh\n" + command + "\n" + fence + "\n";
    }
    return out;
}

}  // namespace lanescope::profiler
