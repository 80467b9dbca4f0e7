#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "profiler/export/chart_axis.h"
#include "profiler/export/export.h"

namespace lanescope::profiler {

namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++n;
    }
    return n;
}

}  // namespace

TEST(NiceAxis, StepsAreOneTwoOrFive) {
    const Axis axis = niceAxis(0.0, 47.3, 6);
    EXPECT_EQ(axis.labels, (std::vector<std::string>{"0", "10", "20", "30", "40", "50"}));
    EXPECT_EQ(niceAxis(0, 0.7, 5).labels,
              (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8"}));
    EXPECT_EQ(niceAxis(-3, 3, 4).labels, (std::vector<std::string>{"-4", "-2", "0", "2", "4"}));
    EXPECT_EQ(niceAxis(0, 2, 10, true).step, 1.0) << "no half tokens";
}

TEST(NiceAxis, CoversItsRangeWhateverItIs) {
    const double inf = std::numeric_limits<double>::infinity();
    const double values[] = {0.0,    1.0,  -1.0,    0.1,    1e-9, 5e-324, 1e308,
                             -1e308, 1e15, 12345.6, -0.003, inf,  -inf,   std::nan("")};
    for (const double low : values) {
        for (const double high : values) {
            for (const int n : {1, 2, 5, 20}) {
                const Axis axis = niceAxis(low, high, n);
                ASSERT_TRUE(std::isfinite(axis.low) && std::isfinite(axis.high));
                ASSERT_LT(axis.low, axis.high);
                ASSERT_GE(axis.ticks.size(), 2U);
                ASSERT_LE(axis.ticks.size(), static_cast<std::size_t>(n) + 3);
                ASSERT_EQ(axis.ticks.size(), axis.labels.size());
            }
        }
    }
    const Axis one = niceAxis(5, 5, 5);
    EXPECT_LE(one.low, 5.0);
    EXPECT_GE(one.high, 5.0);
}

TEST(ChartSvg, BreaksTheLineAtValuesThatAreNotNumbers) {
    ChartSpec spec;
    const double nan = std::nan("");
    spec.series = {{"A", "#0072B2", {0, 1, 2, 3, 4}, {1, 2, nan, 4, 5}}};
    const std::string svg = chartSvg(spec);
    const auto path = svg.substr(svg.find("<path"));
    EXPECT_EQ(count(path.substr(0, path.find("/>")), "M"), 2U) << "two pieces";
    EXPECT_EQ(count(svg, "nan"), 0U);
    EXPECT_EQ(count(svg, "inf"), 0U);
    EXPECT_EQ(count(svg, "<circle"), 4U);
}

TEST(ChartSvg, IsThinnedToItsPixelsAndKeepsThePeak) {
    ChartSpec spec;
    ChartSeries line{"A", "#0072B2", {}, {}, false};
    for (int i = 0; i < 200'000; ++i) {
        line.x.push_back(i);
        line.y.push_back(i == 123'456 ? 5000.0 : 10.0 + i % 7);
    }
    spec.series.push_back(line);
    const std::string svg = chartSvg(spec);
    EXPECT_LT(svg.size(), 60'000U);
    EXPECT_NE(svg.find(">5000<"), std::string::npos) << "the axis reaches the peak";
}

TEST(ChartSvg, SurvivesOddInput) {
    EXPECT_NE(chartSvg({}).find("no data"), std::string::npos);
    ChartSpec spec;
    spec.title = "<a> & \"b\"";
    const double inf = std::numeric_limits<double>::infinity();
    spec.series = {{"all bad", "red", {1, 2}, {inf, -inf}},
                   {"huge", "\"/><script>", {0, 1}, {1e308, -1e308}},
                   {"uneven", "blue", {1}, {1, 2, 3}}};
    spec.width = -5;
    spec.height = 0;
    const std::string svg = chartSvg(spec);
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(svg.find("<a>"), std::string::npos);
    EXPECT_EQ(count(svg, "inf"), 0U);
}

TEST(LaneColor, IsFixedForEveryIndex) {
    EXPECT_STREQ(laneColor(0), "#0072B2");
    EXPECT_STREQ(laneColor(5), "#D55E00");
    EXPECT_STREQ(laneColor(6), "#0072B2");
    EXPECT_STREQ(laneColor(-1), "#D55E00");
}

}  // namespace lanescope::profiler
