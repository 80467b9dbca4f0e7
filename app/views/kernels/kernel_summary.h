#pragma once
// Fills the table of kernels: at once for small runs, on a pool thread for large ones. A newer
// request stops the one in progress. UI thread only.

#include <QObject>
#include <QTimer>
#include <memory>

#include "app/bridge/latest_task.h"
#include "app/bridge/selection.h"
#include "app/views/kernels/kernel_rows.h"

namespace lanescope::app {

/// What the table counts for a selection. What rows are told apart by does not restrict them, so
/// that a chosen row keeps its neighbours; a lane alone does not either.
profiler::ItemFilter filterFor(const Selection::State& state, profiler::GroupBy by,
                               profiler::StepKind steps);

class KernelSummary : public QObject {
    Q_OBJECT
  public:
    explicit KernelSummary(QObject* parent = nullptr);
    ~KernelSummary() override;

    /// Items up to which it is not worth a thread.
    static constexpr std::size_t kAtOnce = 20'000;

    /// ready() follows, before it returns or later.
    void start(profiler::RunSnapshot run, profiler::GroupBy by, const profiler::ItemFilter& filter);
    void clear();
    [[nodiscard]] bool busy() const { return m_task.busy(); }
    [[nodiscard]] double fraction() const;
    /// How long the last one took; 0: none yet.
    [[nodiscard]] std::int64_t lastCostNs() const { return m_lastCostNs; }

  signals:
    void ready(const lanescope::app::KernelRows& rows);
    /// A few times a second while busy.
    void progressed();

  private:
    struct Outcome {
        std::shared_ptr<KernelRows> rows;  ///< null: cancelled
        std::int64_t costNs = 0;
    };
    void deliver(const Outcome& outcome);
    static Outcome work(const profiler::RunData& run, profiler::GroupBy by,
                        const profiler::ItemFilter& filter, profiler::GroupingProgress* progress);

    std::shared_ptr<profiler::GroupingProgress> m_progress;
    LatestTask<Outcome> m_task;
    QTimer m_timer;
    std::int64_t m_lastCostNs = 0;
};

}  // namespace lanescope::app
