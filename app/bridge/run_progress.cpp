#include "app/bridge/run_progress.h"

#include <algorithm>

namespace lanescope::app {

RunProgress runProgress(const Plan& plan, const profiler::RunData& run, std::int64_t elapsedMs) {
    RunProgress progress;
    const auto nLanes = std::count_if(plan.lanes.begin(), plan.lanes.end(),
                                      [](const LaneSpec& lane) { return !lane.muted; });
    progress.lanesPlanned = static_cast<int>(nLanes);
    progress.lanesReady = static_cast<int>(run.lanes.size());
    int lanesFailed = 0;
    for (const auto& lane : run.lanes) lanesFailed += lane.error.empty() ? 0 : 1;
    const int perLane = (plan.warmup + plan.repetitions) * static_cast<int>(plan.prompts.size());
    progress.requestsPlanned = std::max(0, progress.lanesPlanned - lanesFailed) * perLane;

    double done = 0.0;
    for (const auto& request : run.requests) {
        if (request.record.finish != trace::FinishReason::None) {
            progress.requestsDone += 1;
            done += 1.0;
            continue;
        }
        progress.activeLane = request.record.lane;
        progress.warmup = request.record.warmup;
        const double wanted = std::max(1, plan.sampling.maxTokens);
        done += std::min(0.99, static_cast<double>(request.tokens.size()) / wanted);
    }
    if (progress.requestsPlanned > 0)
        progress.fraction = std::clamp(done / progress.requestsPlanned, 0.0, 1.0);
    if (run.status != trace::RunStatus::Running) progress.fraction = 1.0;
    if (progress.fraction > 0.02 && progress.fraction < 1.0) {
        const double total = static_cast<double>(elapsedMs) / progress.fraction;
        progress.etaMs = static_cast<std::int64_t>(total) - elapsedMs;
    }
    return progress;
}

}  // namespace lanescope::app
