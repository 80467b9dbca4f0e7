#include "app/models/lane_state.h"

#include <QStringList>

#include "engine/base/json.h"

namespace lanescope::app {

namespace {

QString joinDetails(const Error& error) {
    QStringList lines;
    if (!error.context.empty()) lines << QString::fromStdString(error.context);
    if (!error.nextStep.empty()) lines << QString::fromStdString(error.nextStep);
    return lines.join(QLatin1Char('\n'));
}

/// The plan's lane without what does not change how it runs.
nlohmann::ordered_json settingsOf(LaneSpec lane) {
    lane.muted = false;
    return laneToJson(lane);
}

QString notesOf(const std::string& settingsJson) {
    const auto settings = parseJson(settingsJson, "settings");
    if (!settings || !settings->is_object() || !settings->contains("notes")) return {};
    QStringList lines;
    const auto& notes = (*settings)["notes"];
    if (notes.is_array())
        for (const auto& note : notes)
            if (note.is_string()) lines << QString::fromStdString(note.get<std::string>());
    return lines.join(QLatin1Char('\n'));
}

bool laneIsRunning(const profiler::RunData& run, std::int32_t lane) {
    return !run.requests.empty() && run.requests.back().record.lane == lane &&
           run.requests.back().record.finish == trace::FinishReason::None;
}

}  // namespace

const trace::LaneRecord* recordOfLane(const Plan& plan, int index, const profiler::RunData& run) {
    const LaneSpec& lane = plan.lanes[static_cast<std::size_t>(index)];
    const auto ranPlan = parsePlan(run.header.planJson, "stored plan");
    for (const auto& record : run.lanes) {
        if (record.name != lane.name) continue;
        if (!ranPlan) return nullptr;
        for (const auto& ran : ranPlan->lanes)
            if (ran.name == record.name && settingsOf(ran) == settingsOf(lane)) return &record;
    }
    return nullptr;
}

LaneState laneState(const Plan& plan, int index, const ModelInfo& info,
                    const profiler::RunData* run, bool running) {
    LaneState state;
    const LaneSpec& lane = plan.lanes[static_cast<std::size_t>(index)];
    const auto* record = run != nullptr ? recordOfLane(plan, index, *run) : nullptr;
    if (info.state == ModelInfo::State::Ready) {
        auto estimate = estimateLane(lane, info);
        if (estimate) {
            state.estimate = *estimate;
        } else {
            state.phase = LaneState::Phase::Failed;
            state.message = QString::fromStdString(estimate.error().message);
            state.details = joinDetails(estimate.error());
        }
    } else if (info.state == ModelInfo::State::Failed) {
        state.phase = LaneState::Phase::Failed;
        state.message = QString::fromStdString(info.error.message);
        state.details = joinDetails(info.error);
    } else {
        state.phase = LaneState::Phase::Reading;
    }
    if (record != nullptr && record->error.empty()) {
        state.loadMs = record->loadMs;
        state.notes = notesOf(record->settingsJson);
        if (record->memory.kvBytes > 0 || record->memory.weightBytes > 0)
            state.measured = record->memory;
        if (state.phase != LaneState::Phase::Failed)
            state.phase = running && laneIsRunning(*run, record->index) ? LaneState::Phase::Running
                                                                        : LaneState::Phase::Ready;
    } else if (record != nullptr) {
        state.phase = LaneState::Phase::Failed;
        state.message = QString::fromStdString(record->error);
        state.details = QString::fromStdString(record->modelPath);
    } else if (running && !lane.muted && state.phase == LaneState::Phase::Idle) {
        state.phase = LaneState::Phase::Loading;
    }
    if (lane.muted && state.phase != LaneState::Phase::Failed)
        state.phase = LaneState::Phase::Muted;
    return state;
}

}  // namespace lanescope::app
