#include "app/views/kernels/roofline_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lanescope::app {
namespace {

TEST(RooflineMath, ARangeTakesInItsValuesWithRoom) {
    const std::vector<double> values{0.5, 200.0, 0.0, -3.0,
                                     std::numeric_limits<double>::infinity()};
    const LogRange range = logRange(values);
    EXPECT_LT(range.lo, 0.5);
    EXPECT_GT(range.lo, 0.3);
    EXPECT_GT(range.hi, 200.0);
    EXPECT_LT(range.hi, 300.0);
    const LogRange one = logRange(std::vector<double>{7.0});
    EXPECT_NEAR(std::log10(one.hi / one.lo), 1.0, 1e-9);
    EXPECT_NEAR(std::sqrt(one.hi * one.lo), 7.0, 1e-9);
    EXPECT_EQ(logRange({}), LogRange{});
}

TEST(RooflineMath, PixelsAndValuesAreInverse) {
    const LogRange range{0.1, 1000.0};
    EXPECT_NEAR(logToPixel(0.1, range, 40.0, 440.0), 40.0, 1e-9);
    EXPECT_NEAR(logToPixel(10.0, range, 40.0, 440.0), 240.0, 1e-9);
    EXPECT_NEAR(logToPixel(10.0, range, 300.0, 100.0), 200.0, 1e-9);
    for (const double value : {0.1, 0.7, 42.0, 1000.0})
        EXPECT_NEAR(pixelToLog(logToPixel(value, range, 300.0, 100.0), range, 300.0, 100.0), value,
                    value * 1e-9);
    EXPECT_EQ(logToPixel(0.0, range, 40.0, 440.0), 40.0);
    EXPECT_EQ(pixelToLog(5.0, range, 7.0, 7.0), 0.1);
}

TEST(RooflineMath, ZoomKeepsTheValueUnderTheCursor) {
    const LogRange range{0.1, 1000.0};
    const LogRange in = zoomedLog(range, 0.5, 10.0);
    EXPECT_NEAR(logToPixel(10.0, in, 0.0, 1.0), logToPixel(10.0, range, 0.0, 1.0), 1e-9);
    EXPECT_NEAR(std::log10(in.hi / in.lo), 2.0, 1e-9);
    EXPECT_EQ(zoomedLog(range, std::nan(""), 1.0), range);
    EXPECT_GE(std::log10(zoomedLog(range, 1e-9, 10.0).hi / zoomedLog(range, 1e-9, 10.0).lo), 0.69);
}

TEST(RooflineMath, TicksAreDecadesAndTheirLabelsAreApart) {
    const LogRange range{0.05, 2000.0};
    const auto wide = logTicks(range, 800.0, 50.0);
    std::vector<double> labels;
    for (const LogTick& tick : wide) {
        EXPECT_GE(tick.value, range.lo);
        EXPECT_LE(tick.value, range.hi);
        if (tick.decade && tick.label) labels.push_back(tick.value);
    }
    ASSERT_EQ(labels.size(), 5U);
    EXPECT_NEAR(labels.front(), 0.1, 1e-12);
    EXPECT_NEAR(labels.back(), 1000.0, 1e-9);
    for (const double pixels : {60.0, 120.0, 300.0, 2000.0}) {
        double last = -1e9;
        for (const LogTick& tick : logTicks(range, pixels, 50.0)) {
            if (!tick.label) continue;
            const double x = logToPixel(tick.value, range, 0.0, pixels);
            EXPECT_GE(x - last, 49.9) << tick.value << " of " << pixels;
            last = x;
        }
    }
    for (const double lo : {0.11, 0.3, 2.1, 5.5}) {  // less than a decade still has a line
        EXPECT_FALSE(logTicks({lo, lo * 5.1}, 400.0, 40.0).empty()) << lo;
    }
}

TEST(RooflineMath, ARoofBendsWhereArithmeticBecomesTheLimit) {
    const auto line = roofLine(20.0, 400.0, {0.1, 1000.0}, {1.0, 1000.0});
    ASSERT_EQ(line.size(), 3U);
    EXPECT_EQ(line[0], QPointF(0.1, 2.0));
    EXPECT_EQ(line[1], QPointF(20.0, 400.0));
    EXPECT_EQ(line[2], QPointF(1000.0, 400.0));
    // It enters at the bottom, not at the left.
    EXPECT_EQ(roofLine(20.0, 400.0, {0.01, 1000.0}, {1.0, 1000.0})[0], QPointF(0.05, 1.0));
    // The bend is left of what is shown, or right of it.
    EXPECT_EQ(roofLine(20.0, 400.0, {50.0, 1000.0}, {1.0, 1000.0}).size(), 2U);
    EXPECT_EQ(roofLine(20.0, 400.0, {0.1, 10.0}, {1.0, 1000.0}).size(), 2U);
    EXPECT_TRUE(roofLine(20.0, 400.0, {0.1, 10.0}, {500.0, 1000.0}).empty());
    EXPECT_TRUE(roofLine(0.0, 400.0, {0.1, 10.0}, {1.0, 1000.0}).empty());
}

TEST(RooflineMath, TheNearestPointCounts) {
    const std::vector<QPointF> points{{10, 10}, {20, 10}, {100, 100}};
    EXPECT_EQ(nearestPoint(points, {16, 10}, 8.0), 1);
    EXPECT_EQ(nearestPoint(points, {13, 12}, 8.0), 0);
    EXPECT_EQ(nearestPoint(points, {60, 60}, 8.0), -1);
    EXPECT_EQ(nearestPoint({}, {0, 0}, 8.0), -1);
}

TEST(RooflineMath, TheNameOfTheSlopeKeepsClearOfPoints) {
    const QPointF from(0, 300), to(400, 0);  // 500 pixels long
    const QSizeF size(80, 12);
    EXPECT_EQ(placeOnSlope({}, from, to, size, 5.0), 12.0);
    // A point 50 pixels along, just above the line; and one below it, which does not matter.
    const std::vector<QPointF> points{{38, 264}, {100, 290}};
    const double at = placeOnSlope(points, from, to, size, 5.0);
    EXPECT_GT(at, 50.0);
    EXPECT_LT(at, 70.0);
    EXPECT_EQ(placeOnSlope({}, from, {40, 270}, size, 5.0), -1.0);
}

TEST(RooflineMath, LabelsCoverNeitherEachOtherNorPoints) {
    const QRectF plot(0, 0, 300, 200);
    std::vector<QPointF> points;
    for (int i = 0; i < 40; ++i) points.emplace_back(20.0 + (i * 37) % 260, 15.0 + (i * 53) % 170);
    const std::vector<QSizeF> sizes(points.size(), QSizeF(60, 12));
    const QRectF taken(200, 0, 100, 14);
    const auto boxes = placeLabels(points, sizes, plot, 4.0, std::vector<QRectF>{taken});
    ASSERT_EQ(boxes.size(), points.size());
    EXPECT_GE(std::count_if(boxes.begin(), boxes.end(), [](const auto& b) { return !b.isEmpty(); }),
              8);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (boxes[i].isEmpty()) continue;
        EXPECT_TRUE(plot.contains(boxes[i]));
        EXPECT_FALSE(boxes[i].intersects(taken));
        for (const QPointF& p : points) EXPECT_FALSE(boxes[i].contains(p));
        for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(boxes[i].intersects(boxes[k]));
    }
}

}  // namespace
}  // namespace lanescope::app
