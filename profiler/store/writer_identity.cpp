#include "profiler/store/writer_identity.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <vector>

namespace lanescope::profiler {

namespace {

std::string firstLine(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
}

/// Field 22 of /proc/PID/stat, ticks since boot; empty when there is no such process.
std::string startTime(const std::string& pid) {
    const std::string line = firstLine("/proc/" + pid + "/stat");
    const auto nameEnd = line.rfind(')');  // the name may hold spaces and brackets
    if (nameEnd == std::string::npos) return {};
    std::istringstream rest(line.substr(nameEnd + 1));
    std::string state, field;
    rest >> state;
    if (state == "Z" || state == "X") return {};  // ended, not yet collected by its parent
    for (int i = 4; i <= 22; ++i) rest >> field;
    return field;
}

std::string scope() {
    char name[64] = {};
    const ssize_t n = ::readlink("/proc/self/ns/pid", name, sizeof name - 1);
    std::string space = n > 0 ? std::string(name, static_cast<std::size_t>(n)) : "?";
    for (char& c : space) {
        if (c == ':') c = '=';
    }
    return firstLine("/proc/sys/kernel/random/boot_id") + ":" + space;
}

}  // namespace

std::string writerIdentity() {
    const std::string pid = std::to_string(::getpid());
    return scope() + ":" + pid + ":" + startTime(pid);
}

WriterState writerState(const std::string& identity) {
    std::vector<std::string> parts;
    std::istringstream in(identity);
    for (std::string part; std::getline(in, part, ':');) parts.push_back(part);
    if (parts.size() != 4) return WriterState::Dead;
    for (const char c : parts[2]) {
        if (c < '0' || c > '9') return WriterState::Dead;
    }
    if (parts[0] + ":" + parts[1] != scope()) return WriterState::Unknown;
    return startTime(parts[2]) == parts[3] ? WriterState::Alive : WriterState::Dead;
}

}  // namespace lanescope::profiler
