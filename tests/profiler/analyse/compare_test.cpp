#include <gtest/gtest.h>

#include <cmath>

#include "profiler/analyse/stats.h"
#include "tests/profiler/make_run.h"

namespace lanescope::profiler {

namespace {

LaneStats withTtft(std::vector<double> values) {
    LaneStats stats;
    stats.ttftMs = distribution(std::move(values));
    return stats;
}

Delta::Verdict ttftVerdict(std::vector<double> before, std::vector<double> after) {
    return compareLanes(withTtft(std::move(before)), withTtft(std::move(after))).front().verdict;
}

}  // namespace

// Expected values by numerical integration of the t density (Simpson, 200000 steps).
TEST(Welch, AgreesWithTheIntegratedDensity) {
    EXPECT_NEAR(welchP(20, 2, 5, 23, 4, 8), 0.10122778771, 1e-9);
    EXPECT_NEAR(welchP(10, 1, 2, 12, 1.5, 3), 0.17342021054, 1e-9);
    EXPECT_NEAR(welchP(100, 3, 30, 101, 9, 40), 0.51494655869, 1e-9);
    EXPECT_NEAR(welchP(5, 0.1, 5, 6, 0.2, 5), 6.546823686e-05, 1e-12);
    EXPECT_TRUE(std::isnan(welchP(1, 0, 5, 2, 0, 5)));
    EXPECT_TRUE(std::isnan(welchP(1, 1, 1, 2, 1, 5)));
}

TEST(CompareLanes, TellsNoiseFromChange) {
    using Verdict = Delta::Verdict;
    EXPECT_EQ(ttftVerdict({10, 11, 12, 13}, {10.5, 11.5, 12.5, 12}), Verdict::WithinNoise);
    EXPECT_EQ(ttftVerdict({10, 11, 12, 13}, {20, 21, 22, 23}), Verdict::Worse);
    EXPECT_EQ(ttftVerdict({20, 21, 22, 23}, {10, 11, 12, 13}), Verdict::Better);
    EXPECT_EQ(ttftVerdict({10}, {20}), Verdict::NotComparable);
    EXPECT_EQ(ttftVerdict({10, 11}, {20}), Verdict::NotComparable);
    EXPECT_EQ(ttftVerdict({}, {}), Verdict::NotComparable);
    EXPECT_EQ(ttftVerdict({10, 10}, {10, 10}), Verdict::WithinNoise);
    EXPECT_EQ(ttftVerdict({10, 10}, {12, 12}), Verdict::Worse) << "no spread, but different";
}

TEST(CompareLanes, ShowsNumbersEvenWhereNothingCanBeTested) {
    const auto delta = compareLanes(withTtft({10}), withTtft({15})).front();
    EXPECT_DOUBLE_EQ(delta.absolute, 5.0);
    EXPECT_DOUBLE_EQ(delta.percent, 50.0);
    const auto fromZero = compareLanes(withTtft({0.0}), withTtft({1})).front();
    EXPECT_DOUBLE_EQ(fromZero.percent, 0.0) << "no infinite percentage";
}

TEST(CompareLanes, SaysWhenALaneIsSlower) {
    const RunData run = test::makeRun(3);
    const auto stats = laneStats(run);
    EXPECT_TRUE(isSlower(compareLanes(stats[0], stats[1])));
    EXPECT_FALSE(isSlower(compareLanes(stats[1], stats[0])));
    EXPECT_FALSE(isSlower(compareLanes(stats[0], stats[0])));
    EXPECT_FALSE(isSlower(compareLanes(LaneStats{}, LaneStats{})));
}

}  // namespace lanescope::profiler
