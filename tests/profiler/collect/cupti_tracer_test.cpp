// The tracer against a CUPTI played by the test: the order of its calls, buffers filled by hand,
// refusals, and what arrives in the run.

#include "profiler/collect/cupti_tracer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>
#include <utility>

#include "engine/base/clock.h"
#include "profiler/collect/cupti_records.h"
#include "tests/profiler/collect/cupti_buffer.h"

namespace lanescope::profiler {

using cupti::Kind;
using cupti::Status;
using test::CuptiBuffer;

namespace {

/// CUPTI as this test plays it. Its functions carry no user pointer, hence the statics.
struct FakeCupti {
    static inline std::vector<std::string> calls;
    static inline std::set<std::uint32_t> enabled;
    static inline std::vector<std::uint64_t> ids;  ///< the stack
    static inline std::uint64_t lastId = 0;
    static inline cupti::Callback callback = nullptr;
    static inline void* user = nullptr;
    static inline cupti::BufferRequested requested = nullptr;
    static inline cupti::BufferCompleted completed = nullptr;
    static inline Status subscribeStatus = 0, timestampStatus = 0, enableStatus = 0;
    static inline std::size_t dropped = 0;
    static inline std::int64_t clockOffset = 0;

    static void reset() {
        calls.clear();
        enabled.clear();
        ids.clear();
        subscribeStatus = timestampStatus = enableStatus = 0;
        dropped = 0;
        clockOffset = 0;
    }

