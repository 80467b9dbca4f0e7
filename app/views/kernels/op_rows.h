#pragma once
// An op of a lane as a mark of the roofline chart, and the words that chart and table share. Pure
// but for the language. Read next: kernel_rows.h.

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
    bool device = false;  ///< timed by the device, under its bandwidth alone
};

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
