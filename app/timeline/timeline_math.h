#pragma once
// The timeline's arithmetic as pure functions: visible range, zoom, pan, ruler ticks. No widgets
// here. Read next: tracks.h.

#include <cstdint>
#include <vector>

namespace lanescope::app {

/// A stretch of time in ns, relative to the run's start. Empty when end <= start.
struct TimeRange {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    [[nodiscard]] std::int64_t length() const { return endNs - startNs; }
    bool operator==(const TimeRange&) const = default;
};

inline constexpr std::int64_t kMinVisibleNs = 200;  ///< nothing the engine records is shorter

/// Scales the range by factor (< 1 zooms in) around anchorNs, kept inside full and not shorter than
/// kMinVisibleNs.
TimeRange zoomed(TimeRange visible, double factor, std::int64_t anchorNs, TimeRange full);
/// Moves the range by deltaNs, kept inside full with its length unchanged.
TimeRange panned(TimeRange visible, std::int64_t deltaNs, TimeRange full);
/// x position in pixels of a time, for a view of width pixels; clamped to a safe range for
/// painting.
double timeToX(std::int64_t tNs, TimeRange visible, double width);
std::int64_t xToTime(double x, TimeRange visible, double width);

/// Ruler: tick positions at 1, 2 or 5 times a power of ten, at least minPixels apart.
std::vector<std::int64_t> rulerTicks(TimeRange visible, double width, double minPixels = 90.0);

}  // namespace lanescope::app
