#pragma once
// What a lane card shows below its settings: estimate beside measurement, and how the lane is
// doing. Joins the plan's lane with the snapshot's record when they mean the same lane.

#include <QString>
#include <optional>

#include "app/bridge/model_info.h"
#include "engine/lane/plan.h"
#include "profiler/store/run_data.h"

namespace lanescope::app {

struct LaneState {
    enum class Phase : std::uint8_t {
        Idle,
        Reading,
        Waiting,
        Loading,
        Running,
        Ready,
        Failed,
        Muted
    };
    Phase phase = Phase::Idle;
    QString message;  ///< error, or why an option is not possible
    QString details;  ///< context and next step
    std::optional<MemoryEstimate> estimate;
    std::optional<trace::MemoryFigures> measured;  ///< of the run shown, same settings
    QString notes;  ///< effective settings that differ from the requested ones, one a line
    double loadMs = -1.0;
};

/// index: place in the plan. run may be null. running: the run is in progress.
LaneState laneState(const Plan& plan, int index, const ModelInfo& info,
                    const profiler::RunData* run, bool running);

/// The lane record of the run that has exactly this lane's settings; null if none.
const trace::LaneRecord* recordOfLane(const Plan& plan, int index, const profiler::RunData& run);

}  // namespace lanescope::app
