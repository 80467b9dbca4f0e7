#pragma once
// Reads a device's sensors at an interval, on a thread of its own, into a recorder.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "profiler/collect/nvml_library.h"

namespace lanescope::profiler::nvml {

class Sampler {
  public:
    using Receiver = std::function<void(const DeviceSample&)>;

    /// Starts at once; `receiver` is called on the sampler's thread (Recorder::deviceSample may
    /// be). The interval is at least 1 ms; the driver itself renews power about every 100 ms.
    Sampler(std::unique_ptr<Sensors> sensors, int intervalMs, Receiver receiver);
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;
    /// Takes a last sample and ends the thread.
    ~Sampler();

  private:
    void loop(int intervalMs);

    std::unique_ptr<Sensors> m_sensors;
    Receiver m_receiver;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_stop = false;
    std::thread m_thread;
};

}  // namespace lanescope::profiler::nvml
