#pragma once
// The figures under a column: value, change against the baseline, definition. From LaneStats and
// compareLanes; what counts as noise is decided there, not here.

#include <QString>
#include <vector>

#include "profiler/analyse/stats.h"

namespace lanescope::app {

struct StatCell {
    QString key;         ///< stable: "ttft", "itl-p50" …
    QString label;       ///< "TTFT"
    QString value;       ///< "45.2 ± 1.3 ms"
    QString delta;       ///< "▲ +4.1 ms (+9.9 %)"; empty without a baseline
    QString shortDelta;  ///< "▲ +9.9 %", for narrow columns
    QString tip;         ///< definition, n
    /// Colour of the delta; NotComparable: shown without judgement.
    profiler::Delta::Verdict verdict = profiler::Delta::Verdict::NotComparable;
};

/// The most telling first: what does not fit is left out from the end. baseline null: no deltas.
std::vector<StatCell> statCells(const profiler::LaneStats& stats,
                                const profiler::LaneStats* baseline);

/// One sentence about speed against the baseline: "slower than baseline A: 12 % less tok/s",
/// "within noise of baseline A"; empty when there is nothing to compare.
QString speedSentence(const profiler::LaneStats& stats, const profiler::LaneStats& baseline,
                      const QString& baselineName);

}  // namespace lanescope::app
