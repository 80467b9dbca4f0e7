#pragma once
// What the HTML and Markdown reports both say of a run: the baseline, a grid of metrics by lane
// with changes against it, and words for what is slower.

#include <string>
#include <vector>

#include "profiler/analyse/stats.h"

namespace lanescope::profiler {

/// One lane's cell of the summary.
struct SummaryCell {
    std::string value;   ///< "12.3 ± 0.4", "n/a"
    std::string change;  ///< "+12.3 % worse"; empty for the baseline
    Delta::Verdict verdict = Delta::Verdict::NotComparable;
    std::int64_t n = 0;
};
struct SummaryRow {
    std::string metric, unit, definition;
    std::vector<SummaryCell> cells;  ///< one per lane
};
struct Summary {
    std::size_t baseline = 0;           ///< place in run.lanes
    std::vector<SummaryRow> rows;       ///< empty when the run has no lanes
    std::vector<std::string> warnings;  ///< "Lane B is slower than baseline …"
};

/// Place of the lane the plan names as baseline; the first lane otherwise.
std::size_t baselineOf(const RunData& run);
Summary summarise(const RunData& run);
/// "+3.1 % worse", "-0.2 % within noise", "+3.1 % (one repetition)".
std::string changeInWords(const Delta& delta);
/// A value of a delta with its spread, bytes as KiB or MiB.
std::string valueInWords(const Delta& delta, double value, double sd, std::int64_t n);
/// "A smollm2".
std::string laneTitle(const trace::LaneRecord& lane);
/// "Profiler: 1000 spans, 3 dropped, …": counts and cost of the profiler itself.
std::string overheadInWords(const RunData& run);

}  // namespace lanescope::profiler
