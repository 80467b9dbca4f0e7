#include "profiler/collect/cupti_correlator.h"

#include <gtest/gtest.h>

#include <thread>

namespace lanescope::profiler {

using cupti::Correlator;
using cupti::CorrelatorLimits;
using cupti::ExternalId;
using cupti::ParsedActivity;

namespace {

trace::Span spanOf(trace::Op op, std::int16_t layer, std::int32_t step = 4) {
    trace::Span span;
    span.tStartNs = 1000 + layer;
    span.op = op;
    span.layer = layer;
    span.lane = 1;
    span.request = 3;
    span.step = step;
    return span;
}

ParsedActivity kernelOf(std::uint32_t correlation, std::uint64_t graphNode = 0) {
    ParsedActivity parsed;
    parsed.activity.correlation = correlation;
    parsed.activity.graphNode = graphNode;
    return parsed;
}

}  // namespace

TEST(Correlator, LabelsAKernelWithTheSpanItWasLaunchedIn) {
    Correlator correlator;
    const auto id = correlator.push(spanOf(trace::Op::Attention, 5));
    const ExternalId external{70, id};
    const auto out = correlator.add({&external, 1}, {kernelOf(70), kernelOf(70)});
    ASSERT_EQ(out.size(), 2U);
    for (const auto& parsed : out) {
        EXPECT_EQ(parsed.activity.op, static_cast<std::int16_t>(trace::Op::Attention));
        EXPECT_EQ(parsed.activity.layer, 5);
        EXPECT_EQ(parsed.activity.lane, 1);
        EXPECT_EQ(parsed.activity.request, 3);
        EXPECT_EQ(parsed.activity.step, 4);
        EXPECT_EQ(parsed.activity.tSpanNs, 1005);
    }
    EXPECT_EQ(correlator.unmatched(), 0U);
}

TEST(Correlator, AnActivityMayComeBeforeItsLaunch) {
    Correlator correlator;
    const auto id = correlator.push(spanOf(trace::Op::Down, 2));
    EXPECT_TRUE(correlator.add({}, {kernelOf(8), kernelOf(9)}).empty());
    EXPECT_EQ(correlator.waiting(), 2U);
    const ExternalId external{9, id};
    const auto out = correlator.add({&external, 1}, {});
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].activity.layer, 2);
    EXPECT_EQ(correlator.waiting(), 1U);
    const auto rest = correlator.finish();
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_EQ(rest[0].activity.op, -1);
    EXPECT_EQ(rest[0].activity.tSpanNs, kUnknownNs);
    EXPECT_EQ(correlator.unmatched(), 1U);
}

TEST(Correlator, WaitsForSomeBuffersOnly) {
    CorrelatorLimits limits;
    limits.buffers = 3;
    Correlator correlator(limits);
    EXPECT_TRUE(correlator.add({}, {kernelOf(8)}).empty());
    EXPECT_TRUE(correlator.add({}, {}).empty());
    EXPECT_TRUE(correlator.add({}, {}).empty());
    EXPECT_EQ(correlator.add({}, {}).size(), 1U) << "launched outside any span, then";
    EXPECT_EQ(correlator.unmatched(), 1U);
}

TEST(Correlator, IsBoundedAndCountsWhatItHadToForget) {
    CorrelatorLimits limits;
    limits.spans = 4;
    limits.launches = 4;
    limits.waiting = 2;
    Correlator correlator(limits);
    std::vector<ExternalId> externals;
    for (std::uint32_t i = 1; i <= 8; ++i) {
        externals.push_back(
            {i, correlator.push(spanOf(trace::Op::Norm, static_cast<std::int16_t>(i)))});
    }
    auto out = correlator.add(externals, {kernelOf(8), kernelOf(5)});
    ASSERT_EQ(out.size(), 2U);
    EXPECT_EQ(out[0].activity.layer, 8);
    EXPECT_EQ(out[1].activity.layer, 5);
    const ExternalId old{100, 1};  // a span pushed too long ago
    out = correlator.add({&old, 1}, {kernelOf(100)});
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].activity.op, -1);
    EXPECT_EQ(correlator.unmatched(), 1U);
    out = correlator.add({}, {kernelOf(1), kernelOf(201), kernelOf(202)});
    EXPECT_EQ(out.size(), 1U) << "the oldest of three waiting gives up";
    EXPECT_EQ(correlator.unmatched(), 2U);
    EXPECT_EQ(correlator.waiting(), 2U);
}

TEST(Correlator, OverheadBelongsToNoSpanAndIsNotMissed) {
    Correlator correlator;
    ParsedActivity overhead;
    overhead.activity.kind = DeviceActivityKind::Overhead;
    EXPECT_EQ(correlator.add({}, {overhead}).size(), 1U);
    EXPECT_EQ(correlator.unmatched(), 0U);
    EXPECT_EQ(correlator.add({}, {kernelOf(0)}).size(), 1U) << "no id: never waits";
    EXPECT_EQ(correlator.unmatched(), 1U);
}

// A graph is launched under the step's span; its nodes say which op and layer they were captured
// in.
TEST(Correlator, GraphNodesHaveTheLabelOfTheirCapture) {
    Correlator correlator;
    const auto capture = correlator.push(spanOf(trace::Op::GateUp, 7, 0));
    correlator.nodeCaptured(500, capture);
    correlator.nodeCloned(900, 500);
    correlator.nodeCloned(901, 499);  // captured outside any span
    const auto launch = correlator.push(spanOf(trace::Op::DecodeStep, -1, 42));
    const ExternalId external{60, launch};
    const auto out = correlator.add({&external, 1}, {kernelOf(60, 900), kernelOf(60, 901)});
    ASSERT_EQ(out.size(), 2U);
    EXPECT_EQ(out[0].activity.op, static_cast<std::int16_t>(trace::Op::GateUp));
    EXPECT_EQ(out[0].activity.layer, 7);
    EXPECT_EQ(out[0].activity.step, 42) << "of the launch";
    EXPECT_EQ(out[1].activity.op, static_cast<std::int16_t>(trace::Op::DecodeStep));
}

TEST(Correlator, MayBePushedToWhileBuffersComeIn) {
    Correlator correlator;
    std::thread pusher([&] {
        for (int i = 0; i < 20'000; ++i) correlator.push(spanOf(trace::Op::Rope, 1));
    });
    std::uint64_t labelled = 0;
    for (std::uint32_t i = 1; i <= 2000; ++i) {
        const ExternalId external{i, i};
        for (const auto& parsed : correlator.add({&external, 1}, {kernelOf(i)})) {
            labelled += parsed.activity.op >= 0 ? 1 : 0;
        }
    }
    pusher.join();
    EXPECT_EQ(correlator.pushed(), 20'000U);
    EXPECT_EQ(labelled + correlator.unmatched(), 2000U);
}

}  // namespace lanescope::profiler
