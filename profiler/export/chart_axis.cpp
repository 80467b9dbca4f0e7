#include "profiler/export/chart_axis.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/base/format.h"

namespace lanescope::profiler {

namespace {

std::string tickLabel(double value, double step) {
    if (std::abs(value) < step * 1e-9) return "0";
    if (std::abs(value) >= 1e7 || step < 1e-4) {
        std::array<char, 64> buffer{};
        const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       std::chars_format::general, 4);
        return {buffer.data(), end.ptr};
    }
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    return formatNumber(value, decimals);
}

}  // namespace

Axis niceAxis(double low, double high, int maxTicks, bool integersOnly) {
    constexpr double kLimit = 1e300;  // so that no difference overflows
    Axis axis;
    if (!std::isfinite(low) || !std::isfinite(high)) low = 0.0, high = 1.0;
    low = std::clamp(low, -kLimit, kLimit);
    high = std::clamp(high, -kLimit, kLimit);
    if (high < low) std::swap(low, high);
    const double size = std::max(std::abs(low), std::abs(high));
    if (high - low <= size * 1e-12) {  // one value: some room around it
        const double room = size > 0.0 ? size * 0.5 : 1.0;
        if (low > 0.0) {
            low = 0.0;
            high += room;
        } else {
            low -= size > 0.0 ? room : 0.0;
            high += room;
        }
    }
    maxTicks = std::max(1, maxTicks);
    double step = roundStep((high - low) / maxTicks);
    if (integersOnly) step = std::max(1.0, step);
    const double first = std::floor(low / step + 1e-9);
    const double last = std::max(first + 1.0, std::ceil(high / step - 1e-9));
    axis.step = step;
    axis.low = first * step;
    axis.high = last * step;
    for (double k = first; k <= last; k += 1.0) {
        axis.ticks.push_back(k * step);
        axis.labels.push_back(tickLabel(k * step, step));
    }
    return axis;
}

}  // namespace lanescope::profiler
