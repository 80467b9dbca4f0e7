#include "app/cli/bench_device.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/backend/cuda/plugin_source.h"
#include "engine/base/clock.h"
#include "profiler/analyse/stats.h"
#include "profiler/collect/device_run.h"
#include "profiler/collect/recorder.h"

namespace lanescope::cli {

namespace {

/// Median ms of an engine of its own that sends its spans to `recorder`, null: nowhere.
Result<double> medianMs(const DevicePhases& phases, profiler::Recorder* recorder) {
    auto engine = phases.open();
    if (!engine) return engine.error();
    if (recorder != nullptr) (*engine)->traceBenchmarks({recorder, 0, -1, -1});
    std::vector<double> ms;
    for (int i = -1; i < phases.n; ++i) {
        auto ns = phases.repetition(**engine);
        if (!ns) return ns.error();
        if (i >= 0) ms.push_back(static_cast<double>(*ns) / 1e6);
    }
    return profiler::distribution(ms).p50;
}

std::vector<GpuInfo> gpusOf(int device) {
    const auto plugin = cudaPlugin();
    if (!plugin) return {};
    auto gpus = devicesOf(**plugin);
    if (!gpus) return {};
    std::erase_if(*gpus, [device](const GpuInfo& gpu) { return gpu.index != device; });
    return *std::move(gpus);
}

/// As a run has it: sensors, kernels and spans into one recorder.
Result<void> tracedPhase(const DevicePhases& phases, DevicePrice& price) {
    const auto devices = std::make_shared<profiler::DeviceRun>();
    profiler::RecorderSettings settings;
    settings.deviceHooks = devices;
    const auto recorder = profiler::Recorder::create(settings);
    trace::RunHeader header;
    header.id = "bench";
    header.epochNs = nowNs();
    recorder->runStarted(header);
    recorder->laneReady({});
    devices->begin(*recorder, gpusOf(phases.device));
    const auto traced = medianMs(phases, recorder.get());
    devices->end();  // before the recorder goes
    if (!traced) return traced.error();
    recorder->flush();
    price.price.tracedMs = *traced;
    const profiler::RunSnapshot run = recorder->snapshot();
    price.timing = run->deviceTiming;
    price.activities = run->deviceActivities.size();
    return {};
}

}  // namespace

Result<DevicePrice> deviceTracePrice(const DevicePhases& phases) {
    DevicePrice out;
    out.price.n = phases.n;
    const auto before = medianMs(phases, nullptr);
    if (!before) return before.error();
    if (auto ok = tracedPhase(phases, out); !ok) return ok.error();
    const auto after = medianMs(phases, nullptr);
    if (!after) return after.error();
    out.beforeMs = *before;
    out.afterMs = *after;
    out.price.untracedMs = std::min(*before, *after);
    out.price.percent = 100.0 * (out.price.tracedMs - out.price.untracedMs) / out.price.untracedMs;
    return out;
}

nlohmann::ordered_json devicePriceJson(const DevicePrice& price) {
    nlohmann::ordered_json out = priceJson(price.price);
    out["untracedBeforeMs"] = price.beforeMs;
    out["untracedAfterMs"] = price.afterMs;
    nlohmann::ordered_json& timing = out["deviceTiming"];
    timing["on"] = price.timing.on();
    if (!price.timing.on()) {
        timing["unavailable"] = price.timing.unavailable;
        return out;
    }
    timing["source"] = price.timing.source;
    timing["activities"] = price.activities;
    timing["droppedRecords"] = price.timing.droppedRecords;
    timing["unmatched"] = price.timing.unmatched;
    return out;
}

std::string devicePriceText(const std::string& test, const DevicePrice& price) {
    return priceText(test, price.price) +
           (price.timing.on() ? "kernels were timed by " + price.timing.source + ": " +
                                    std::to_string(price.activities) + " activities\n"
                              : "kernels were not timed: " + price.timing.unavailable + "\n");
}

}  // namespace lanescope::cli
