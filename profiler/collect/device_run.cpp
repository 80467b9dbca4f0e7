#include "profiler/collect/device_run.h"

#include <utility>

namespace lanescope::profiler {

namespace {

constexpr int kSampleMs = 100;  // as often as the driver renews power

Result<std::unique_ptr<nvml::Sensors>> driverSensors(const GpuInfo& gpu) {
    static const auto library = nvml::Library::open();
    if (!library) return library.error();
    return nvml::Sensors::open((*library)->api(), gpu.index, gpu.uuid);
}

DeviceFacts factsOf(const GpuInfo& gpu) {
    DeviceFacts facts;
    facts.device = gpu.index;
    facts.name = gpu.name;
    facts.computeMajor = gpu.capabilityMajor;
    facts.computeMinor = gpu.capabilityMinor;
    facts.nSms = gpu.multiprocessors;
    facts.memoryBytes = gpu.totalBytes;
    facts.uuid = gpu.uuid;
    facts.copyGBps = gpu.copyGBps;
    return facts;
}

}  // namespace

DeviceRun::DeviceRun() : DeviceRun({[] { return DeviceTracer::arm(); }, driverSensors}) {}

DeviceRun::~DeviceRun() {
    end();
}

void DeviceRun::begin(Recorder& recorder, const std::vector<GpuInfo>& gpus) {
    end();
    m_recorder = &recorder;
    for (const GpuInfo& gpu : gpus) recorder.deviceFacts(factsOf(gpu));
    if (m_tracer == nullptr) {
        auto armed = m_sources.arm();
        if (armed) {
            m_tracer = *armed;
        } else {
            DeviceTiming timing;
            timing.unavailable = armed.error().message;
            recorder.deviceTiming(timing);
        }
    }
    if (m_tracer != nullptr) {
        m_tracer->attach(recorder);
        m_hooks = m_tracer.get();
    } else {
        if (m_ranges == nullptr) m_ranges = nvtxHooks();
        m_hooks = m_ranges.get();
    }
    for (const GpuInfo& gpu : gpus) {
        auto sensors = m_sources.sensors(gpu);
        if (!sensors) continue;  // its figures are missing, which the pages show as not measured
        m_samplers.push_back(std::make_unique<nvml::Sampler>(
            *std::move(sensors), kSampleMs,
            [&recorder](const DeviceSample& sample) { recorder.deviceSample(sample); }));
    }
}

void DeviceRun::end() {
    m_samplers.clear();
    m_hooks = nullptr;
    if (m_recorder != nullptr && m_tracer != nullptr) m_tracer->detach();
    m_recorder = nullptr;
}

void DeviceRun::pushSpan(const trace::Span& span) {
    if (m_hooks != nullptr) m_hooks->pushSpan(span);
}
void DeviceRun::popSpan() {
    if (m_hooks != nullptr) m_hooks->popSpan();
}
void DeviceRun::rangePush(const char* name) {
    if (m_hooks != nullptr) m_hooks->rangePush(name);
}
void DeviceRun::rangePop() {
    if (m_hooks != nullptr) m_hooks->rangePop();
}

}  // namespace lanescope::profiler
