#include "profiler/analyse/stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/profiler/make_run.h"

namespace lanescope::profiler {

using test::makeLane;
using test::makeRequest;

TEST(Distribution, MatchesValuesWorkedOutByHand) {
    const auto d = distribution({4.0, 1.0, 3.0, 2.0});
    EXPECT_EQ(d.n, 4);
    EXPECT_DOUBLE_EQ(d.mean, 2.5);
    EXPECT_DOUBLE_EQ(d.sd, std::sqrt(5.0 / 3.0));
    EXPECT_DOUBLE_EQ(d.min, 1.0);
    EXPECT_DOUBLE_EQ(d.max, 4.0);
    EXPECT_DOUBLE_EQ(d.p50, 2.5);
    EXPECT_DOUBLE_EQ(d.p95, 3.85);
    EXPECT_NEAR(d.p99, 3.97, 1e-12);
}

TEST(Distribution, LeavesNonFiniteValuesOut) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    const auto d = distribution({nan, 2.0, inf, 4.0, -inf});
    EXPECT_EQ(d.n, 2);
    EXPECT_DOUBLE_EQ(d.mean, 3.0);
    EXPECT_EQ(distribution({nan}).n, 0);
    EXPECT_EQ(distribution({}).sd, 0.0);
    EXPECT_EQ(distribution({5.0}).sd, 0.0);
    EXPECT_TRUE(std::isfinite(distribution({1e308, 1e308, 1e308}).mean));
}

TEST(LaneStats, FollowTheDefinitionsOfTheField) {
    RunData run;
    run.lanes = {makeLane(0)};
    run.requests.push_back(makeRequest(0, 0, 5, {20.0, 30.0, 45.0, 50.0}));
    run.requests.edit(0).record.tEndNs += 5 * test::kMs;  // the end is 5 ms after the last token
    const auto all = laneStats(run);
    ASSERT_EQ(all.size(), 1U);
    const LaneStats& s = all[0];
    EXPECT_DOUBLE_EQ(s.ttftMs.mean, 20.0);
    EXPECT_EQ(s.itlMs.n, 3);
    EXPECT_DOUBLE_EQ(s.itlMs.p50, 10.0);
    EXPECT_DOUBLE_EQ(s.itlMs.max, 15.0);
    EXPECT_DOUBLE_EQ(s.endToEndMs.mean, 55.0);
    EXPECT_NEAR(s.tpotMs.mean, 35.0 / 3.0, 1e-9);
    EXPECT_NEAR(s.decodeTps.mean, 3000.0 / 35.0, 1e-9);
    EXPECT_DOUBLE_EQ(s.prefillTps.mean, 500.0);  // 10 tokens in 20 ms
    EXPECT_EQ(s.promptTokens, 10);
    EXPECT_EQ(s.outputTokens, 4);
    EXPECT_EQ(s.kvBytesPeak, 14U * 1024);
    EXPECT_DOUBLE_EQ(s.meanLogProbability, -0.5);
}

TEST(LaneStats, LeaveWarmupOutUnlessNothingElseIsThere) {
    RunData run;
    run.lanes = {makeLane(0)};
    run.requests.push_back(makeRequest(0, 0, 0, {100.0, 200.0}));
    run.requests.edit(0).record.warmup = true;
    EXPECT_DOUBLE_EQ(laneStats(run)[0].ttftMs.mean, 100.0);
    run.requests.push_back(makeRequest(1, 0, 500, {10.0, 20.0}));
    EXPECT_DOUBLE_EQ(laneStats(run)[0].ttftMs.mean, 10.0);
    EXPECT_EQ(laneStats(run)[0].requests, 1);
}

