#include "app/timeline/timeline_math.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"

namespace lanescope::app {
namespace {

trace::Span span(std::int64_t start, std::int64_t end, trace::Op op, std::int16_t lane = 0) {
    trace::Span s;
    s.tStartNs = start;
    s.tEndNs = end;
    s.op = op;
    s.lane = lane;
    return s;
}

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

TEST(Timeline, TracksSplitLanesAndPhases) {
    const std::vector<trace::Span> spans{
        span(10, 20, trace::Op::Qkv, 1), span(0, 5, trace::Op::Norm, 0),
        span(0, 50, trace::Op::Prefill, 0), span(5, 9, trace::Op::Qkv, 0)};
    const auto tracks = buildTracks(spans);
    ASSERT_EQ(tracks.size(), 3U);
    EXPECT_TRUE(tracks[0].phases);
    EXPECT_EQ(tracks[1].spans.size(), 2U);
    EXPECT_EQ(tracks[2].lane, 1);
    EXPECT_EQ(fullRange(tracks), (TimeRange{0, 50}));
    EXPECT_EQ(spanAt(tracks[1], 6), 1);
    EXPECT_EQ(spanAt(tracks[2], 25), -1);
}

TEST(Timeline, BarsMergeWhatIsThinnerThanAPixelAndLoseNothing) {
    std::vector<trace::Span> spans;
    for (int i = 0; i < 100'000; ++i) spans.push_back(span(i * 10, i * 10 + 9, trace::Op::Norm));
    const auto tracks = buildTracks(spans);
    const auto bars = visibleBars(tracks[0], fullRange(tracks), 1000.0);
    EXPECT_LE(bars.size(), 2001U);
    std::int64_t covered = 0;
    for (const auto& bar : bars) covered += bar.count;
    EXPECT_EQ(covered, 100'000);
    const auto close = visibleBars(tracks[0], {500, 1000}, 1000.0);
    EXPECT_EQ(close.size(), 50U);
    for (const auto& bar : close) EXPECT_EQ(bar.count, 1);
}

TEST(Timeline, TenMillionSpansStillGiveOnlyPixels) {
    Track track;
    track.spans.resize(10'000'000);
    track.endsNs.resize(track.spans.size());
    for (std::size_t i = 0; i < track.spans.size(); ++i) {
        track.spans[i].tStartNs = static_cast<std::int64_t>(i) * 100;
        track.spans[i].tEndNs = track.endsNs[i] = track.spans[i].tStartNs + 90;
    }
    const std::int64_t before = nowNs();
    const auto bars = visibleBars(track, {0, 1'000'000'000}, 1440.0);
    const double ms = static_cast<double>(nowNs() - before) / 1e6;
    RecordProperty("milliseconds", std::to_string(ms));
    EXPECT_LE(bars.size(), 2881U);
    EXPECT_LT(ms, 16.0);
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
