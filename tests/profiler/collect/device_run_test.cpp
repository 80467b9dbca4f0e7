// Devices around runs: armed once, attached to each run, refusals said, sensors read.

#include "profiler/collect/device_run.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/clock.h"

namespace lanescope::profiler {
namespace {

const GpuInfo kGpu{"Test GPU", "GPU-11", 1, 9, 0, 132, 1U << 30, 4000.0};

class FakeTracer final : public DeviceTracer {
  public:
    explicit FakeTracer(std::vector<std::string>& log) : m_log(log) {}
    void attach(Recorder&) override { m_log.emplace_back("attach"); }
    void detach() override { m_log.emplace_back("detach"); }
    void pushSpan(const trace::Span& span) override {
        m_log.push_back("push " + std::string(trace::opName(span.op)));
    }
    void popSpan() override { m_log.emplace_back("pop"); }

  private:
    std::vector<std::string>& m_log;
};

std::unique_ptr<Recorder> startedRun() {
    auto recorder = Recorder::create({});
    trace::RunHeader header;
    header.id = "00112233445566778899aabbccddeeff";
    header.epochNs = nowNs();
    recorder->runStarted(header);
    return recorder;
}

Result<std::unique_ptr<nvml::Sensors>> noSensors(const GpuInfo&) {
    return Error{ErrorCode::NoDevice, "no sensors here", "", ""};
}

void pushOne(trace::DeviceHooks& hooks) {
    trace::Span span;
    span.op = trace::Op::Attention;
    hooks.pushSpan(span);
    hooks.popSpan();
}

TEST(DeviceRun, IsArmedOnceAndAttachedToEachRun) {
    std::vector<std::string> log;
    int armed = 0;
    DeviceRun devices({[&]() -> Result<std::shared_ptr<DeviceTracer>> {
                           ++armed;
                           return std::shared_ptr<DeviceTracer>(std::make_shared<FakeTracer>(log));
                       },
                       noSensors});
    pushOne(devices);  // no run: nobody listens
    for (int i = 0; i < 2; ++i) {
        const auto recorder = startedRun();
        devices.begin(*recorder, {kGpu});
        pushOne(devices);
        devices.end();
        devices.end();
        pushOne(devices);
        recorder->flush();
        const RunSnapshot run = recorder->snapshot();
        ASSERT_EQ(run->devices.size(), 1U);
        EXPECT_EQ(run->devices[0].device, 1);
        EXPECT_EQ(run->devices[0].name, "Test GPU");
        EXPECT_EQ(run->devices[0].uuid, "GPU-11");
        EXPECT_EQ(run->devices[0].nSms, 132);
        EXPECT_EQ(run->devices[0].copyGBps, 4000.0);
        EXPECT_TRUE(run->deviceTiming.unavailable.empty());
    }
    EXPECT_EQ(armed, 1);
    const std::vector<std::string> once{"attach", "push attention", "pop", "detach"};
    auto twice = once;
    twice.insert(twice.end(), once.begin(), once.end());
    EXPECT_EQ(log, twice);
}

TEST(DeviceRun, WhatRefusesIsSaidInTheRunAndTriedAgainInTheNext) {
    int asked = 0;
    DeviceRun devices(
        {[&]() -> Result<std::shared_ptr<DeviceTracer>> {
             ++asked;
             return Error{ErrorCode::NoDevice, "another profiler is attached", "", "end it"};
         },
         noSensors});
    for (int i = 0; i < 2; ++i) {
        const auto recorder = startedRun();
        devices.begin(*recorder, {kGpu});
        pushOne(devices);
        devices.end();
        recorder->flush();
        EXPECT_EQ(recorder->snapshot()->deviceTiming.unavailable, "another profiler is attached");
        EXPECT_FALSE(recorder->snapshot()->deviceTiming.on());
    }
    EXPECT_EQ(asked, 2);
}

TEST(DeviceRun, SensorsAreReadWhileTheRunLasts) {
    nvml::Api api;
    api.errorString = [](nvml::Status) { return ""; };
    static int handle = 0;
    api.handleByUuid = [](const char*, void** device) -> nvml::Status {
        *device = &handle;
        return nvml::kSuccess;
    };
    api.power = [](void*, std::uint32_t* v) -> nvml::Status {
        *v = 250'000;
        return nvml::kSuccess;
    };
    api.clock = [](void*, std::uint32_t, std::uint32_t*) { return nvml::kNotSupported; };
    api.memory = [](void*, nvml::MemoryInfo*) { return nvml::kNotSupported; };
    api.temperature = [](void*, std::uint32_t, std::uint32_t*) { return nvml::kNotSupported; };
    std::string uuid;
    DeviceRun devices({[]() -> Result<std::shared_ptr<DeviceTracer>> {
                           return Error{ErrorCode::NoDevice, "no CUPTI", "", ""};
                       },
                       [&](const GpuInfo& gpu) {
                           uuid = gpu.uuid;
                           return nvml::Sensors::open(api, gpu.index, gpu.uuid);
                       }});
    const auto recorder = startedRun();
    devices.begin(*recorder, {kGpu});
    devices.end();
    recorder->flush();
    EXPECT_EQ(uuid, "GPU-11");
    const RunSnapshot run = recorder->snapshot();
    ASSERT_FALSE(run->deviceSamples.empty());
    EXPECT_EQ(run->deviceSamples[0].device, 1);
    EXPECT_EQ(run->deviceSamples[0].powerMilliwatts, 250'000);
    EXPECT_EQ(run->deviceSamples[0].smClockMHz, -1);
}

}  // namespace
}  // namespace lanescope::profiler
