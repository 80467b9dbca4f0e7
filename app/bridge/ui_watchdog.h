#pragma once
// Measures how long the UI thread stays away from its event loop: a heartbeat timer whose late
// ticks are the blocking times. Used by the tests and shown in the status bar's tooltip.

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace lanescope::app {

class UiWatchdog : public QObject {
    Q_OBJECT
  public:
    explicit UiWatchdog(QObject* parent = nullptr);

    void start();
    void stop();
    void reset();

    /// Longest time between two visits to the event loop beyond the heartbeat, ms.
    [[nodiscard]] double worstGapMs() const { return m_worstMs; }
    /// Most processor time this thread used between two beats, ms: what of a gap was our own work
    /// and not a busy machine.
    [[nodiscard]] double worstBusyMs() const { return m_worstBusyMs; }
    /// Gaps longer than `kLimitMs`.
    [[nodiscard]] int lateCount() const { return m_late; }
    [[nodiscard]] int beatCount() const { return m_beats; }

    static constexpr double kLimitMs = 33.0;

  private:
    void beat();

    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_worstMs = 0.0;
    double m_worstBusyMs = 0.0;
    double m_lastCpuMs = 0.0;
    int m_late = 0;
    int m_beats = 0;
};

}  // namespace lanescope::app