    /// Each call notes itself; only what a test asks about is noted.
    static cupti::Api api() {
        cupti::Api a;
        a.getErrorMessage = [](Status, const char** text) {
            *text = "words of CUPTI";
            return 0;
        };
        a.subscribe = [](void** subscriber, cupti::Callback c, void* u) {
            calls.emplace_back("subscribe");
            *subscriber = &calls;
            callback = c;
            user = u;
            return subscribeStatus;
        };
        a.unsubscribe = [](void*) {
            calls.emplace_back("unsubscribe");
            return 0;
        };
        a.enableCallback = [](std::uint32_t, void*, std::uint32_t, std::uint32_t) { return 0; };
        a.registerTimestamp = [](cupti::Timestamp t) {
            calls.emplace_back("timestamp");
            EXPECT_LT(std::abs(static_cast<std::int64_t>(t()) - nowNs()), 1'000'000'000);
            return timestampStatus;
        };
        a.registerCallbacks = [](cupti::BufferRequested r, cupti::BufferCompleted c) {
            calls.emplace_back("buffers");
            requested = r;
            completed = c;
            return 0;
        };
        a.enable = [](std::uint32_t kind) {
            if (enabled.empty()) calls.emplace_back("enable");
            enabled.insert(kind);
            return enableStatus;
        };
        a.disable = [](std::uint32_t kind) {
            enabled.erase(kind);
            return 0;
        };
        a.flushAll = [](std::uint32_t) { return 0; };
        a.flushPeriod = [](std::uint32_t) { return 0; };
        a.nextRecord = [](std::uint8_t* buffer, std::size_t size, void** record) -> Status {
            auto* at = static_cast<std::uint8_t*>(*record);
            std::size_t offset = 0;
            if (at != nullptr) {
                std::uint32_t kind = 0;
                std::memcpy(&kind, at, 4);
                // Stepping by the length that the test's own records have.
                std::size_t bytes = sizeof(cupti::KernelRecord);
                if (kind == static_cast<std::uint32_t>(Kind::Memcpy)) {
                    bytes = sizeof(cupti::MemcpyRecord);
                } else if (kind == static_cast<std::uint32_t>(Kind::ExternalCorrelation)) {
                    bytes = sizeof(cupti::ExternalCorrelationRecord);
                } else if (kind == static_cast<std::uint32_t>(Kind::Overhead)) {
                    bytes = sizeof(cupti::OverheadRecord);
                } else if (kind == static_cast<std::uint32_t>(Kind::Device)) {
                    bytes = sizeof(cupti::DeviceRecord);
                }
                offset = static_cast<std::size_t>(at - buffer) + bytes;
            }
            if (offset >= size) return cupti::kMaxLimitReached;
            *record = buffer + offset;
            return cupti::kSuccess;
        };
        a.droppedRecords = [](void*, std::uint32_t, std::size_t* n) {
            *n = std::exchange(dropped, 0);
            return 0;
        };
        a.pushExternalId = [](std::uint32_t kind, std::uint64_t id) {
            EXPECT_EQ(kind, cupti::kCustomCorrelation);
            ids.push_back(id);
            lastId = id;
            return 0;
        };
        a.popExternalId = [](std::uint32_t, std::uint64_t* last) -> Status {
            if (ids.empty()) return 18;
            *last = ids.back();
            ids.pop_back();
            return 0;
        };
        a.getTimestamp = [](std::uint64_t* t) {
            *t = static_cast<std::uint64_t>(nowNs() + clockOffset);
            return 0;
        };
        a.graphNodeId = [](void* node, std::uint64_t* id) {
            *id = reinterpret_cast<std::uintptr_t>(node);
            return 0;
        };
        return a;
    }

    /// Asks for a buffer, fills it and gives it back; false when there was none.
    static bool deliver(const CuptiBuffer& content) {
        std::uint8_t* buffer = nullptr;
        std::size_t size = 0, most = 1;
        requested(&buffer, &size, &most);
        if (buffer == nullptr) return false;
        const auto bytes = content.bytes();
        EXPECT_LE(bytes.size(), size);
        EXPECT_EQ(most, 0U);
        std::memcpy(buffer, bytes.data(), bytes.size());
        completed(nullptr, 0, buffer, size, bytes.size());
        return true;
    }
};

std::shared_ptr<DeviceTracer> armed(const DeviceTracerSettings& settings = {}) {
    auto tracer = cupti::armTracer(FakeCupti::api(), 130001, nullptr, settings);
    EXPECT_TRUE(tracer) << tracer.error().toString();
    return tracer ? *tracer : nullptr;
}

std::unique_ptr<Recorder> startedRun(std::shared_ptr<trace::DeviceHooks> hooks) {
    RecorderSettings settings;
    settings.deviceHooks = std::move(hooks);
    auto recorder = Recorder::create(settings);
    trace::RunHeader header;
    header.id = "00112233445566778899aabbccddeeff";
    header.epochNs = nowNs();
    recorder->runStarted(header);
    return recorder;
}

std::uint64_t now() {
    return static_cast<std::uint64_t>(nowNs());
}

trace::Span spanNow(trace::Op op, std::int16_t layer) {
    trace::Span span;
    span.op = op;
    span.layer = layer;
    span.lane = 0;
    span.request = 1;
    span.step = 2;
    span.tStartNs = nowNs();
    return span;
}

}  // namespace

class CuptiTracer : public ::testing::Test {
  protected:
    void SetUp() override { FakeCupti::reset(); }
};

TEST_F(CuptiTracer, ArmsInTheOrderCuptiAsksForAndLeavesNothingOn) {
    {
        const auto tracer = armed();
        EXPECT_EQ(FakeCupti::calls,
                  (std::vector<std::string>{"subscribe", "timestamp", "buffers", "enable"}));
        EXPECT_TRUE(
            FakeCupti::enabled.contains(static_cast<std::uint32_t>(Kind::ConcurrentKernel)));
        EXPECT_TRUE(FakeCupti::enabled.contains(static_cast<std::uint32_t>(Kind::Runtime)))
            << "external correlations come with records of calls";
        EXPECT_FALSE(FakeCupti::enabled.contains(static_cast<std::uint32_t>(Kind::GraphTrace)));
        EXPECT_TRUE(FakeCupti::ids.empty()) << "measuring its cost leaves the stack as it was";
        const auto second = cupti::armTracer(FakeCupti::api(), 130001, nullptr, {});
        ASSERT_FALSE(second);
        EXPECT_NE(second.error().message.find("already on"), std::string::npos);
    }
    EXPECT_TRUE(FakeCupti::enabled.empty());
    EXPECT_EQ(FakeCupti::calls.back(), "unsubscribe");
    std::uint8_t* buffer = nullptr;
    std::size_t size = 5, most = 5;
    FakeCupti::requested(&buffer, &size, &most);
    EXPECT_EQ(buffer, nullptr) << "a late request gets none";
    DeviceTracerSettings settings;
    settings.graphs = GraphTracing::Whole;
    const auto again = armed(settings);
    EXPECT_TRUE(FakeCupti::enabled.contains(static_cast<std::uint32_t>(Kind::GraphTrace)));
}

TEST_F(CuptiTracer, SaysWhyNot) {
    FakeCupti::subscribeStatus = cupti::kMultipleSubscribers;
    auto refused = cupti::armTracer(FakeCupti::api(), 130001, nullptr, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::NoDevice);
    EXPECT_NE(refused.error().message.find("another profiler is attached"), std::string::npos);
    EXPECT_EQ(std::count(FakeCupti::calls.begin(), FakeCupti::calls.end(), "unsubscribe"), 0);
    FakeCupti::subscribeStatus = 0;
    FakeCupti::enableStatus = cupti::kInsufficientPrivileges;
    refused = cupti::armTracer(FakeCupti::api(), 130001, nullptr, {});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().nextStep.find("NVreg_RestrictProfilingToAdminUsers"),
              std::string::npos);
    FakeCupti::enableStatus = cupti::kUnknownError;
    refused = cupti::armTracer(FakeCupti::api(), 130001, nullptr, {});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("error 999: words of CUPTI"), std::string::npos);
    FakeCupti::enableStatus = 0;
    EXPECT_NE(armed(), nullptr) << "a failed start leaves nothing behind";
}

