#pragma once
// Measures that the timeline's painting, layout and input share.

namespace lanescope::app {

inline constexpr double kTimelineRuler = 24.0;
inline constexpr double kTimelineTop = kTimelineRuler + 4.0;  ///< of the first line
inline constexpr double kTimelineLabelWidth = 120.0;

}  // namespace lanescope::app
