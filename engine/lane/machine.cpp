// What machine a run was made on.

#include <sys/utsname.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <string>
#include <thread>

#include "engine/base/thread_pool.h"
#include "engine/lane/run.h"
#include "kernels/ops/dispatch.h"

namespace lanescope {

namespace {

/// "key : value" lines of /proc files.
bool splitLine(const std::string& line, std::string& key, std::string& value) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) return false;
    const auto trim = [](std::string s) {
        const auto first = s.find_first_not_of(" \t\"");
        if (first == std::string::npos) return std::string();
        return s.substr(first, s.find_last_not_of(" \t\"") - first + 1);
    };
    key = trim(line.substr(0, colon));
    value = trim(line.substr(colon + 1));
    return true;
}

struct CpuFacts {
    std::string name;
    std::int64_t cores = 0;
};

/// Name and physical cores; several sockets are told apart by their physical id.
CpuFacts readCpu() {
    CpuFacts facts;
    std::ifstream file("/proc/cpuinfo");
    std::set<std::string> cores;
    std::string line, key, value, socket;
    while (std::getline(file, line)) {
        if (!splitLine(line, key, value)) continue;
        if (key == "model name" && facts.name.empty()) facts.name = value;
        if (key == "physical id") socket = value;
        if (key == "core id") cores.insert(socket + "/" + value);
    }
    if (facts.name.empty()) facts.name = "unknown";
    facts.cores = static_cast<std::int64_t>(cores.size());
    return facts;
}

std::uint64_t memoryBytes() {
    std::ifstream file("/proc/meminfo");
    std::string line, key, value;
    while (std::getline(file, line)) {
        if (!splitLine(line, key, value) || key != "MemTotal") continue;
        return std::strtoull(value.c_str(), nullptr, 10) * 1024;
    }
    return 0;
}

std::string osName() {
    std::ifstream file("/etc/os-release");
    std::string line;
    while (std::getline(file, line)) {
        if (!line.starts_with("PRETTY_NAME=")) continue;
        std::string name = line.substr(12);
        if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
        return name;
    }
    return "unknown";
}

}  // namespace

nlohmann::ordered_json describeMachine() {
    const CpuFacts cpu = readCpu();
    const int threads = usableCpuCount();
    struct utsname names {};
    const bool named = ::uname(&names) == 0;
    nlohmann::ordered_json out;
    out["cpu"] = cpu.name;
    out["cores"] = cpu.cores > 0 ? cpu.cores : threads;
    out["threads"] = threads;
    out["isa"] = std::string(kernels::isaName(kernels::preferredIsa()));
    out["memoryBytes"] = memoryBytes();
    out["os"] = osName();
    out["kernel"] = named ? std::string(names.sysname) + " " + names.release : "unknown";
    return out;
}

}  // namespace lanescope