TEST_F(CuptiTracer, PutsLabelledActivitiesIntoTheRun) {
    const auto tracer = armed();
    auto recorder = startedRun(tracer);
    EXPECT_EQ(recorder->deviceHooks(), tracer.get());
    tracer->attach(*recorder);
    const trace::Span span = spanNow(trace::Op::Attention, 3);
    recorder->deviceHooks()->pushSpan(span);
    const std::uint64_t id = FakeCupti::lastId;
    recorder->deviceHooks()->popSpan();
    const std::uint64_t t = now();
    FakeCupti::dropped = 6;
    CuptiBuffer buffer;
    buffer.add(test::deviceRecord())
        .add(test::externalRecord(10, id))
        .add(test::kernelRecord(t + 500, t + 900, 10))
        .add(test::memcpyRecord(t + 100, t + 200, 11))  // outside any span
        .add(test::overheadRecord(t, t + 5000));
    ASSERT_TRUE(FakeCupti::deliver(buffer));
    tracer->detach();
    recorder->flush();
    const auto run = recorder->snapshot();
    ASSERT_EQ(run->deviceActivities.size(), 3U);
    EXPECT_EQ(run->deviceActivities[0].kind, DeviceActivityKind::Overhead);
    const auto& copy = run->deviceActivities[1];
    EXPECT_EQ(nameOf(*run, copy), "Memcpy HtoD");
    EXPECT_EQ(copy.op, -1);
    const auto& kernel = run->deviceActivities[2];
    EXPECT_EQ(nameOf(*run, kernel), "void gemmKernel<float>(float*)") << "demangled";
    EXPECT_EQ(kernel.op, static_cast<std::int16_t>(trace::Op::Attention));
    EXPECT_EQ(kernel.layer, 3);
    EXPECT_EQ(kernel.tStartNs, static_cast<std::int64_t>(t + 500) - run->header.epochNs);
    EXPECT_EQ(kernel.tSpanNs, span.tStartNs - run->header.epochNs);
    EXPECT_FLOAT_EQ(kernel.occupancy, 0.5F) << "64 registers: 32 of 64 warps";
    ASSERT_EQ(run->devices.size(), 1U);
    EXPECT_EQ(run->devices[0].name, "NVIDIA H100");
    EXPECT_EQ(run->devices[0].uuid, "GPU-ab000000-0000-0000-0000-000000000000");
    const auto& timing = run->deviceTiming;
    EXPECT_EQ(timing.source, "CUPTI 13.0");
    EXPECT_EQ(timing.droppedRecords, 6U);
    EXPECT_EQ(timing.unmatched, 1U);
    EXPECT_EQ(timing.badRecords, 0U);
    EXPECT_EQ(timing.clockResidualNs, 0.0) << "the records are in our clock";
    EXPECT_GT(timing.labelCostNs, 0.0);
    EXPECT_EQ(timing.overheadNs, 5000 + static_cast<std::uint64_t>(timing.labelCostNs));
}

