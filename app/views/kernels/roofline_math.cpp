#include "app/views/kernels/roofline_math.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanescope::app {

namespace {

constexpr double kRoom = 0.12;  ///< decades left free at both ends of an axis

bool hasLog(double value) {
    return std::isfinite(value) && value > 0.0;
}

bool within(double value, LogRange range) {
    constexpr double kSlack = 1e-9;
    return value >= range.lo * (1.0 - kSlack) && value <= range.hi * (1.0 + kSlack);
}

}  // namespace

LogRange logRange(std::span<const double> values) {
    double lo = 0.0, hi = 0.0;
    for (const double value : values) {
        if (!hasLog(value)) continue;
        lo = lo > 0.0 ? std::min(lo, value) : value;
        hi = std::max(hi, value);
    }
    if (lo <= 0.0) return {};
    double low = std::log10(lo) - kRoom, high = std::log10(hi) + kRoom;
    if (const double missing = 1.0 - (high - low); missing > 0.0) {
        low -= missing / 2.0;
        high += missing / 2.0;
    }
    return {std::pow(10.0, low), std::pow(10.0, high)};
}

double logToPixel(double value, LogRange range, double from, double to) {
    if (!hasLog(value)) return from;
    const double share =
        (std::log10(value) - std::log10(range.lo)) / (std::log10(range.hi) - std::log10(range.lo));
    return from + share * (to - from);
}

double pixelToLog(double pixel, LogRange range, double from, double to) {
    if (from == to) return range.lo;
    const double share = (pixel - from) / (to - from);
    return range.lo * std::pow(range.hi / range.lo, share);
}

LogRange zoomedLog(LogRange range, double factor, double anchor) {
    constexpr double kFewest = 0.7, kMost = 24.0;  // decades
    const double decades = std::log10(range.hi / range.lo);
    if (!hasLog(anchor) || !hasLog(factor)) return range;
    const double f = std::clamp(decades * factor, kFewest, kMost) / decades;
    return {anchor * std::pow(range.lo / anchor, f), anchor * std::pow(range.hi / anchor, f)};
}

std::vector<LogTick> logTicks(LogRange range, double pixels, double minPixels) {
    constexpr double kLineApart = 8.0;
    std::vector<LogTick> ticks;
    const double decades = std::log10(range.hi / range.lo);
    if (!(decades > 0.0) || !(pixels > 0.0)) return ticks;
    const double perDecade = pixels / decades;
    const int every = std::max(1, static_cast<int>(std::ceil(minPixels / perDecade)));
    // 2 and 5 are 0.30 and 0.40 decades from their neighbours.
    const bool parts = perDecade * 0.3 >= kLineApart;
    const bool partLabels = perDecade * 0.3 >= minPixels;
    const int first = static_cast<int>(std::floor(std::log10(range.lo)));
    const int last = static_cast<int>(std::ceil(std::log10(range.hi)));
    for (int exponent = first; exponent <= last; ++exponent) {
        const double decade = std::pow(10.0, exponent);
        if (within(decade, range)) ticks.push_back({decade, true, exponent % every == 0});
        if (!parts) continue;
        for (const double times : {2.0, 5.0}) {
            if (within(times * decade, range)) ticks.push_back({times * decade, false, partLabels});
        }
    }
    return ticks;
}

std::vector<QPointF> roofLine(double readGBps, double peakGflops, LogRange x, LogRange y) {
    if (!hasLog(readGBps) || !hasLog(peakGflops) || peakGflops < y.lo) return {};
    const double start = std::max(x.lo, y.lo / readGBps);
    if (start > x.hi) return {};
    const auto at = [&](double intensity) {
        return QPointF(intensity, std::min(peakGflops, intensity * readGBps));
    };
    std::vector<QPointF> line{at(start)};
    if (const double ridge = peakGflops / readGBps; ridge > start && ridge < x.hi)
        line.push_back(at(ridge));
    if (x.hi > start) line.push_back(at(x.hi));
    return line;
}

int nearestPoint(std::span<const QPointF> points, const QPointF& at, double radius) {
    int best = -1;
    double bestSquare = radius * radius;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const QPointF d = points[i] - at;
        const double square = QPointF::dotProduct(d, d);
        if (square > bestSquare) continue;
        bestSquare = square;
        best = static_cast<int>(i);
    }
    return best;
}

double placeOnSlope(std::span<const QPointF> points, const QPointF& from, const QPointF& to,
                    const QSizeF& size, double markRadius) {
    constexpr double kEnd = 12.0, kStep = 6.0;
    const double length = std::hypot(to.x() - from.x(), to.y() - from.y());
    if (size.width() + 2.0 * kEnd > length) return -1.0;
    const QPointF along = (to - from) / length;
    const QPointF left(along.y(), -along.x());  // y grows downwards
    for (double at = kEnd; at + size.width() + kEnd <= length; at += kStep) {
        const bool free = std::none_of(points.begin(), points.end(), [&](const QPointF& p) {
            const double x = QPointF::dotProduct(p - from, along);
            const double y = QPointF::dotProduct(p - from, left);
            return x > at - markRadius && x < at + size.width() + markRadius && y > -markRadius &&
                   y < size.height() + markRadius;
        });
        if (free) return at;
    }
    return kEnd;
}

std::vector<QRectF> placeLabels(std::span<const QPointF> points, std::span<const QSizeF> sizes,
                                const QRectF& plot, double markRadius,
                                std::span<const QRectF> taken) {
    std::vector<QRectF> placed(points.size());
    std::vector<QRectF> full(taken.begin(), taken.end());
    for (const QPointF& p : points)
        full.emplace_back(p.x() - markRadius, p.y() - markRadius, 2 * markRadius, 2 * markRadius);
    for (std::size_t i = 0; i < points.size() && i < sizes.size(); ++i) {
        if (sizes[i].isEmpty()) continue;
        const QPointF& p = points[i];
        const double w = sizes[i].width(), h = sizes[i].height();
        const double gap = markRadius + 2.0;
        const std::array<QPointF, 8> corners{QPointF(p.x() + gap, p.y() - h / 2),
                                             QPointF(p.x() - gap - w, p.y() - h / 2),
                                             QPointF(p.x() - w / 2, p.y() - gap - h),
                                             QPointF(p.x() - w / 2, p.y() + gap),
                                             QPointF(p.x() + gap / 2, p.y() - gap - h),
                                             QPointF(p.x() + gap / 2, p.y() + gap),
                                             QPointF(p.x() - gap / 2 - w, p.y() - gap - h),
                                             QPointF(p.x() - gap / 2 - w, p.y() + gap)};
        for (const QPointF& corner : corners) {
            const QRectF box(corner, sizes[i]);
            if (!plot.contains(box)) continue;
            if (std::any_of(full.begin(), full.end(),
                            [&box](const QRectF& other) { return other.intersects(box); }))
                continue;
            placed[i] = box;
            full.push_back(box);
            break;
        }
    }
    return placed;
}

}  // namespace lanescope::app