TEST(LaneStats, AreDefinedForNoTokenOneTokenAndCancelledRequests) {
    RunData run;
    run.lanes = {makeLane(0), makeLane(1), makeLane(2), makeLane(3)};
    run.requests.push_back(makeRequest(0, 0, 0, {}));
    run.requests.push_back(makeRequest(1, 1, 0, {20.0}));
    run.requests.push_back(makeRequest(2, 2, 0, {20.0, 30.0}));
    run.requests.edit(2).record.finish = trace::FinishReason::Cancelled;
    const auto all = laneStats(run);
    EXPECT_EQ(all[0].requests, 1);
    EXPECT_EQ(all[0].ttftMs.n, 0);
    EXPECT_EQ(all[0].endToEndMs.n, 0);
    EXPECT_EQ(all[1].ttftMs.n, 1);
    EXPECT_EQ(all[1].itlMs.n, 0);
    EXPECT_EQ(all[1].tpotMs.n, 0);
    EXPECT_EQ(all[1].endToEndMs.n, 1);
    EXPECT_EQ(all[2].itlMs.n, 1);
    EXPECT_EQ(all[2].endToEndMs.n, 0) << "a cancelled request has no end-to-end time";
    EXPECT_EQ(all[3].requests, 0);
}

TEST(LaneStats, CountFailedRequestsAndSurviveNanProbabilities) {
    RunData run;
    run.lanes = {makeLane(0)};
    run.requests.push_back(makeRequest(0, 0, 0, {20.0, 30.0}));
    auto& request = run.requests.edit(0);
    request.record.finish = trace::FinishReason::Error;
    request.tokens.edit(0).logProbability = std::numeric_limits<float>::quiet_NaN();
    const auto s = laneStats(run)[0];
    EXPECT_EQ(s.failed, 1);
    EXPECT_DOUBLE_EQ(s.meanLogProbability, -0.5);
}

TEST(RequestStats, OfAMissingRequestAreZero) {
    EXPECT_EQ(requestStats(RunData{}, 3).requests, 0);
    EXPECT_DOUBLE_EQ(requestStats(test::makeRun(), 1).ttftMs.mean, 20.0);
}

TEST(OpStats, SharesAddUpToOneWithoutThePhases) {
    const RunData run = test::makeRun(1, 8);
    const auto ops = opStats(run, 0);
    double share = 0.0;
    for (const auto& op : ops) {
        share += op.share;
        if (isPhase(op.op)) {
            EXPECT_EQ(op.share, 0.0);
        } else {
            EXPECT_EQ(op.count, 8);
            EXPECT_DOUBLE_EQ(op.meanUs, 1000.0);
            EXPECT_DOUBLE_EQ(op.totalMs, 8.0);
            EXPECT_DOUBLE_EQ(op.gbPerS, 1.0);  // 1 MB in 1 ms
            EXPECT_DOUBLE_EQ(op.gflopPerS, 2.0);
        }
    }
    EXPECT_DOUBLE_EQ(share, 1.0);
    EXPECT_EQ(opStats(run, 0, 0, 3).size(), 5U);
    EXPECT_EQ(opStats(run, 0, 0, 3)[0].count, 1);
    EXPECT_TRUE(opStats(run, 0, 99).empty());
    EXPECT_TRUE(opStats(run, 5).empty());
}

TEST(OpStats, AZeroLengthSpanGivesNoInfiniteBandwidth) {
    RunData run;
    run.lanes = {makeLane(0)};
    trace::Span span;
    span.lane = 0;
    span.bytes = 100;
    run.spans.push_back(span);
    EXPECT_EQ(opStats(run, 0)[0].gbPerS, 0.0);
}

TEST(FirstDifference, ComparesTheCommonLength) {
    const auto a = makeRequest(0, 0, 0, {1.0, 2.0, 3.0});
    auto b = makeRequest(1, 1, 0, {1.0, 2.0});
    EXPECT_EQ(firstDifference(a, b), -1);
    b.tokens.edit(1).token = 9;
    EXPECT_EQ(firstDifference(a, b), 1);
    EXPECT_EQ(firstDifference(a, RequestData{}), -1);
}

}  // namespace lanescope::profiler
