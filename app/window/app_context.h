#pragma once
// What outlives a window: the plan, the engine thread, the store, the selection. The window can be
// made anew (another language) without disturbing any of it.

#include <QObject>
#include <QStringList>
#include <memory>

#include "app/bridge/cache_log.h"
#include "app/bridge/divergence_controller.h"
#include "app/bridge/model_info.h"
#include "app/bridge/model_library.h"
#include "app/bridge/plan_document.h"
#include "app/bridge/run_controller.h"
#include "app/bridge/selection.h"
#include "app/bridge/serving_controller.h"
#include "app/bridge/trace_opener.h"
#include "profiler/store/run_store.h"

namespace lanescope::app {

struct OpenChoice;

class AppContext : public QObject {
    Q_OBJECT
  public:
    /// Opens the run store; storeError tells when it could not be.
    explicit AppContext(QObject* parent = nullptr);
    ~AppContext() override;

    std::shared_ptr<profiler::RunStore> store;
    QString storeError;
    PlanDocument document;
    ModelInfoCache models;
    ModelLibrary library;
    Selection selection;
    TraceOpener traces;
    profiler::RunSnapshot openedTrace;  ///< shown in place of the run; null: none
    CacheLog cache;                     ///< blocks of the last run or serving
    std::unique_ptr<RunController> controller;
    ServingController serving;
    DivergenceController divergence;

    /// A run or a measurement is under way: two that are timed never go on at once.
    [[nodiscard]] bool busy() const;
    /// Asks whatever goes on to stop.
    void cancelAll();

    /// The plan of the last time, or the starter plan when a known model is there, or nothing.
    void restoreSession();
    void saveSession() const;

    /// What a path is, by looking at it.
    enum class FileKind : std::uint8_t { Missing, Model, Plan, Run, Trace, Unknown };
    static FileKind fileKind(const QString& path);

    /// Adds a model: two lanes when there are none yet, else one more like the first lane.
    void openModel(const QString& model);
    /// The same with the context and KV format of the open dialog, or in place of the lanes' model.
    void openChosen(const OpenChoice& choice);
    /// Errors are shown where the window shows errors.
    void openPlan(const QString& path);
    void openRunFile(const QString& path);
    void openStoredRun(const QString& id);
    void openPath(const QString& path);

    static QStringList recent(const QString& kind);  ///< "models", "plans"
    static void addRecent(const QString& kind, const QString& path);

  signals:
    void problem(const QString& message, const QString& details);
    void recentChanged();
    void runOpened();

  private:
    void connectCache();
    void showRun(const profiler::RunSnapshot& run);
    void report(const Error& error);
};

/// context and next step of an error, one a line.
QString errorDetails(const Error& error);

}  // namespace lanescope::app
