#include "profiler/analyse/serving.h"

#include <gtest/gtest.h>

namespace lanescope::profiler {
namespace {

constexpr std::int64_t kMs = 1'000'000;

trace::ServedRecord record(std::int64_t arrival, std::int64_t admitted,
                           const std::vector<std::int64_t>& tokenNs, std::int64_t end,
                           trace::FinishReason finish = trace::FinishReason::MaxTokens) {
    trace::ServedRecord r;
    r.tArrivalNs = arrival;
    r.tAdmittedNs = admitted;
    r.tFirstTokenNs = tokenNs.empty() ? 0 : tokenNs.front();
    r.tEndNs = end;
    r.outputTokens = static_cast<std::int32_t>(tokenNs.size());
    r.promptTokens = 10;
    r.finish = finish;
    return r;
}

TEST(ServingStats, FiguresFollowTheirDefinitions) {
    const std::int64_t t0 = 1000 * kMs;
    const std::vector<std::vector<std::int64_t>> times{
        {t0 + 100 * kMs, t0 + 150 * kMs, t0 + 250 * kMs},  // 75 ms a token
        {t0 + 900 * kMs, t0 + 1000 * kMs},                 // late, 100 ms a token
        {},
    };
    const std::vector<trace::ServedRecord> requests{
        record(t0, t0 + 20 * kMs, times[0], t0 + 250 * kMs),
        record(t0 + 100 * kMs, t0 + 500 * kMs, times[1], t0 + 1000 * kMs),
        record(t0 + 100 * kMs, 0, times[2], t0 + 400 * kMs, trace::FinishReason::Cancelled),
    };
    std::vector<trace::BatchStep> steps(2);
    steps[0].tStartNs = t0;
    steps[0].tEndNs = t0 + 300 * kMs;
    steps[0].sequences = 2;
    steps[0].waiting = 3;
    steps[0].blocksInUse = 4;
    steps[0].blocksRead = 4;
    steps[0].tokensHeld = 48;
    steps[1].tStartNs = t0 + 400 * kMs;
    steps[1].tEndNs = t0 + 500 * kMs;
    steps[1].sequences = 4;
    steps[1].blocksInUse = 8;
    steps[1].blocksRead = 10;  // two are read twice; 10 places are empty
    steps[1].tokensHeld = 150;
    steps[1].preemptions = 2;
    for (auto& step : steps) {
        step.maxRunning = 4;
        step.blocks = 16;
    }
    const ServingStats s =
        servingStats({requests, times, steps}, 16, {.ttftMs = 200.0, .tpotMs = 80.0});
    EXPECT_DOUBLE_EQ(s.seconds, 1.0);
    EXPECT_DOUBLE_EQ(s.tps, 5.0);
    EXPECT_DOUBLE_EQ(s.requestsPerSecond, 2.0);
    EXPECT_DOUBLE_EQ(s.goodput, 1.0);
    EXPECT_DOUBLE_EQ(s.goodShare, 1.0 / 3.0);
    EXPECT_EQ(s.ttftMs.n, 2);
    EXPECT_DOUBLE_EQ(s.ttftMs.mean, 450.0);
    EXPECT_EQ(s.itlMs.n, 3);
    EXPECT_DOUBLE_EQ(s.itlMs.max, 100.0);
    EXPECT_DOUBLE_EQ(s.tpotMs.min, 75.0);
    EXPECT_DOUBLE_EQ(s.queueMs.mean, 210.0);
    EXPECT_EQ(s.finished, 2);
    EXPECT_EQ(s.cancelled, 1);
    EXPECT_DOUBLE_EQ(s.occupancy, (0.3 * 0.5 + 0.1 * 1.0) / 0.4);
    EXPECT_DOUBLE_EQ(s.kvUse, (0.3 * 0.25 + 0.1 * 0.5) / 0.4);
    EXPECT_DOUBLE_EQ(s.kvEmpty, (0.3 * 16 + 0.1 * 10) / (0.3 * 64 + 0.1 * 128));
    EXPECT_EQ(s.preemptions, 2);
    EXPECT_EQ(s.queuePeak, 3);
    EXPECT_EQ(s.kvBlocksPeak, 8);
}

TEST(ServingStats, NothingServedHasNoFigures) {
    const ServingStats s = servingStats({}, 16, {});
    EXPECT_EQ(s.tps, 0.0);
    EXPECT_EQ(s.ttftMs.n, 0);
}

}  // namespace
}  // namespace lanescope::profiler
