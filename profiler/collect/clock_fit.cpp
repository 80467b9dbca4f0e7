#include "profiler/collect/clock_fit.h"

#include <algorithm>
#include <cmath>

namespace lanescope::profiler {

namespace {

/// Relative to the first pair, where doubles are exact to the nanosecond for months.
struct Point {
    double x = 0.0, y = 0.0;
};
struct Line {
    double slope = 1.0, offset = 0.0;
    [[nodiscard]] double distance(const Point& p) const { return p.y - (offset + slope * p.x); }
};

constexpr std::size_t kMaxSlopePoints = 64;  // pairs of these give at most 2016 slopes

double median(std::vector<double> values) {
    if (values.empty()) return 0.0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Theil and Sen: the median of the slopes between pairs of points holds against 29 % of outliers.
Line robustLine(const std::vector<Point>& points) {
    const std::size_t step = (points.size() + kMaxSlopePoints - 1) / kMaxSlopePoints;
    std::vector<double> slopes;
    for (std::size_t i = 0; i < points.size(); i += step) {
        for (std::size_t j = i + step; j < points.size(); j += step) {
            const double dx = points[j].x - points[i].x;
            if (dx != 0.0) slopes.push_back((points[j].y - points[i].y) / dx);
        }
    }
    Line line;
    if (!slopes.empty()) line.slope = median(std::move(slopes));
    std::vector<double> offsets;
    offsets.reserve(points.size());
    for (const Point& p : points) offsets.push_back(p.y - line.slope * p.x);
    line.offset = median(std::move(offsets));
    return line;
}

Line leastSquares(const std::vector<Point>& points, const Line& fallback) {
    double mx = 0.0, my = 0.0;
    for (const Point& p : points) {
        mx += p.x;
        my += p.y;
    }
    const auto n = static_cast<double>(points.size());
    mx /= n;
    my /= n;
    double xx = 0.0, xy = 0.0;
    for (const Point& p : points) {
        xx += (p.x - mx) * (p.x - mx);
        xy += (p.x - mx) * (p.y - my);
    }
    Line line;
    line.slope = xx > 0.0 ? xy / xx : fallback.slope;
    line.offset = my - line.slope * mx;
    return line;
}

/// Distances beyond five times the usual one are readings that were interrupted.
std::vector<Point> withoutOutliers(const std::vector<Point>& points, const Line& line) {
    std::vector<double> distances;
    distances.reserve(points.size());
    for (const Point& p : points) distances.push_back(std::abs(line.distance(p)));
    const double limit = std::max(5.0 * 1.4826 * median(distances), 1.0);
    std::vector<Point> kept;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (distances[i] <= limit) kept.push_back(points[i]);
    }
    return kept;
}

}  // namespace

ClockFit::ClockFit(std::span<const ClockPair> pairs) {
    if (pairs.empty()) return;
    m_deviceAnchor = pairs.front().deviceNs;
    m_hostAnchor = pairs.front().hostNs;
    std::vector<Point> points;
    points.reserve(pairs.size());
    for (const ClockPair& pair : pairs) {
        points.push_back({static_cast<double>(pair.deviceNs - m_deviceAnchor),
                          static_cast<double>(pair.hostNs - m_hostAnchor)});
    }
    const Line first = robustLine(points);
    const std::vector<Point> kept = withoutOutliers(points, first);
    const Line line = leastSquares(kept, first);
    m_rate = line.slope;
    m_hostAnchor += std::llround(line.offset);
    m_used = kept.size();
    m_outliers = points.size() - kept.size();
    double squares = 0.0;
    for (const Point& p : kept) squares += line.distance(p) * line.distance(p);
    m_residualNs = std::sqrt(squares / static_cast<double>(kept.size()));
}

std::int64_t ClockFit::toHost(std::int64_t deviceNs) const {
    const std::int64_t since = deviceNs - m_deviceAnchor;
    // The whole part exactly, only the drift in floating point.
    return m_hostAnchor + since + std::llround(static_cast<double>(since) * (m_rate - 1.0));
}

}  // namespace lanescope::profiler
