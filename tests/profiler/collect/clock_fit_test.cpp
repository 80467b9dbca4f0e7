#include "profiler/collect/clock_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lanescope::profiler {

namespace {

constexpr std::int64_t kDevice0 = 1'700'000'000'000'000'000;  // a wall clock
constexpr std::int64_t kHost0 = 86'400'000'000'000;           // a day since boot
constexpr double kDrift = 1.00002;                            // 20 ppm

std::int64_t hostAt(std::int64_t since) {
    return kHost0 + static_cast<std::int64_t>(static_cast<double>(since) * kDrift);
}

/// A reading every 100 ms with noise of this many ns.
std::vector<ClockPair> readings(int n, double noiseNs, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0.0, noiseNs);
    std::vector<ClockPair> pairs;
    for (int i = 0; i < n; ++i) {
        const std::int64_t since = i * 100'000'000LL;
        pairs.push_back(
            {kDevice0 + since, hostAt(since) + (noiseNs > 0.0 ? std::llround(noise(random)) : 0)});
    }
    return pairs;
}

}  // namespace

TEST(ClockFit, WithoutReadingsIsTheSameClock) {
    const ClockFit same;
    EXPECT_EQ(same.toHost(kDevice0 + 7), kDevice0 + 7);
    EXPECT_EQ(same.residualNs(), 0.0);
    EXPECT_EQ(ClockFit(std::span<const ClockPair>{}).toHost(5), 5);
}

TEST(ClockFit, OneReadingGivesAnOffset) {
    const std::vector<ClockPair> one{{1000, 500}};
    EXPECT_EQ(ClockFit(one).toHost(1010), 510);
    const std::vector<ClockPair> twice{{1000, 500}, {1000, 504}};
    EXPECT_EQ(ClockFit(twice).toHost(1010), 512) << "the mean, and no slope out of nothing";
}

TEST(ClockFit, FindsOffsetAndDriftToTheNanosecondWithoutNoise) {
    const ClockFit fit(readings(50, 0.0, 1));
    EXPECT_NEAR(fit.rate(), kDrift, 1e-10) << "readings are whole nanoseconds";
    EXPECT_LT(fit.residualNs(), 1.0);
    for (const std::int64_t since : {0LL, 1'234'567'890LL, 60'000'000'000LL}) {
        EXPECT_NEAR(static_cast<double>(fit.toHost(kDevice0 + since) - hostAt(since)), 0.0, 5.0);
    }
}

TEST(ClockFit, ReportsTheNoiseAsResidual) {
    for (const double noise : {50.0, 500.0, 5000.0}) {
        const ClockFit fit(readings(200, noise, 2));
        EXPECT_NEAR(fit.residualNs(), noise, noise * 0.2);
        EXPECT_NEAR(
            static_cast<double>(fit.toHost(kDevice0 + 10'000'000'000) - hostAt(10'000'000'000)),
            0.0, noise * 0.5);
    }
}

// A thread that loses its core between two clock reads gives a pair that is off by milliseconds.
TEST(ClockFit, IsNotBentByInterruptedReadings) {
    auto pairs = readings(60, 100.0, 3);
    pairs[0].hostNs += 8'000'000;  // the anchor itself
    pairs[17].hostNs += 20'000'000;
    pairs[59].hostNs += 3'000'000;
    const ClockFit fit(pairs);
    EXPECT_GE(fit.outliers(), 3U);
    EXPECT_LE(fit.outliers(), 8U);
    EXPECT_LT(fit.residualNs(), 200.0);
    EXPECT_NEAR(fit.rate(), kDrift, 1e-7);
    EXPECT_NEAR(static_cast<double>(fit.toHost(kDevice0) - hostAt(0)), 0.0, 200.0);
}

TEST(ClockFit, ManyReadingsAreThinnedForTheRobustLineOnly) {
    const ClockFit fit(readings(5000, 100.0, 4));
    EXPECT_GT(fit.used(), 4500U);
    EXPECT_NEAR(fit.residualNs(), 100.0, 15.0);
}

}  // namespace lanescope::profiler
