// Device timing through the recorder: order, names, limits, drops.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "profiler/collect/recorder.h"
#include "profiler/collect/run_builder.h"

namespace lanescope::profiler {

namespace {

trace::RunHeader header() {
    trace::RunHeader h;
    h.id = "00112233445566778899aabbccddeeff";
    h.epochNs = 1'000'000;
    return h;
}

DeviceActivity activityAt(std::int64_t start, std::int64_t end, std::int32_t name = 0) {
    DeviceActivity a;
    a.tStartNs = start;
    a.tEndNs = end;
    a.name = name;
    return a;
}

DeviceFacts facts(std::int32_t device, const char* name, std::int32_t nSms = 0,
                  double copyGBps = 0.0) {
    DeviceFacts f;
    f.device = device;
    f.name = name;
    f.nSms = nSms;
    f.copyGBps = copyGBps;
    return f;
}

}  // namespace

TEST(DeviceEvents, ReachTheSnapshotWithTimesOfTheRun) {
    auto recorder = Recorder::create({});
    recorder->runStarted(header());
    DeviceActivityBatch batch;
    batch.names = {"kernel a", "kernel b"};
    batch.activities = {activityAt(3'000'000, 3'500'000, 1), activityAt(2'000'000, 2'500'000, 0)};
    batch.activities[0].tSpanNs = 1'500'000;
    recorder->deviceActivities(batch);
    batch.names = {"kernel b"};  // a batch brings its own table
    batch.activities = {activityAt(2'200'000, 2'300'000, 0), activityAt(2'400'000, 2'410'000, 7)};
    recorder->deviceActivities(batch);
    recorder->deviceFacts(facts(1, "second"));
    recorder->deviceFacts(facts(0, "first"));
    recorder->deviceFacts(facts(1, "second, known better", 132));
    recorder->deviceFacts(facts(1, "", 0, 2890.5));  // a measurement knows only itself
    DeviceTiming timing;
    timing.source = "CUPTI 13.0";
    timing.droppedRecords = 5;
    recorder->deviceTiming(timing);
    DeviceSample sample;
    sample.tNs = 1'700'000;
    sample.powerMilliwatts = 250'000;
    recorder->deviceSample(sample);
    recorder->flush();
    const auto run = recorder->snapshot();
    ASSERT_EQ(run->deviceActivities.size(), 4U);
    EXPECT_EQ(run->deviceActivities[0].tStartNs, 1'000'000);
    EXPECT_EQ(nameOf(*run, run->deviceActivities[0]), "kernel a");
    EXPECT_EQ(nameOf(*run, run->deviceActivities[1]), "kernel b");
    EXPECT_EQ(run->deviceActivities[2].name, -1) << "not in the batch's table";
    EXPECT_EQ(nameOf(*run, run->deviceActivities[2]), "");
    EXPECT_EQ(nameOf(*run, run->deviceActivities[3]), "kernel b");
    EXPECT_EQ(run->deviceActivities[3].tSpanNs, 500'000);
    EXPECT_EQ(run->deviceActivities[0].tSpanNs, kUnknownNs) << "unknown stays unknown";
    EXPECT_EQ(run->deviceNames.size(), 2U);
    ASSERT_EQ(run->devices.size(), 2U);
    EXPECT_EQ(run->devices[0].name, "first");
    EXPECT_EQ(run->devices[1].name, "second, known better");
    EXPECT_EQ(run->devices[1].nSms, 132);
    EXPECT_EQ(run->devices[1].copyGBps, 2890.5);
    EXPECT_EQ(run->deviceTiming.droppedRecords, 5U);
    ASSERT_EQ(run->deviceSamples.size(), 1U);
    EXPECT_EQ(run->deviceSamples[0].tNs, 700'000);
}

TEST(DeviceEvents, StayInOrderHoweverTheyArrive) {
    std::mt19937 random(3);
    std::vector<DeviceActivity> all;
    for (int i = 0; i < 3000; ++i) {
        const auto start = static_cast<std::int64_t>(random() % 1000);
        all.push_back(activityAt(start, start + static_cast<std::int64_t>(random() % 50)));
    }
    RunBuilder builder({}, 1.0);
    builder.apply(header());
    for (std::size_t i = 0; i < all.size(); i += 100) {
        DeviceActivityBatch batch;
        batch.activities.assign(all.begin() + static_cast<std::ptrdiff_t>(i),
                                all.begin() + static_cast<std::ptrdiff_t>(i + 100));
        builder.apply(std::move(batch));
    }
    const auto run = builder.snapshot();
    ASSERT_EQ(run->deviceActivities.size(), all.size());
    for (std::size_t i = 1; i < all.size(); ++i) {
        EXPECT_FALSE(earlier(run->deviceActivities[i], run->deviceActivities[i - 1])) << i;
    }
}

TEST(DeviceEvents, AreBoundedAndWhatIsLostIsCounted) {
    RunLimits limits;
    limits.deviceActivities = 3;
    limits.deviceNames = 1;
    limits.deviceSamples = 1;
    RunBuilder builder(limits, 1.0);
    DeviceActivityBatch early;
    early.activities.resize(2);
    builder.apply(early);
    builder.apply(DeviceSample{});
    builder.apply(header());
    DeviceActivityBatch batch;
    batch.names = {"one", "two"};
    for (int i = 0; i < 5; ++i) batch.activities.push_back(activityAt(i, i + 1, i % 2));
    builder.apply(batch);
    DeviceTiming timing;
    timing.droppedRecords = 10;
    builder.apply(timing);
    builder.setDropped(0, 0, 100);
    builder.apply(DeviceSample{});
    builder.apply(DeviceSample{});
    const auto run = builder.snapshot();
    EXPECT_EQ(run->deviceActivities.size(), 3U);
    EXPECT_EQ(run->deviceActivities[0].name, 0);
    EXPECT_EQ(run->deviceActivities[1].name, -1) << "no room in the table";
    EXPECT_EQ(run->deviceNames.size(), 1U);
    EXPECT_EQ(run->deviceSamples.size(), 1U);
    EXPECT_EQ(run->deviceTiming.droppedRecords, 2U + 2U + 10U + 100U);
    EXPECT_EQ(builder.snapshot()->deviceTiming.droppedRecords, 114U) << "not counted twice";
}

TEST(DeviceEvents, ABackendFindsTheHooksThroughItsSink) {
    struct Hooks final : trace::DeviceHooks {
        int depth = 0, pushed = 0;
        void pushSpan(const trace::Span&) override {
            ++depth;
            ++pushed;
        }
        void popSpan() override { --depth; }
    };
    auto hooks = std::make_shared<Hooks>();
    RecorderSettings settings;
    settings.deviceHooks = hooks;
    auto recorder = Recorder::create(settings);
    trace::Sink& sink = *recorder;
    {
        const trace::ScopedDeviceSpan outer(sink.deviceHooks(), {});
        const trace::ScopedDeviceSpan inner(sink.deviceHooks(), {});
        EXPECT_EQ(hooks->depth, 2);
    }
    EXPECT_EQ(hooks->depth, 0);
    EXPECT_EQ(hooks->pushed, 2);
    trace::Sink deaf;
    const trace::ScopedDeviceSpan nothing(deaf.deviceHooks(), {});
    EXPECT_EQ(deaf.deviceHooks(), nullptr);
}

}  // namespace lanescope::profiler
