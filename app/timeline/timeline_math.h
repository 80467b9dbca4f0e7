#pragma once
// The timeline's arithmetic as pure functions: visible range, zoom, pan, level of detail, hit
// testing, ruler ticks. No widgets here; timeline_view.h paints what these return.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/trace/events.h"

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

/// One row of the timeline: phases (prefill, decode steps) or ops of one lane.
struct Track {
    std::int16_t lane = -1;
    bool phases = false;
    std::vector<trace::Span> spans;    ///< by start time, not overlapping within the track
    std::vector<std::int64_t> endsNs;  ///< spans[i].tEndNs, for searching
};

/// Two tracks a lane, lanes ascending: phases, then ops. Spans without a lane (-1) come under lane
/// -1.
std::vector<Track> buildTracks(std::span<const trace::Span> spans);
/// Adds spans that start no earlier than what is there, as a growing run delivers them; false if
/// one does not (rebuild then).
bool appendSpan(std::vector<Track>& tracks, const trace::Span& span);
/// From the first start to the last end; {0, 1} when empty.
TimeRange fullRange(std::span<const Track> tracks);

/// A rectangle to paint: one span, or several too short to tell apart at this zoom.
struct Bar {
    double x = 0.0;
    double width = 0.0;
    std::int32_t first = 0;  ///< index in the track
    std::int32_t count = 1;  ///< > 1: merged
    trace::Op op{};          ///< of the longest span in it
};
/// Bars for the visible part. At most about two a pixel, whatever the number of spans: spans
/// narrower than a pixel that share a pixel are merged, so painting cost depends on the width only.
std::vector<Bar> visibleBars(const Track& track, TimeRange visible, double width);
/// Index of the span at a time, or -1.
std::int32_t spanAt(const Track& track, std::int64_t tNs);

/// Ruler: tick positions at 1, 2 or 5 times a power of ten, at least minPixels apart.
std::vector<std::int64_t> rulerTicks(TimeRange visible, double width, double minPixels = 90.0);

}  // namespace lanescope::app
