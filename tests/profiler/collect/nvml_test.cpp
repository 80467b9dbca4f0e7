// The sensors against an NVML played by the test.

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "engine/base/clock.h"
#include "profiler/collect/nvml_library.h"
#include "profiler/collect/nvml_sampler.h"

namespace lanescope::profiler {

using nvml::Figure;
using nvml::Sensors;
using nvml::Status;

namespace {

std::string g_uuid;
std::uint32_t g_index = 99;
std::atomic<Status> g_powerStatus{0};

nvml::Api fakeNvml() {
    nvml::Api a;
    a.errorString = [](Status) { return "words of NVML"; };
    a.handleByIndex = [](std::uint32_t index, void** device) -> Status {
        g_index = index;
        *device = &g_index;
        return index == 7 ? 6 : 0;
    };
    a.handleByUuid = [](const char* uuid, void** device) {
        g_uuid = uuid;
        *device = &g_uuid;
        return 0;
    };
    a.power = [](void*, std::uint32_t* v) {
        *v = 345'678;
        return g_powerStatus.load();
    };
    a.clock = [](void*, std::uint32_t type, std::uint32_t* v) {
        *v = type == nvml::kClockSm ? 1980 : 2619;
        return 0;
    };
    a.temperature = [](void*, std::uint32_t, std::uint32_t* v) {
        *v = 61;
        return 0;
    };
    a.memory = [](void*, nvml::MemoryInfo* info) {
        *info = {100, 40, 60};
        return nvml::kNotSupported;
    };
    return a;
}

}  // namespace

TEST(Nvml, AFigureThatIsMissingHasAReasonAndTheOthersStay) {
    g_powerStatus = 0;
    auto sensors = Sensors::open(fakeNvml(), 2, "GPU-aa");
    ASSERT_TRUE(sensors);
    EXPECT_EQ(g_uuid, "GPU-aa") << "NVML's numbers are not CUDA's";
    const std::int64_t before = nowNs();
    DeviceSample sample = (*sensors)->read();
    EXPECT_GE(sample.tNs, before);
    EXPECT_EQ(sample.device, 2);
    EXPECT_EQ(sample.powerMilliwatts, 345'678);
    EXPECT_EQ(sample.smClockMHz, 1980);
    EXPECT_EQ(sample.memoryClockMHz, 2619);
    EXPECT_EQ(sample.temperatureC, 61);
    EXPECT_EQ(sample.memoryUsedBytes, -1);
    EXPECT_EQ((*sensors)->missing(Figure::Memory), "this device does not report it");
    EXPECT_EQ((*sensors)->missing(Figure::Power), "");
    g_powerStatus = 999;
    sample = (*sensors)->read();
    EXPECT_EQ(sample.powerMilliwatts, -1);
    EXPECT_EQ((*sensors)->missing(Figure::Power), "NVML error 999: words of NVML");
    g_powerStatus = 0;
    EXPECT_EQ((*sensors)->read().powerMilliwatts, 345'678) << "and comes back";
    EXPECT_EQ((*sensors)->missing(Figure::Power), "");
}

TEST(Nvml, ADeviceThatIsNotThereIsRefused) {
    ASSERT_TRUE(Sensors::open(fakeNvml(), 1, ""));
    EXPECT_EQ(g_index, 1U);
    const auto gone = Sensors::open(fakeNvml(), 7, "");
    ASSERT_FALSE(gone);
    EXPECT_NE(gone.error().message.find("device 7"), std::string::npos);
    const auto library = nvml::Library::open();
    if (!library) {
        EXPECT_EQ(library.error().code, ErrorCode::NoDevice);
    }
}

TEST(Nvml, TheSamplerReadsAtItsIntervalAndOnceMoreAtItsEnd) {
    g_powerStatus = 0;
    std::mutex mutex;
    std::vector<DeviceSample> samples;
    {
        const nvml::Sampler sampler(std::move(*Sensors::open(fakeNvml(), 0, "")), 5,
                                    [&](const DeviceSample& sample) {
                                        const std::lock_guard lock(mutex);
                                        samples.push_back(sample);
                                    });
        for (int i = 0; i < 2000; ++i) {
            {
                const std::lock_guard lock(mutex);
                if (samples.size() >= 4) break;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    ASSERT_GE(samples.size(), 5U);
    EXPECT_GE(samples[3].tNs - samples[0].tNs, 2 * 5'000'000) << "one may come late";
    std::size_t n = 0;
    {
        const nvml::Sampler brief(std::move(*Sensors::open(fakeNvml(), 0, "")), 60'000,
                                  [&n](const DeviceSample&) { ++n; });
    }
    EXPECT_GE(n, 1U) << "even the shortest run has a reading, and does not wait for the next";
}

}  // namespace lanescope::profiler
