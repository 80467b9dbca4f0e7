#pragma once
// A lane's settings as short words. Those that differ from the first lane are the point of the
// comparison and are drawn bright.

#include <QString>
#include <vector>

#include "engine/lane/plan.h"

namespace lanescope::app {

struct LaneChip {
    QString key;   ///< stable: "kv", "attention" …
    QString text;  ///< "kv fp16"
    QString tip;
    bool bright = false;
};

/// first: lane A; the same object as `lane` makes none bright. weightType: stored type of the
/// weights if known ("q4_1").
std::vector<LaneChip> laneChips(const LaneSpec& lane, const LaneSpec& first,
                                const QString& weightType);

}  // namespace lanescope::app
