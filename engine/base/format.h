#pragma once
// Numbers as people read them, for messages. Locale-independent.

#include <cstdint>
#include <string>

namespace lanescope {

/// 1536 → "1.5 KiB"; binary units up to TiB; whole bytes below 1 KiB.
std::string formatBytes(std::uint64_t bytes);

/// Fixed decimals with '.', whatever the locale: formatNumber(3.14159, 2) → "3.14"; NaN → "n/a".
std::string formatNumber(double value, int decimals);

/// The smallest of 1, 2 or 5 times a power of ten that is at least `rough`: the step between the
/// ticks of an axis. 1 where rough is not positive and finite.
double roundStep(double rough);

}  // namespace lanescope
