#include "engine/base/memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace lanescope {

std::uint64_t availableMemoryBytes() {
    std::uint64_t available = 0;
    std::ifstream meminfo("/proc/meminfo");
    for (std::string line; std::getline(meminfo, line);)
        if (line.starts_with("MemAvailable:"))
            available = std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
    std::uint64_t cap = 0;
    std::ifstream group("/sys/fs/cgroup/memory.max");
    if (group >> cap) available = available == 0 ? cap : std::min(available, cap);
    return available;
}

}  // namespace lanescope
