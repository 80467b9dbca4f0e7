#pragma once
// What is known of a GPU before anything runs on it.

#include <cstdint>
#include <string>

namespace lanescope {

struct GpuInfo {
    std::string name;  ///< "NVIDIA H200"
    std::string uuid;  ///< "GPU-…": the same in every library of the driver; empty: not known
    int index = 0;     ///< as the driver counts
    int capabilityMajor = 0;
    int capabilityMinor = 0;
    int multiprocessors = 0;
    std::uint64_t totalBytes = 0;
    double copyGBps = 0.0;  ///< measured inside the device, read plus written; 0: not measured
};

}  // namespace lanescope
