#pragma once
// Axis ticks at 1, 2 or 5 times a power of ten, with labels that just tell them apart. Pure; the
// app's charts may use it too.

#include <string>
#include <vector>

namespace lanescope::profiler {

struct Axis {
    double low = 0.0, high = 1.0;  ///< first and last tick; low < high
    double step = 1.0;
    std::vector<double> ticks;
    std::vector<std::string> labels;
};

/// An axis that covers [low, high] with at most maxTicks steps. Non-finite or empty ranges give
/// [0, 1]. integersOnly: no step below 1.
Axis niceAxis(double low, double high, int maxTicks, bool integersOnly = false);

}  // namespace lanescope::profiler
