#include "engine/base/processors.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

namespace lanescope {

int usableCpuCount() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::vector<int> usableProcessors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return {};
    std::vector<int> first;
    std::vector<int> siblings;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &set)) continue;
        std::ifstream list("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                           "/topology/thread_siblings_list");
        int lowest = cpu;  // "0,8" or "0-1": the first number is enough
        list >> lowest;
        const bool taken =
            lowest != cpu && lowest >= 0 && lowest < CPU_SETSIZE && CPU_ISSET(lowest, &set);
        (taken ? siblings : first).push_back(cpu);
    }
    first.insert(first.end(), siblings.begin(), siblings.end());
    return first;
}

void becomeBackgroundThread(const char* name) {
    constexpr int kNice = 10;  // a tenth of the weight of a usual thread
    pthread_setname_np(pthread_self(), name);
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

}  // namespace lanescope
