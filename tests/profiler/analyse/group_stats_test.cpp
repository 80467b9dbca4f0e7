// Time by op, layer, kernel and token: against op_stats, and on what is selected.

#include "profiler/analyse/group_stats.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "engine/base/clock.h"
#include "profiler/analyse/group_sums.h"

namespace lanescope::profiler {
namespace {

/// Two lanes, a request each (and a warm-up in front), 5 steps of two layers with two ops and a
/// head.
RunData layeredRun() {
    RunData run;
    run.header.machineJson =
        R"({"roofs":[{"threads":2,"isa":"avx2","readGBps":1.0,"int8Gops":8.0,"fp32Gflops":0.8}]})";
    std::int64_t clock = 0;
    for (std::int16_t lane = 0; lane < 2; ++lane) {
        trace::LaneRecord record;
        record.index = lane;
        record.settingsJson = R"({"threads":2,"int8":["qkv"]})";
        run.lanes.push_back(record);
        for (int r = 0; r < 2; ++r) {
            RequestData request;
            request.record.id = lane * 2 + r;
            request.record.lane = lane;
            request.record.warmup = r == 0;
            for (int step = 0; step < 5; ++step) {
                trace::Span phase;
                phase.op = step == 0 ? trace::Op::Prefill : trace::Op::DecodeStep;
                phase.lane = lane;
                phase.request = request.record.id;
                phase.step = step;
                phase.tStartNs = clock;
                phase.tEndNs = clock + 5'000;
                run.spans.push_back(phase);
                for (int i = 0; i < 5; ++i) {
                    trace::Span op = phase;
                    op.op = i == 4       ? trace::Op::Head
                            : i % 2 == 0 ? trace::Op::Qkv
                                         : trace::Op::Attention;
                    op.layer = static_cast<std::int16_t>(i == 4 ? -1 : i / 2);
                    op.tStartNs = clock;
                    op.tEndNs = clock + 1'000 - i * 10;
                    op.bytes = 500;
                    op.flops = 400;
                    clock += 1'000;
                    run.spans.push_back(op);
                }
            }
            run.requests.push_back(request);
        }
    }
    return run;
}

TEST(GroupStats, ByOpSaysWhatOpStatsSays) {
    const RunData run = layeredRun();
    for (const StepKind steps : {StepKind::All, StepKind::Prefill, StepKind::Decode}) {
        ItemFilter filter;
        filter.steps = steps;
        const auto table = groupStats(run, GroupBy::Op, filter);
        ASSERT_TRUE(table.has_value());
        std::size_t at = 0;
        for (const auto& lane : run.lanes) {
            const LaneRoof roof = laneRoof(run, lane.index);
            for (const OpStats& op : opStats(run, lane.index, -1, -1, steps)) {
                ASSERT_LT(at, table->groups.size());
                const GroupStats& group = table->groups[at++];
                EXPECT_EQ(group.key, static_cast<std::int64_t>(op.op));
                EXPECT_EQ(group.count, op.count);
                EXPECT_NEAR(group.totalMs, op.totalMs, 1e-9);
                EXPECT_NEAR(group.p95Us, op.p95Us, 1e-4);
                if (isPhase(op.op)) {
                    EXPECT_TRUE(group.phase);
                    EXPECT_LT(group.share, 0.0);
                    continue;
                }
                EXPECT_NEAR(group.share, op.share, 1e-9);
                EXPECT_NEAR(group.point.ofRoof, rooflinePoint(op, roof).ofRoof, 1e-9);
                EXPECT_EQ(group.point.peak, rooflinePoint(op, roof).peak);
            }
        }
        EXPECT_EQ(at, table->groups.size());
        EXPECT_EQ(table->ops.size(), table->groups.size());
    }
}

TEST(GroupStats, ByLayerAndByTokenSumTheOpsOnly) {
    const RunData run = layeredRun();
    const auto layers = groupStats(run, GroupBy::Layer, {});
    ASSERT_EQ(layers->groups.size(), 6U);  // two lanes: outside, 0, 1
    EXPECT_EQ(layers->groups[0].key, -1);
    EXPECT_EQ(layers->groups[1].count, 10);
    EXPECT_NEAR(layers->groups[1].totalMs, 5 * (1'000 + 990) / 1e6, 1e-12);
    EXPECT_GT(layers->groups[1].point.ofRoof, 0.0);
    double share = 0.0;
    for (int i = 0; i < 3; ++i) share += layers->groups[static_cast<std::size_t>(i)].share;
    EXPECT_NEAR(share, 1.0, 1e-9);
    const auto tokens = groupStats(run, GroupBy::Step, {});
    ASSERT_EQ(tokens->groups.size(), 10U) << "of the timed requests, not of the warm-ups";
    EXPECT_EQ(tokens->groups[3].key, 3);
    EXPECT_EQ(tokens->groups[3].request, 1);
    EXPECT_EQ(tokens->groups[3].count, 5);
}

TEST(GroupStats, FollowsWhatIsSelected) {
    const RunData run = layeredRun();
    ItemFilter filter;
    filter.lane = 1;
    filter.request = 3;
    filter.stepFirst = 2;
    filter.stepEnd = 4;
    auto table = groupStats(run, GroupBy::Op, filter);
    std::int64_t ops = 0;
    for (const auto& group : table->groups) ops += group.phase ? 0 : group.count;
    EXPECT_EQ(ops, 10);
    filter.layer = 1;
    table = groupStats(run, GroupBy::Kernel, filter);
    ASSERT_EQ(table->groups.size(), 2U);
    EXPECT_EQ(table->groups[0].count, 2);
    // A range of time: what lies in it by at least half. The first timed request begins at 25 us.
    ItemFilter time;
    time.tStartNs = 25'400;
    time.tEndNs = 27'600;
    table = groupStats(run, GroupBy::Op, time);
    std::int64_t counted = 0;
    for (const auto& group : table->groups) counted += group.count;
    EXPECT_EQ(counted, 3) << "two partly, one wholly, and not the phase around them";
    time.request = 0;
    EXPECT_TRUE(groupStats(run, GroupBy::Op, time)->groups.empty());
}

TEST(GroupStats, AnOpenedTraceIsGroupedByItsNames) {
    auto trace = std::make_shared<ImportedTrace>();
    trace->names = {"", "gemm", "copy", "kernel", "gpu_memcpy"};
    trace->processes = {{"0", "GPU", 0}};
    trace->tracks = {{0, "7", "stream 7", 0}};
    for (int i = 0; i < 4; ++i) {
        TraceEvent e;
        e.tStartNs = i * 100;
        e.tEndNs = e.tStartNs + 50;
        e.name = i == 3 ? 2 : 1;
        e.category = i == 3 ? 4 : 3;
        e.bytes = i == 3 ? 100 : 0;
        e.device = true;
        e.occupancy = i < 2 ? 0.5F : -1.0F;
        trace->events.push_back(e);
    }
    RunData run;
    run.imported = trace;
    const auto table = groupStats(run, GroupBy::Kernel, {});
    ASSERT_EQ(table->groups.size(), 2U);
    EXPECT_EQ(table->groups[0].count, 3);
    EXPECT_EQ(table->groups[0].timedBy, TimedBy::Device);
    EXPECT_NEAR(table->groups[0].occupancy, 0.5, 1e-6);
    EXPECT_NEAR(table->groups[1].point.gbPerS, 2.0, 1e-9);
    EXPECT_TRUE(groupStats(run, GroupBy::Layer, {})->groups.empty());
}

TEST(GroupStats, QuantileIsThatOfDistribution) {
    for (const int n : {1, 2, 3, 20, 101}) {
        std::vector<double> exact;
        std::vector<float> values;
        for (int i = 0; i < n; ++i) {
            exact.push_back((i * 37) % 101);
            values.push_back(static_cast<float>(exact.back()));
        }
        EXPECT_NEAR(quantile(values, 0.95), distribution(exact).p95, 1e-4);
    }
    std::vector<float> none;
    EXPECT_EQ(quantile(none, 0.95), 0.0);
}

TEST(GroupStats, TenMillionSpansTakeASecondOrSoAndCanBeStopped) {
    RunData run;
    run.lanes.resize(1);
    trace::Span span;
    span.lane = 0;
    for (int i = 0; i < 10'000'000; ++i) {
        span.tStartNs = i * 100;
        span.tEndNs = span.tStartNs + 40 + i % 50;
        span.op = static_cast<trace::Op>(i % 14);
        span.layer = static_cast<std::int16_t>(i / 14 % 30);
        span.step = i / 420;
        run.spans.push_back(span);
    }
    for (const GroupBy by : {GroupBy::Op, GroupBy::Layer, GroupBy::Step}) {
        const std::int64_t before = nowNs();
        GroupingProgress progress;
        const auto table = groupStats(run, by, {}, &progress);
        std::printf("10 million spans by %d: %zu rows in %.0f ms\n", static_cast<int>(by),
                    table->groups.size(), static_cast<double>(nowNs() - before) / 1e6);
        EXPECT_EQ(table->items, run.spans.size());
        EXPECT_GT(progress.fraction.load(), 0.9);
    }
    GroupingProgress progress;
    progress.cancel = true;
    EXPECT_FALSE(groupStats(run, GroupBy::Op, {}, &progress).has_value());
}

}  // namespace
}  // namespace lanescope::profiler
