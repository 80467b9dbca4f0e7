#pragma once
// What to paint of a row at a zoom: pixels, however many items there are. Pure.

#include <cstdint>
#include <vector>

#include "app/timeline/tracks.h"

namespace lanescope::app {

/// A rectangle to paint: one item, or several that begin within one pixel.
struct Bar {
    double x = 0.0;
    double width = 0.0;
    std::size_t first = 0;   ///< position in the row
    std::size_t count = 1;   ///< > 1: merged
    std::uint32_t item = 0;  ///< the longest in it
    float fill = 1.0F;       ///< part of the rectangle's time in which something runs
};

/// Bars between two x (pixels) of a view that shows `visible` on `width` pixels. At most two a
/// pixel.
std::vector<Bar> visibleBars(const IntervalIndex& row, const Items& items, TimeRange visible,
                             double width, double xFrom, double xTo);
std::vector<Bar> visibleBars(const IntervalIndex& row, const Items& items, TimeRange visible,
                             double width);

/// Position of the item at a time, or failing that of one within `slackNs`; size() if none.
std::size_t itemAt(const IntervalIndex& row, const Items& items, std::int64_t tNs,
                   std::int64_t slackNs);

}  // namespace lanescope::app
