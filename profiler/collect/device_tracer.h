#pragma once
// Times what runs on NVIDIA devices, by CUPTI, and labels it with the engine's spans. Armed before
// the first lane loads (graphs must be instantiated under it, and the first use can take seconds);
// attached to the recorder of a run, and detached at its end. Read next: cupti_tracer.cpp.

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/trace/device_hooks.h"
#include "profiler/collect/recorder.h"

namespace lanescope::profiler {

/// What a captured graph shows as.
enum class GraphTracing : std::uint8_t {
    Nodes,  ///< each kernel in it
    Whole,  ///< one activity a launch: cheaper where launches are many
};

struct DeviceTracerSettings {
    GraphTracing graphs = GraphTracing::Nodes;
    std::size_t nBuffers = 32;           ///< activities beyond them are dropped and counted
    std::size_t bufferBytes = 1U << 20;  ///< about 4700 kernels each
    std::uint32_t flushMs = 100;         ///< full buffers come at least this often
};

/// The hooks are for RecorderSettings::deviceHooks; the rest for whoever runs the plan.
class DeviceTracer : public trace::DeviceHooks {
  public:
    /// Opens CUPTI and starts tracing; one tracer a process. Errors: NoDevice with the reason in
    /// one line, for DeviceTiming::unavailable.
    static Result<std::shared_ptr<DeviceTracer>> arm(const DeviceTracerSettings& settings = {});

    /// From here on what is found goes to this recorder, which must outlive detach().
    virtual void attach(Recorder& recorder) = 0;
    /// Flushes (the device should be idle), hands over the rest and the final DeviceTiming.
    virtual void detach() = 0;
};

/// Spans as NVTX ranges for another profiler, where DeviceTracer may not be: Nsight then shows the
/// names of this program. Null where the program was built without NVTX.
std::shared_ptr<trace::DeviceHooks> nvtxHooks();

}  // namespace lanescope::profiler
