#include "profiler/analyse/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/profiler/make_run.h"

namespace lanescope::profiler {

using test::makeLane;
using test::makeRequest;

namespace {

RunData twoRepetitions() {
    RunData run;
    run.lanes = {makeLane(0)};
    run.requests.push_back(makeRequest(0, 0, 0, {20.0, 30.0, 50.0}));
    run.requests.push_back(makeRequest(1, 0, 100, {22.0, 36.0}));
    return run;
}

}  // namespace

TEST(Series, KeepTheFirstTokenApartFromTheGaps) {
    const auto s = series(twoRepetitions(), 0, SeriesKind::ItlMs, XAxis::Token);
    EXPECT_EQ(s.x, std::vector<double>{1.0});
    EXPECT_EQ(s.y, std::vector<double>{14.0});
    EXPECT_EQ(s.token, std::vector<std::int32_t>{1});
}

TEST(Series, AverageOverRepetitionsPositionByPosition) {
    const auto s = series(twoRepetitions(), 0, SeriesKind::ItlMs, XAxis::Token, Averaging::Mean);
    EXPECT_EQ(s.x, (std::vector<double>{1.0, 2.0}));
    EXPECT_EQ(s.y, (std::vector<double>{12.0, 20.0}));
}

TEST(Series, KnowTimeAndContextAxes) {
    const RunData run = twoRepetitions();
    const auto t = series(run, 0, SeriesKind::KvBytes, XAxis::TimeMs);
    EXPECT_EQ(t.x, (std::vector<double>{22.0, 36.0}));
    EXPECT_EQ(t.y, (std::vector<double>{11264.0, 12288.0}));
    const auto c = series(run, 0, SeriesKind::Entropy, XAxis::Context, Averaging::Mean);
    EXPECT_EQ(c.x, (std::vector<double>{11.0, 12.0, 13.0}));
    EXPECT_EQ(c.y, (std::vector<double>{1.25, 1.25, 1.25}));
    EXPECT_TRUE(series(run, 3, SeriesKind::ItlMs, XAxis::Token).x.empty());
    EXPECT_TRUE(series(run, 0, SeriesKind::ItlMs, XAxis::Token, Averaging::Mean, 8).x.empty());
}

TEST(Thinned, KeepsEveryPeakAndTheEnds) {
    Series full;
    for (int i = 0; i < 100'000; ++i) {
        full.x.push_back(i);
        full.y.push_back(i == 54'321 ? 900.0 : i == 77'777 ? -900.0 : std::sin(i * 0.01));
        full.token.push_back(i);
    }
    const Series s = thinned(full, 800);
    EXPECT_LE(s.x.size(), 2U * 800 + 2);
    EXPECT_TRUE(std::is_sorted(s.x.begin(), s.x.end()));
    EXPECT_EQ(s.x.front(), 0.0);
    EXPECT_EQ(s.x.back(), 99'999.0);
    EXPECT_EQ(*std::max_element(s.y.begin(), s.y.end()), 900.0);
    EXPECT_EQ(*std::min_element(s.y.begin(), s.y.end()), -900.0);
    const auto peak = std::max_element(s.y.begin(), s.y.end()) - s.y.begin();
    EXPECT_EQ(s.token[static_cast<std::size_t>(peak)], 54'321);
}

TEST(Thinned, KeepsGapsAndSurvivesOddInput) {
    Series full;
    for (int i = 0; i < 1000; ++i) {
        full.x.push_back(5.0);  // all at one place
        full.y.push_back(i == 500 ? std::numeric_limits<double>::quiet_NaN() : i);
        full.token.push_back(i);
    }
    const Series s = thinned(full, 10);
    EXPECT_LE(s.x.size(), 5U);
    EXPECT_EQ(std::count_if(s.y.begin(), s.y.end(), [](double y) { return std::isnan(y); }), 1);
    EXPECT_TRUE(thinned(Series{}, 10).x.empty());
    EXPECT_EQ(thinned(full, 0).x.size(), 1000U);
}

}  // namespace lanescope::profiler
