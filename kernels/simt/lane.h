#pragma once
// What a running lane (one thread of a kernel) knows of itself: the part of the emulator that the
// device language reads directly. Everything else goes through emulator.h.

#include <cstdint>
#include <source_location>

namespace lanescope::kernels::simt {

/// Extents of a grid or a block.
struct Dim3 {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;

    [[nodiscard]] constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// Place of a block in its grid, or of a thread in its block.
struct Index3 {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;

    friend constexpr bool operator==(const Index3&, const Index3&) = default;
};

/// Where in the kernel's source something happens; reports name it.
using Site = std::source_location;

/// Read by the language's threadX(), blockX() … .
struct LaneIdentity {
    Index3 thread;
    Index3 block;
    Dim3 blockDim;
    Dim3 gridDim;
    std::uint32_t index = 0;  ///< of the thread in its block, x fastest
};

/// The lane that runs on this OS thread; null outside a launch. Fibres never change their OS
/// thread, so a compiler may keep its address.
extern constinit thread_local const LaneIdentity* currentLane;

}  // namespace lanescope::kernels::simt
