#pragma once
// Theoretical occupancy of a kernel: how many warps of an SM its registers, shared memory and block
// size leave room for. The rules of the CUDA C++ Programming Guide, "Hardware Multithreading" and
// the table of technical specifications; tested against cuda_occupancy.h where that is installed.

#include <algorithm>
#include <cstdint>

#include "profiler/store/device_activity.h"

namespace lanescope::profiler::cupti {

/// What one multiprocessor has.
struct SmLimits {
    std::int32_t computeMajor = 0;
    std::int32_t maxWarps = 0;
    std::int32_t maxBlocks = 0;
    std::int32_t maxRegisters = 0;
    std::int32_t maxSharedBytes = 0;
};

/// Resident warps over possible warps, 0 to 1; 0 where the limits or the launch do not say.
inline float theoreticalOccupancy(const SmLimits& sm, const DeviceActivity& kernel) {
    constexpr std::int64_t kWarp = 32, kRegisterUnit = 256, kSubPartitions = 4;
    std::int64_t threads = 1;
    for (const std::int32_t n : kernel.block) {
        if (n < 1 || n > 1024) return 0.0F;
        threads *= n;
    }
    if (sm.maxWarps <= 0 || sm.maxBlocks <= 0 || threads > 1024) return 0.0F;
    auto roundUp = [](std::int64_t v, std::int64_t unit) { return (v + unit - 1) / unit * unit; };
    const std::int64_t warps = roundUp(threads, kWarp) / kWarp;
    std::int64_t blocks = std::min<std::int64_t>(sm.maxBlocks, sm.maxWarps / warps);
    if (kernel.registersPerThread > 0 && sm.maxRegisters > 0) {
        // Registers are given out by warp, and a warp lives in one of the four partitions.
        const std::int64_t perWarp = roundUp(kernel.registersPerThread * kWarp, kRegisterUnit);
        const std::int64_t fit = sm.maxRegisters / kSubPartitions / perWarp * kSubPartitions;
        blocks = std::min(blocks, fit / warps);
    }
    std::int64_t shared = std::int64_t{kernel.staticSharedBytes} + kernel.dynamicSharedBytes;
    if (sm.computeMajor >= 8) shared += 1024;  // kept by the system for each block
    if (shared > 0 && sm.maxSharedBytes > 0) {
        shared = roundUp(shared, sm.computeMajor >= 8 ? 128 : 256);
        blocks = std::min<std::int64_t>(blocks, sm.maxSharedBytes / shared);
    }
    const double share = static_cast<double>(blocks * warps) / static_cast<double>(sm.maxWarps);
    return static_cast<float>(std::clamp(share, 0.0, 1.0));
}

}  // namespace lanescope::profiler::cupti
