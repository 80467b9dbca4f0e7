#include "engine/base/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace lanescope {

std::string formatNumber(double value, int decimals) {
    if (!std::isfinite(value)) return "n/a";
    std::array<char, 400> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::fixed, decimals);
    return {buffer.data(), end.ptr};
}

double roundStep(double rough) {
    if (!(rough > 0.0) || !std::isfinite(rough)) return 1.0;
    const double power = std::pow(10.0, std::floor(std::log10(std::max(rough, 1e-300))));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (power * factor >= rough * (1.0 - 1e-9)) return power * factor;
    }
    return power * 10.0;
}

std::string formatBytes(std::uint64_t bytes) {
    static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) return std::to_string(bytes) + " B";
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < kUnits.size()) {
        value /= 1024.0;
        ++unit;
    }
    return formatNumber(value, value < 100.0 ? 1 : 0) + " " + kUnits[unit];
}

}  // namespace lanescope
