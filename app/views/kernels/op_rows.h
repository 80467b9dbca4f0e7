#pragma once
// A run's ops as rows of the table and marks of the roofline chart. One walk fills both, so that
// they always say the same. Pure but for the language.

#include <vector>

#include "app/widgets/data_table.h"
#include "profiler/analyse/roofline.h"

namespace lanescope::app {

/// One op of one lane.
struct RooflineMark {
    int lane = 0;
    QString laneName;
    trace::Op op{};
    double totalMs = 0.0;
    double share = 0.0;  ///< of the lane's op time
    profiler::RooflinePoint point;
};

struct OpRows {
    std::vector<std::vector<Cell>> cells;
    std::vector<QVariant> ids;          ///< opRowId
    std::vector<RooflineMark> marks;    ///< of ops that count bytes and flops
    std::vector<profiler::Roof> roofs;  ///< one for each number of threads, as far as measured
    bool roofMissing = false;           ///< of at least one lane
    bool fromCache = false;             ///< some op is above the memory roof
    bool roofTooLow = false;            ///< some op is above the arithmetic roof
};
OpRows opRows(const profiler::RunData& run, profiler::StepKind steps);

/// Column titles and what they mean.
QStringList opColumns();
QStringList opColumnTips();

int opRowId(int lane, trace::Op op);
int laneOfRow(int id);
int opOfRow(int id);

/// "Memory", "Arithmetic"; empty: not known.
QString limitText(profiler::Limit limit);
/// "87 %" as figures of the table and the chart write it.
QString ofRoofText(const profiler::RooflinePoint& point);
/// Why there is no roof.
QString roofMissingText();

}  // namespace lanescope::app