TEST_F(CuptiTracer, WhatComesOutsideARunIsNotKept) {
    const auto tracer = armed();
    const std::uint64_t t = now();
    ASSERT_TRUE(FakeCupti::deliver(
        CuptiBuffer().add(test::deviceRecord()).add(test::kernelRecord(t, t + 1, 1))));
    auto recorder = startedRun(tracer);
    tracer->attach(*recorder);
    ASSERT_TRUE(FakeCupti::deliver(CuptiBuffer().add(test::kernelRecord(t + 5, t + 6, 2))));
    tracer->detach();
    tracer->detach();  // once more does nothing
    ASSERT_TRUE(FakeCupti::deliver(CuptiBuffer().add(test::kernelRecord(t + 7, t + 8, 3))));
    recorder->flush();
    EXPECT_EQ(recorder->snapshot()->devices.size(), 1U) << "devices are known from before";
    ASSERT_EQ(recorder->snapshot()->deviceActivities.size(), 1U);
    EXPECT_EQ(recorder->snapshot()->deviceActivities[0].correlation, 2U);
}

TEST_F(CuptiTracer, ADifferentClockIsFitted) {
    FakeCupti::timestampStatus = cupti::kUnknownError;
    FakeCupti::clockOffset = 1'000'000'000'000;
    const auto tracer = armed();
    auto recorder = startedRun(tracer);
    tracer->attach(*recorder);
    const std::uint64_t t = now() + 1'000'000'000'000;
    ASSERT_TRUE(FakeCupti::deliver(CuptiBuffer().add(test::kernelRecord(t, t + 1000, 0))));
    tracer->detach();
    recorder->flush();
    const auto run = recorder->snapshot();
    ASSERT_EQ(run->deviceActivities.size(), 1U);
    EXPECT_LT(std::abs(run->deviceActivities[0].tStartNs), 500'000'000) << "on the run's clock";
}

TEST_F(CuptiTracer, GraphNodesAreLabelledThroughTheCallbacks) {
    const auto tracer = armed();
    auto recorder = startedRun(tracer);
    tracer->attach(*recorder);
    int node = 0, clone = 0;
    cupti::GraphData graph{};
    graph.node = &node;
    cupti::ResourceData data{nullptr, nullptr, &graph};
    tracer->pushSpan(spanNow(trace::Op::GateUp, 9));
    FakeCupti::callback(FakeCupti::user, cupti::kResourceDomain, cupti::kGraphNodeCreated, &data);
    tracer->popSpan();
    graph.node = &clone;
    graph.originalNode = &node;
    FakeCupti::callback(FakeCupti::user, cupti::kResourceDomain, cupti::kGraphNodeCloned, &data);
    FakeCupti::callback(FakeCupti::user, 1, 1, nullptr);  // another domain
    tracer->pushSpan(spanNow(trace::Op::DecodeStep, -1));
    const std::uint64_t launch = FakeCupti::lastId;
    tracer->popSpan();
    const std::uint64_t t = now();
    auto kernel = test::kernelRecord(t, t + 10, 77);
    kernel.graphNode = reinterpret_cast<std::uintptr_t>(&clone);
    ASSERT_TRUE(
        FakeCupti::deliver(CuptiBuffer().add(test::externalRecord(77, launch)).add(kernel)));
    tracer->detach();
    recorder->flush();
    const auto run = recorder->snapshot();
    ASSERT_EQ(run->deviceActivities.size(), 1U);
    EXPECT_EQ(run->deviceActivities[0].op, static_cast<std::int16_t>(trace::Op::GateUp));
    EXPECT_EQ(run->deviceActivities[0].layer, 9);
}

TEST_F(CuptiTracer, HasABoundedNumberOfBuffers) {
    DeviceTracerSettings settings;
    settings.nBuffers = 2;
    settings.bufferBytes = 4096;
    const auto tracer = armed(settings);
    std::uint8_t *a = nullptr, *b = nullptr, *c = nullptr;
    std::size_t size = 0, most = 0;
    FakeCupti::requested(&a, &size, &most);
    EXPECT_EQ(size, 4096U);
    FakeCupti::requested(&b, &size, &most);
    FakeCupti::requested(&c, &size, &most);
    EXPECT_TRUE(a != nullptr && b != nullptr && a != b);
    EXPECT_EQ(c, nullptr) << "CUPTI drops, and counts what it dropped";
    EXPECT_EQ(size, 0U);
    std::uint8_t foreign[64] = {};
    FakeCupti::completed(nullptr, 0, foreign, 64, 64);  // ignored
    FakeCupti::completed(nullptr, 0, a, 4096, 0);
    for (int i = 0; i < 2000 && c == nullptr; ++i) {
        FakeCupti::requested(&c, &size, &most);
        if (c == nullptr) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(c, a) << "read, and used again";
}

}  // namespace lanescope::profiler
