#include "app/timeline/timeline_math.h"

#include <gtest/gtest.h>

#include <limits>

namespace lanescope::app {
namespace {

TEST(Timeline, ZoomKeepsTheTimeUnderTheCursor) {
    const TimeRange full{0, 1'000'000};
    const TimeRange in = zoomed({0, 1'000'000}, 0.5, 250'000, full);
    EXPECT_EQ(in, (TimeRange{125'000, 625'000}));
    EXPECT_NEAR(timeToX(250'000, in, 1000.0), 250.0, 1e-9);
    EXPECT_EQ(zoomed(in, 100.0, 250'000, full), full);
    EXPECT_EQ(zoomed({0, 300}, 0.001, 0, full).length(), kMinVisibleNs);
    EXPECT_EQ(zoomed(in, std::numeric_limits<double>::quiet_NaN(), 0, full), in);
}

TEST(Timeline, PanStopsAtTheEnds) {
    const TimeRange full{0, 1000};
    EXPECT_EQ(panned({100, 400}, -500, full), (TimeRange{0, 300}));
    EXPECT_EQ(panned({100, 400}, 5000, full), (TimeRange{700, 1000}));
}

TEST(Timeline, TicksAreRoundAndApart) {
    const auto ticks = rulerTicks({0, 1'000'000}, 900.0);
    ASSERT_GE(ticks.size(), 5U);
    for (std::size_t i = 1; i < ticks.size(); ++i)
        EXPECT_EQ(ticks[i] - ticks[i - 1], ticks[1] - ticks[0]);
    EXPECT_GE(timeToX(ticks[1], {0, 1'000'000}, 900.0), 90.0);
    EXPECT_TRUE(rulerTicks({5, 5}, 900.0).empty());
}

}  // namespace
}  // namespace lanescope::app
