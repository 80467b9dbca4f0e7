#pragma once
// Runs plans on an engine thread and brings their snapshots to the UI thread. The UI thread never
// waits here: snapshots are taken on a pool thread and arrive as queued calls, at most 30 a second,
// a stale one is never sent. Read next: engine/lane/run.h, profiler/collect/recorder.h.

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <thread>

#include "app/bridge/cache_tap.h"
#include "app/bridge/run_progress.h"
#include "engine/base/cancel.h"
#include "engine/base/result.h"
#include "engine/lane/plan.h"
#include "engine/lane/run.h"
#include "profiler/collect/device_run.h"
#include "profiler/collect/recorder.h"

namespace lanescope::app {

class RunController : public QObject {
    Q_OBJECT
  public:
    /// What carries out a plan; executePlan unless a test puts something else in its place.
    using Executor = std::function<Result<trace::RunStatus>(const Plan&, ModelStore&, trace::Sink&,
                                                            const CancelToken&, const RunOptions&)>;

    /// store: where runs are kept; null: memory only.
    explicit RunController(std::shared_ptr<profiler::RunStore> store, QObject* parent = nullptr);
    /// Cancels and joins. Call cancel() and wait for runningChanged(false) first where a wait on
    /// the UI thread must not be seen.
    ~RunController() override;

    void setExecutor(Executor executor) { m_executor = std::move(executor); }
    /// Relative prompt files and models are looked up here.
    void setBaseDir(const QString& dir) { m_baseDir = dir; }

    /// Starts the plan. Precondition: not running().
    void startRun(const Plan& plan);
    /// Asks the run to stop; returns at once.
    void cancel();
    [[nodiscard]] bool running() const { return m_session != nullptr; }
    [[nodiscard]] bool cancelling() const;
    /// The newest snapshot shown: of the run in progress, the last run, or what show() was given.
    [[nodiscard]] profiler::RunSnapshot snapshot() const { return m_snapshot; }
    /// Shows a stored run. Ignored while running.
    void show(profiler::RunSnapshot snapshot);

  signals:
    void snapshotChanged(profiler::RunSnapshot snapshot);
    void runningChanged(bool running);
    void progressChanged(double fraction, qint64 etaMs, const QString& text);
    void failed(const QString& message, const QString& details);
    /// What happens to the lanes' KV blocks, from the start of a run to its end.
    void cacheBegan();
    void cacheChanged(lanescope::app::CacheBatchPtr batch);
    void cacheEnded();

  private:
    struct Session;
    void poll();
    void tellRoof(int threads);
    void deliver(const profiler::RunSnapshot& snapshot);
    void finish(const std::shared_ptr<Session>& session);
    void emitProgress(const profiler::RunData& run);

    std::shared_ptr<profiler::RunStore> m_store;
    std::shared_ptr<ModelStore> m_models;
    Executor m_executor;
    std::shared_ptr<profiler::DeviceRun> m_devices;
    QString m_baseDir;
    std::shared_ptr<Session> m_session;
    std::thread m_thread;
    profiler::RunSnapshot m_snapshot;
    QTimer m_timer;
    QElapsedTimer m_elapsed;
    double m_fraction = 0.0;
};

}  // namespace lanescope::app
