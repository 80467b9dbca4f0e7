#include "profiler/collect/nvml_sampler.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/processors.h"

namespace lanescope::profiler::nvml {

Sampler::Sampler(std::unique_ptr<Sensors> sensors, int intervalMs, Receiver receiver)
    : m_sensors(std::move(sensors)),
      m_receiver(std::move(receiver)),
      m_thread([this, intervalMs] { loop(std::max(1, intervalMs)); }) {}

Sampler::~Sampler() {
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void Sampler::loop(int intervalMs) {
    becomeBackgroundThread("device-sensors");
    const auto interval = std::chrono::milliseconds(intervalMs);
    auto next = std::chrono::steady_clock::now();
    std::unique_lock lock(m_mutex);
    while (true) {
        const bool last = m_stop;
        lock.unlock();
        m_receiver(m_sensors->read());
        lock.lock();
        if (last) return;
        // A slow driver makes samples rarer, not piled up.
        next += interval;
        const auto now = std::chrono::steady_clock::now();
        if (next < now) next = now + interval;
        m_wake.wait_until(lock, next, [this] { return m_stop; });
    }
}

}  // namespace lanescope::profiler::nvml
