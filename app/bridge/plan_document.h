#pragma once
// The plan that the person edits. Lanes and the baseline change through commands that can be
// undone; prompt and sampling follow their input fields, which undo by themselves. UI thread only.

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <functional>
#include <optional>

#include "engine/lane/plan.h"

namespace lanescope::app {

class PlanDocument : public QObject {
    Q_OBJECT
  public:
    explicit PlanDocument(QObject* parent = nullptr);

    [[nodiscard]] const Plan& plan() const { return m_plan; }
    [[nodiscard]] QUndoStack* undoStack() { return &m_undo; }
    /// File it was opened from or saved to; empty: none yet.
    [[nodiscard]] const QString& path() const { return m_path; }
    /// Folder that relative prompt files and models are found in.
    [[nodiscard]] QString baseDir() const;
    [[nodiscard]] int laneCount() const { return static_cast<int>(m_plan.lanes.size()); }
    [[nodiscard]] int baselineIndex() const;  ///< -1: none
    [[nodiscard]] bool canAddLane() const;

    /// Another plan takes the place of this one; undo history starts anew.
    void replace(Plan plan, const QString& path);
    /// Lanes and baseline of another plan, as one undoable step; prompt and sampling as well.
    void adopt(const Plan& plan, const QString& what);

    void addLane(LaneSpec lane);
    void duplicateLane(int index);
    void setLane(int index, LaneSpec lane);
    /// Changes any lanes as one undoable step; names stay.
    void editLanes(const QString& what, const std::function<void(int, LaneSpec&)>& edit);
    void removeLane(int index);
    void setMuted(int index, bool muted);
    /// index -1 unpins.
    void setBaseline(int index);

    void setPrompt(int index, const PromptSpec& prompt);  ///< the others stay
    void setSampling(const SamplingSpec& sampling);
    void setRepetitions(int warmup, int repetitions);

    /// Errors: what parsePlan or the file system says.
    Result<void> load(const QString& path);
    Result<void> save(const QString& path);

  signals:
    void lanesChanged();
    void promptChanged();  ///< prompt, sampling or repetitions changed from outside their fields
    void pathChanged();

  private:
    struct LaneState {
        std::vector<LaneSpec> lanes;
        std::string baseline;
    };
    class LaneCommand;
    void push(const QString& what, LaneState after);
    void apply(const LaneState& state);
    /// Lanes that carry a letter keep carrying the letter of their place, so that letter and colour
    /// stay a pair.
    static void relabel(LaneState& state);

    Plan m_plan;
    QString m_path;
    QUndoStack m_undo;
};

/// The plan of a first start: one model, KV cache fp32 against fp16.
Plan starterPlan(const std::string& model);

}  // namespace lanescope::app
