#pragma once
// Reads a trace file on a pool thread, with progress and cancel; what comes out is a run that has
// nothing but the trace. UI thread only. Read next: profiler/import/chrome_trace.h.

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>

#include "app/bridge/latest_task.h"
#include "profiler/import/chrome_trace.h"
#include "profiler/store/run_data.h"

namespace lanescope::app {

class TraceOpener : public QObject {
    Q_OBJECT
  public:
    explicit TraceOpener(QObject* parent = nullptr);
    ~TraceOpener() override;

    /// True for a file whose beginning looks like a trace (gzip or JSON with events).
    static bool looksLikeTrace(const QString& path);

    /// A file in progress is given up.
    void open(const QString& path);
    void cancel();
    [[nodiscard]] bool busy() const { return m_task.busy(); }
    [[nodiscard]] const QString& path() const { return m_path; }

  signals:
    /// 0 … 1, a few times a second; 1: no longer busy.
    void progressed(double fraction);
    void opened(lanescope::profiler::RunSnapshot run);
    void failed(const QString& message, const QString& details);

  private:
    using Outcome = std::shared_ptr<Result<profiler::RunSnapshot>>;
    void deliver(const Outcome& outcome);

    QString m_path;
    std::shared_ptr<profiler::TraceReading> m_reading;
    LatestTask<Outcome> m_task;
    QTimer m_timer;
};

/// What a person should know of an opened trace: counts, and what of the file is not shown.
QString traceSummary(const profiler::ImportedTrace& trace);

}  // namespace lanescope::app
