#include "app/bridge/ui_watchdog.h"

#include <algorithm>
#include <ctime>

namespace lanescope::app {

namespace {
constexpr int kBeatMs = 4;

double threadCpuMs() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}
}  // namespace

UiWatchdog::UiWatchdog(QObject* parent) : QObject(parent) {
    m_timer.setInterval(kBeatMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &UiWatchdog::beat);
}

void UiWatchdog::start() {
    reset();
    m_timer.start();
}

void UiWatchdog::stop() {
    m_timer.stop();
}

void UiWatchdog::reset() {
    m_worstMs = 0.0;
    m_worstBusyMs = 0.0;
    m_lastCpuMs = threadCpuMs();
    m_late = 0;
    m_beats = 0;
    m_clock.start();
}

void UiWatchdog::beat() {
    const double gapMs = static_cast<double>(m_clock.nsecsElapsed()) / 1e6 - kBeatMs;
    m_clock.start();
    m_beats += 1;
    m_worstMs = std::max(m_worstMs, gapMs);
    const double cpuMs = threadCpuMs();
    m_worstBusyMs = std::max(m_worstBusyMs, cpuMs - m_lastCpuMs);
    m_lastCpuMs = cpuMs;
    if (gapMs > kLimitMs) m_late += 1;
}

}  // namespace lanescope::app
