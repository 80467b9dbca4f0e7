#pragma once
// The one clock of all measurements: monotonic nanoseconds. Wall time is only for "when was this
// run made".

#include <chrono>
#include <cstdint>

namespace lanescope {

/// Monotonic time in ns; only differences mean anything.
inline std::int64_t nowNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Milliseconds since the Unix epoch.
inline std::int64_t unixTimeMs() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace lanescope
