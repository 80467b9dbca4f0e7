#pragma once
// The GPUs of a run: their kernels' times (device_tracer.h) and their sensors (nvml_sampler.h), as
// far as this machine gives them; what it refuses is said in the run (DeviceTiming::unavailable).
// The one thing that whoever runs a plan has to hold. Read next: device_tracer.h.

#include <functional>
#include <memory>
#include <vector>

#include "engine/trace/gpu_info.h"
#include "profiler/collect/device_tracer.h"
#include "profiler/collect/nvml_sampler.h"

namespace lanescope::profiler {

/// Kept over the runs of a program: a tracer is armed once. For RecorderSettings::deviceHooks; the
/// hooks are called on the thread of begin() and end().
class DeviceRun final : public trace::DeviceHooks {
  public:
    struct Sources {
        std::function<Result<std::shared_ptr<DeviceTracer>>()> arm;
        std::function<Result<std::unique_ptr<nvml::Sensors>>(const GpuInfo&)> sensors;
    };
    /// CUPTI and NVML.
    DeviceRun();
    explicit DeviceRun(Sources sources) : m_sources(std::move(sources)) {}
    ~DeviceRun() override;

    /// Before the first lane loads; may take seconds the first time. The recorder must live until
    /// end().
    void begin(Recorder& recorder, const std::vector<GpuInfo>& gpus);
    /// After the last lane; nothing without begin().
    void end();

    void pushSpan(const trace::Span& span) override;
    void popSpan() override;
    void rangePush(const char* name) override;
    void rangePop() override;

  private:
    Sources m_sources;
    std::shared_ptr<DeviceTracer> m_tracer;  ///< null: not armed, or refused
    Recorder* m_recorder = nullptr;
    std::vector<std::unique_ptr<nvml::Sampler>> m_samplers;
    /// The tracer, or ranges for another profiler where there is none; null: not in a run.
    trace::DeviceHooks* m_hooks = nullptr;
    std::shared_ptr<trace::DeviceHooks> m_ranges;
};

}  // namespace lanescope::profiler
