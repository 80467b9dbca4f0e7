#pragma once
// The bottom line: what machine this is, what the profiler itself cost, how far the run is.

#include <QWidget>

#include "profiler/store/run_data.h"

class QLabel;
class QToolButton;

namespace lanescope::app {

class ElidedLabel;
class ProgressLine;
class UiWatchdog;

class StatusLine : public QWidget {
    Q_OBJECT
  public:
    explicit StatusLine(QWidget* parent = nullptr);

    void setRun(const profiler::RunSnapshot& run);
    void setProgress(double fraction, qint64 etaMs, const QString& text);
    void setRunning(bool running, bool cancelling);
    void setStoreError(const QString& error);
    void setWatchdog(const UiWatchdog* watchdog);
    [[nodiscard]] QString progressText() const;

  signals:
    void cancelRequested();

  protected:
    bool event(QEvent* event) override;

  private:
    void readMachine();

    ElidedLabel* m_machine;
    QLabel* m_overhead;
    QLabel* m_text;
    ProgressLine* m_bar;
    QLabel* m_eta;
    QToolButton* m_cancel;
    const UiWatchdog* m_watchdog = nullptr;
    QString m_storeError;
};

/// "est. 0.3 %" of the run's time; empty when nothing was measured.
QString overheadText(const profiler::RunData& run);

}  // namespace lanescope::app
