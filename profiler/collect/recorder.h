#pragma once
// The Sink that keeps everything: bounded rings on the engine side, immutable snapshots on the
// reader's side, a writer thread that stores the run every half second. Drops are counted, never
// hidden.

#include <cstdint>
#include <memory>
#include <string>

#include "engine/trace/device_hooks.h"
#include "engine/trace/sink.h"
#include "profiler/collect/run_builder.h"
#include "profiler/store/run_store.h"

namespace lanescope::profiler {

struct RecorderSettings {
    std::size_t spanRingCapacity = 1U << 16;  ///< spans between two drains
    RunLimits limits;                         ///< what is kept of a run
    std::shared_ptr<RunStore> store;          ///< null: memory only
    /// What a backend on a device is told to call (deviceHooks()); null: devices are not timed.
    std::shared_ptr<trace::DeviceHooks> deviceHooks;
    int saveIntervalMs = 500;
};

/// One run at a time; begin a new one by making a new Recorder. The Sink side is called on one
/// engine thread.
class Recorder : public trace::Sink {
  public:
    static std::unique_ptr<Recorder> create(RecorderSettings settings);

    /// What a collector of device timing found; times are nowNs(). Any thread. A batch that comes
    /// when the collector thread is far behind is dropped and counted.
    virtual void deviceActivities(DeviceActivityBatch batch) = 0;
    virtual void deviceFacts(const DeviceFacts& facts) = 0;     ///< completes the ones before
    virtual void deviceTiming(const DeviceTiming& timing) = 0;  ///< replaces the one before
    virtual void deviceSample(const DeviceSample& sample) = 0;

    /// The newest state. Cheap when nothing changed (the same pointer is returned). Any thread.
    [[nodiscard]] virtual RunSnapshot snapshot() = 0;
    /// Increases with every event; lets a view skip work. Any thread.
    [[nodiscard]] virtual std::uint64_t revision() const = 0;
    /// First error of the store (disk full, locked …); empty when fine. Any thread.
    [[nodiscard]] virtual std::string storeError() const = 0;
    /// Waits until everything is stored.
    virtual void flush() = 0;
};

}  // namespace lanescope::profiler
