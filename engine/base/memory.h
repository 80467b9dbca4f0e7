#pragma once
// What the machine can still give.

#include <cstdint>

namespace lanescope {

/// Bytes free without swapping: MemAvailable, or the control group's limit if that is less; 0 where
/// the system does not tell.
std::uint64_t availableMemoryBytes();

}  // namespace lanescope
