#include "app/bridge/plan_document.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "engine/base/json.h"
#include "engine/base/mapped_file.h"

namespace lanescope::app {

namespace {

constexpr std::size_t kMaxLaneCount = 6;
constexpr std::size_t kMaxPlanBytes = 4U << 20U;

std::string letterName(std::size_t index) {
    return std::string(1, static_cast<char>('A' + index));
}

bool isLetter(const std::string& name) {
    return name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z';
}

}  // namespace

class PlanDocument::LaneCommand : public QUndoCommand {
  public:
    LaneCommand(PlanDocument* document, const QString& what, LaneState before, LaneState after)
        : QUndoCommand(what),
          m_document(document),
          m_before(std::move(before)),
          m_after(std::move(after)) {}
    void undo() override { m_document->apply(m_before); }
    void redo() override { m_document->apply(m_after); }

  private:
    PlanDocument* m_document;
    LaneState m_before;
    LaneState m_after;
};

PlanDocument::PlanDocument(QObject* parent) : QObject(parent) {
    m_plan.prompts.push_back(PromptSpec{});
}

QString PlanDocument::baseDir() const {
    return m_path.isEmpty() ? QDir::currentPath() : QFileInfo(m_path).absolutePath();
}

int PlanDocument::baselineIndex() const {
    for (std::size_t i = 0; i < m_plan.lanes.size(); ++i)
        if (!m_plan.baseline.empty() && m_plan.lanes[i].name == m_plan.baseline)
            return static_cast<int>(i);
    return -1;
}

bool PlanDocument::canAddLane() const {
    return m_plan.lanes.size() < kMaxLaneCount;
}

void PlanDocument::replace(Plan plan, const QString& path) {
    m_plan = std::move(plan);
    if (m_plan.prompts.empty()) m_plan.prompts.push_back(PromptSpec{});
    m_path = path;
    m_undo.clear();
    emit lanesChanged();
    emit promptChanged();
    emit pathChanged();
}

void PlanDocument::adopt(const Plan& plan, const QString& what) {
    push(what, {plan.lanes, plan.baseline});
    m_plan.prompts = plan.prompts;
    if (m_plan.prompts.empty()) m_plan.prompts.push_back(PromptSpec{});
    m_plan.sampling = plan.sampling;
    m_plan.warmup = plan.warmup;
    m_plan.repetitions = plan.repetitions;
    emit promptChanged();
}

void PlanDocument::addLane(LaneSpec lane) {
    if (!canAddLane()) return;
    LaneState after{m_plan.lanes, m_plan.baseline};
    lane.name = letterName(after.lanes.size());
    after.lanes.push_back(std::move(lane));
    push(tr("Add lane"), std::move(after));
}

void PlanDocument::duplicateLane(int index) {
    if (index < 0 || index >= laneCount() || !canAddLane()) return;
    LaneState after{m_plan.lanes, m_plan.baseline};
    LaneSpec copy = after.lanes[static_cast<std::size_t>(index)];
    copy.name = letterName(after.lanes.size());
    copy.muted = false;
    after.lanes.push_back(std::move(copy));
    push(tr("Duplicate lane"), std::move(after));
}

void PlanDocument::setLane(int index, LaneSpec lane) {
    if (index < 0 || index >= laneCount()) return;
    const auto at = static_cast<std::size_t>(index);
    lane.name = m_plan.lanes[at].name;
    if (lane == m_plan.lanes[at]) return;
    LaneState after{m_plan.lanes, m_plan.baseline};
    const QString what = tr("Edit lane %1").arg(QString::fromStdString(lane.name));
    after.lanes[at] = std::move(lane);
    push(what, std::move(after));
}

void PlanDocument::editLanes(const QString& what, const std::function<void(int, LaneSpec&)>& edit) {
    LaneState after{m_plan.lanes, m_plan.baseline};
    for (std::size_t i = 0; i < after.lanes.size(); ++i) {
        edit(static_cast<int>(i), after.lanes[i]);
        after.lanes[i].name = m_plan.lanes[i].name;
    }
    if (after.lanes != m_plan.lanes) push(what, std::move(after));
}

void PlanDocument::removeLane(int index) {
    if (index < 0 || index >= laneCount()) return;
    LaneState after{m_plan.lanes, m_plan.baseline};
    const std::string name = after.lanes[static_cast<std::size_t>(index)].name;
    after.lanes.erase(after.lanes.begin() + index);
    if (after.baseline == name) after.baseline.clear();
    relabel(after);
    push(tr("Remove lane %1").arg(QString::fromStdString(name)), std::move(after));
}

void PlanDocument::setMuted(int index, bool muted) {
    if (index < 0 || index >= laneCount()) return;
    LaneState after{m_plan.lanes, m_plan.baseline};
    auto& lane = after.lanes[static_cast<std::size_t>(index)];
    if (lane.muted == muted) return;
    lane.muted = muted;
    push(muted ? tr("Mute lane") : tr("Unmute lane"), std::move(after));
}

void PlanDocument::setBaseline(int index) {
    LaneState after{m_plan.lanes, {}};
    if (index >= 0 && index < laneCount())
        after.baseline = after.lanes[static_cast<std::size_t>(index)].name;
    if (after.baseline == m_plan.baseline) return;
    const QString what = after.baseline.empty() ? tr("Unpin baseline") : tr("Pin baseline");
    push(what, std::move(after));
}

void PlanDocument::setPrompt(int index, const PromptSpec& prompt) {
    if (index < 0 || index >= static_cast<int>(m_plan.prompts.size())) return;
    m_plan.prompts[static_cast<std::size_t>(index)] = prompt;
}

void PlanDocument::setSampling(const SamplingSpec& sampling) {
    m_plan.sampling = sampling;
}

void PlanDocument::setRepetitions(int warmup, int repetitions) {
    m_plan.warmup = std::max(0, warmup);
    m_plan.repetitions = std::max(1, repetitions);
}

Result<void> PlanDocument::load(const QString& path) {
    auto text = readTextFile(path.toStdString(), kMaxPlanBytes);
    if (!text) return text.error();
    auto plan = parsePlan(*text, QFileInfo(path).fileName().toStdString());
    if (!plan) return plan.error();
    replace(std::move(*plan), path);
    return {};
}

Result<void> PlanDocument::save(const QString& path) {
    auto written = writeFileAtomically(path.toStdString(), dumpJson(planToJson(m_plan), 2) + "\n");
    if (!written) return written;
    m_path = path;
    m_undo.setClean();
    emit pathChanged();
    return {};
}

void PlanDocument::push(const QString& what, LaneState after) {
    m_undo.push(new LaneCommand(this, what, {m_plan.lanes, m_plan.baseline}, std::move(after)));
}

void PlanDocument::apply(const LaneState& state) {
    m_plan.lanes = state.lanes;
    m_plan.baseline = state.baseline;
    emit lanesChanged();
}

void PlanDocument::relabel(LaneState& state) {
    std::string baseline = state.baseline;
    for (std::size_t i = 0; i < state.lanes.size(); ++i) {
        std::string& name = state.lanes[i].name;
        if (!isLetter(name)) continue;
        if (name == state.baseline) baseline = letterName(i);
        name = letterName(i);
    }
    state.baseline = baseline;
}

Plan starterPlan(const std::string& model) {
    Plan plan;
    plan.name = "kv formats";
    PromptSpec prompt;
    prompt.value = "Explain in two sentences why the sky is blue.";
    plan.prompts.push_back(prompt);
    plan.sampling.maxTokens = 96;
    LaneSpec lane;
    lane.model = model;
    lane.name = "A";
    lane.kv = "fp32";
    plan.lanes.push_back(lane);
    lane.name = "B";
    lane.kv = "fp16";
    plan.lanes.push_back(lane);
    plan.baseline = "A";
    return plan;
}

}  // namespace lanescope::app
