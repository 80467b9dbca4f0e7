// Runs a fuzz target without libFuzzer: every seed, then seeds with a few bytes changed, until the
// time is over. So the seeds are tests of every build, whatever compiler made it.
// Usage: TARGET [SECONDS] SEED_FILE_OR_FOLDER…; LANESCOPE_FUZZ_SECONDS overrides SECONDS.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr double kMaxInputSeconds = 1.0;  // of processor time
constexpr std::size_t kMaxInputBytes = 128 * 1024;
constexpr long kMaxRssKiB = 2048L * 1024;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSlowdown = 10.0;
#else
constexpr double kSlowdown = 1.0;
#endif

double cpuSeconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::vector<std::string> readSeeds(int argc, char** argv) {
    std::vector<std::filesystem::path> files;
    for (int i = 2; i < argc; ++i) {
        if (std::filesystem::is_directory(argv[i])) {
            for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
                if (entry.is_regular_file()) files.push_back(entry.path());
            }
        } else {
            files.emplace_back(argv[i]);
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> seeds;
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        if (bytes.size() <= kMaxInputBytes) seeds.push_back(std::move(bytes));
    }
    return seeds;
}

const std::string* gRunning = nullptr;

/// Leaves the input that crashed behind, then lets the signal do its work.
void keepInput(int signal) {
    if (gRunning != nullptr) {
        const int file = ::open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (file >= 0 && ::write(file, gRunning->data(), gRunning->size()) >= 0) ::close(file);
        static constexpr char kMessage[] = "the input is in ./crash-input\n";
        if (::write(2, kMessage, sizeof kMessage - 1) < 0) _exit(1);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Runs one input; false if it took too long.
bool runOne(const std::string& input, const char* target) {
    const double before = cpuSeconds();
    gRunning = &input;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    const double seconds = cpuSeconds() - before;
    if (seconds < kMaxInputSeconds * kSlowdown) return true;
    const std::string name = std::filesystem::path(target).filename().string() + ".slow-input";
    std::ofstream(name, std::ios::binary) << input;
    std::fprintf(stderr, "%s: an input of %zu bytes took %.2f s; it is in %s\n", target,
                 input.size(), seconds, name.c_str());
    return false;
}

/// A few changes of the kinds that find faults in parsers.
std::string mutated(const std::vector<std::string>& seeds, std::mt19937& random) {
    std::string input = seeds[random() % seeds.size()];
    const std::size_t nChanges = 1 + random() % 4;
    for (std::size_t i = 0; i < nChanges && !input.empty(); ++i) {
        const std::size_t at = random() % input.size();
        static constexpr std::uint8_t kBytes[] = {0x00, 0x01, 0x7F, 0x80, 0xFF, '"', '{', '[', ' '};
        switch (random() % 7) {
            case 0:
                input[at] = static_cast<char>(random());
                break;
            case 1:
                input[at] = static_cast<char>(kBytes[random() % sizeof kBytes]);
                break;
            case 2:
                input[at] = static_cast<char>(input[at] ^ (1 << (random() % 8)));
                break;
            case 3:
                input.erase(at, 1 + random() % 16);
                break;
            case 4:
                input.insert(at, input.substr(random() % input.size(), 1 + random() % 32));
                break;
            case 5:
                input.resize(at);
                break;
            default: {
                const std::string& other = seeds[random() % seeds.size()];
                if (other.empty()) break;
                input.replace(at, random() % 16, other.substr(random() % other.size(), 64));
                break;
            }
        }
    }
    if (input.size() > kMaxInputBytes) input.resize(kMaxInputBytes);
    return input;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s SECONDS SEED…\n", argv[0]);
        return 2;
    }
    const char* wanted = std::getenv("LANESCOPE_FUZZ_SECONDS");
    const double seconds = std::atof(wanted != nullptr ? wanted : argv[1]);
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL}) {
        std::signal(signal, keepInput);
    }
    const auto seeds = readSeeds(argc, argv);
    if (seeds.empty()) {
        std::fprintf(stderr, "%s: no seeds of at most %zu bytes\n", argv[0], kMaxInputBytes);
        return 2;
    }
    bool good = true;
    for (const std::string& seed : seeds) good = runOne(seed, argv[0]) && good;
    std::mt19937 random(20260101);
    std::size_t nRuns = seeds.size();
    const auto start = std::chrono::steady_clock::now();
    while (good &&
           std::chrono::steady_clock::now() - start < std::chrono::duration<double>(seconds)) {
        good = runOne(mutated(seeds, random), argv[0]);
        ++nRuns;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%zu seeds, %zu runs, at most %ld MiB\n", seeds.size(), nRuns,
                usage.ru_maxrss / 1024);
    if (usage.ru_maxrss > kMaxRssKiB && kSlowdown == 1.0) {
        std::fprintf(stderr, "%s: used more than %ld MiB\n", argv[0], kMaxRssKiB / 1024);
        good = false;
    }
    return good ? 0 : 1;
}
