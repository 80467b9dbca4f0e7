#pragma once
// The Sink that keeps everything: bounded rings on the engine side, immutable snapshots on the
// reader's side, a writer thread that stores the run every half second. Drops are counted, never
// hidden.

#include <cstdint>
#include <memory>
#include <string>

#include "engine/trace/sink.h"
#include "profiler/store/run_store.h"

namespace lanescope::profiler {

struct RecorderSettings {
    std::size_t spanRingCapacity = 1U << 16;  ///< spans between two drains
    std::size_t maxSpans = 2'000'000;         ///< kept per run; more are counted as dropped
    std::shared_ptr<RunStore> store;          ///< null: memory only
    int saveIntervalMs = 500;
};

/// One run at a time; begin a new one by making a new Recorder. The Sink side is called on one
/// engine thread.
class Recorder : public trace::Sink {
  public:
    static std::unique_ptr<Recorder> create(RecorderSettings settings);

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
