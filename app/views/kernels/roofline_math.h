#pragma once
// The geometry of the roofline chart as pure functions: logarithmic axes, ticks, the bent line of a
// roof, the point under the pointer, labels that do not cover each other. roofline_chart.h paints
// what these return.

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <span>
#include <vector>

namespace lanescope::app {

/// Ends of a logarithmic axis, 0 < lo < hi.
struct LogRange {
    double lo = 1.0;
    double hi = 10.0;
    bool operator==(const LogRange&) const = default;
};

/// Takes in every finite value above 0 with some room at both ends, at least one decade in all;
/// the default when there is none.
LogRange logRange(std::span<const double> values);
/// Pixel of a value on an axis that runs from `from` (lo) to `to` (hi); `to` may be the smaller
/// one. Values that have no logarithm lie at lo.
double logToPixel(double value, LogRange range, double from, double to);
double pixelToLog(double pixel, LogRange range, double from, double to);

/// Scaled by `factor` (< 1 zooms in) in decades around `anchor`.
LogRange zoomedLog(LogRange range, double factor, double anchor);

struct LogTick {
    double value = 0.0;
    bool decade = false;  ///< a power of ten: strong line
    bool label = false;   ///< has room for its number
};
/// Powers of ten, and 2 and 5 times them where `pixels` leave room for lines. Labels are at least
/// minPixels apart: of every decade, or every second, third … one, and of 2 and 5 where they fit.
std::vector<LogTick> logTicks(LogRange range, double pixels, double minPixels);

/// The roof of one kind of arithmetic within the ranges: up along the bandwidth, then flat; from
/// the left end (or where it enters at the bottom) to the right. Empty when it does not pass
/// through. Units: GFLOP/s over flop a byte.
std::vector<QPointF> roofLine(double readGBps, double peakGflops, LogRange x, LogRange y);

/// Index of the point nearest to `at` within `radius` pixels; -1: none.
int nearestPoint(std::span<const QPointF> points, const QPointF& at, double radius);

/// Where along the line from -> to a text of that size is best written on its left side: as near to
/// `from` as no point lies in it; the lower end when some point always does. Pixels; -1: the line
/// is too short.
double placeOnSlope(std::span<const QPointF> points, const QPointF& from, const QPointF& to,
                    const QSizeF& size, double markRadius);

/// Where each point's label goes: beside, above or below its point, inside `plot`, on no other
/// label and no point. An empty rectangle: no room (or an empty size), the label is left out.
/// Earlier points choose first.
std::vector<QRectF> placeLabels(std::span<const QPointF> points, std::span<const QSizeF> sizes,
                                const QRectF& plot, double markRadius,
                                std::span<const QRectF> taken = {});

}  // namespace lanescope::app
