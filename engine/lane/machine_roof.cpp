#include "engine/lane/machine_roof.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "engine/base/mapped_file.h"
#include "engine/base/memory.h"
#include "engine/base/thread_pool.h"
#include "engine/lane/run.h"
#include "kernels/ops/dispatch.h"

namespace lanescope {

namespace {

// Shorter than a time slice, so that on a busy machine some bursts have the cores to themselves.
constexpr std::int64_t kBurstNs = 1'000'000;
constexpr int kBursts = 100;

/// Anonymous memory that is really there.
class Buffer {
  public:
    explicit Buffer(std::size_t bytes) : m_bytes(bytes) {
        void* data =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (data == MAP_FAILED) return;
        ::madvise(data, bytes, MADV_HUGEPAGE);
        m_data = static_cast<std::byte*>(data);
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (m_data != nullptr) ::munmap(m_data, m_bytes);
    }
    [[nodiscard]] std::byte* data() const { return m_data; }

  private:
    std::byte* m_data = nullptr;
    std::size_t m_bytes;
};

struct ArithmeticRoof {
    double alone = 0.0;     ///< one thread
    double together = 0.0;  ///< all
};

ArithmeticRoof arithmeticRoof(const kernels::OpTable& ops, ThreadPool& pool, kernels::Burst kind) {
    ArithmeticRoof roof;
    if (ops.burst(kind, 1) == 0) return roof;
    std::uint64_t rounds = 1024;
    for (std::int64_t took = 0; took < kBurstNs / 2; rounds *= 2) {
        const std::int64_t start = nowNs();
        ops.burst(kind, rounds);
        took = nowNs() - start;
    }
    std::vector<std::uint64_t> done(static_cast<std::size_t>(pool.size()));
    for (int i = 0; i < kBursts; ++i) {
        std::int64_t start = nowNs();
        const auto one = static_cast<double>(ops.burst(kind, rounds));
        roof.alone = std::max(roof.alone, one / static_cast<double>(nowNs() - start));
        std::fill(done.begin(), done.end(), 0);
        start = nowNs();
        pool.run([&](int index, int) {
            done[static_cast<std::size_t>(index)] = ops.burst(kind, rounds);
        });
        const auto ns = static_cast<double>(nowNs() - start);
        double sum = 0.0;
        for (const std::uint64_t n : done) sum += static_cast<double>(n);
        roof.together = std::max(roof.together, sum / ns);
    }
    return roof;
}

/// What a core can have cached at most; of a virtual machine this may be the whole host's cache. 0:
/// unknown.
std::size_t lastLevelCacheBytes() {
    const long bytes = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

double readRoof(const kernels::OpTable& ops, ThreadPool& pool) {
    constexpr std::size_t kPiece = std::size_t{8} << 20;
    constexpr std::size_t kPieces = 12;  // a thread's, read in turn: none stays in a cache
    constexpr std::size_t kFewestPieces = 3;
    const auto nThreads = static_cast<std::size_t>(pool.size());
    const std::size_t wanted = std::max(kPieces, 4 * lastLevelCacheBytes() / (kPiece * nThreads));
    const std::uint64_t mayUse = availableMemoryBytes() / 4;
    const std::size_t pieces =
        mayUse == 0 ? wanted : std::min<std::size_t>(wanted, mayUse / (kPiece * nThreads));
    if (pieces < kFewestPieces) return 0.0;
    const Buffer buffer(kPiece * pieces * nThreads);
    if (buffer.data() == nullptr) return 0.0;
    const auto pieceOf = [&](int index, std::size_t piece) {
        return buffer.data() + kPiece * (pieces * static_cast<std::size_t>(index) + piece);
    };
    std::fill_n(buffer.data(), kPiece * pieces * nThreads, std::byte{1});
    double best = 0.0;
    for (std::size_t i = 0; i < std::max(6 * kPieces, pieces); ++i) {
        std::vector<std::uint64_t> read(nThreads, 0);
        const std::int64_t start = nowNs();
        pool.run([&](int index, int) {
            read[static_cast<std::size_t>(index)] =
                ops.readBurst(pieceOf(index, i % pieces), kPiece);
        });
        const auto ns = static_cast<double>(nowNs() - start);
        double sum = 0.0;
        for (const std::uint64_t n : read) sum += static_cast<double>(n);
        best = std::max(best, sum / ns);
    }
    return best;
}

std::string cachePath() {
    return cacheFolder() + "/machine.json";
}

/// What a measurement is good for: the same processor, kernels and threads.
std::string keyOf(int threads, const std::string& isa) {
    const nlohmann::ordered_json machine = describeMachine();
    return machine.value("cpu", std::string("unknown")) + ", " + isa + ", " +
           std::to_string(threads) + " threads";
}

nlohmann::json readCache() {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    auto text = readTextFile(cachePath(), kMostBytes);
    if (!text) return nlohmann::json::object();
    auto parsed = parseJson(*text, cachePath());
    return parsed && parsed->is_object() ? *std::move(parsed) : nlohmann::json::object();
}

double numberOf(const nlohmann::json& entry, const char* key) {
    const auto at = entry.find(key);
    return at != entry.end() && at->is_number() ? at->get<double>() : 0.0;
}

void keep(const MachineRoof& roof) {
    nlohmann::json cache = readCache();
    cache[keyOf(roof.threads, roof.isa)] = {{"readGBps", roof.readGBps},
                                            {"int8Gops", roof.int8Gops},
                                            {"fp32Gflops", roof.fp32Gflops},
                                            {"int8GopsAlone", roof.int8GopsAlone},
                                            {"fp32GflopsAlone", roof.fp32GflopsAlone},
                                            {"bf16Gflops", roof.bf16Gflops},
                                            {"bf16GflopsAlone", roof.bf16GflopsAlone}};
    std::error_code ignored;
    std::filesystem::create_directories(cacheFolder(), ignored);
    static_cast<void>(writeFileAtomically(cachePath(), dumpJson(cache, 1)).ok());
}

}  // namespace

MachineRoof measureRoof(int threads) {
    const kernels::OpTable& ops = kernels::opTable(kernels::preferredIsa());
    ThreadPool pool(threads);
    MachineRoof roof;
    roof.threads = pool.size();
    roof.isa = std::string(kernels::isaName(ops.isa));
    roof.readGBps = readRoof(ops, pool);
    const ArithmeticRoof int8 = arithmeticRoof(ops, pool, kernels::Burst::Int8);
    const ArithmeticRoof fp32 = arithmeticRoof(ops, pool, kernels::Burst::Fp32);
    // What one thread does alone, all can: "together" may be less on a machine that is busy.
    roof.int8Gops = std::max(int8.together, int8.alone);
    roof.int8GopsAlone = int8.alone;
    roof.fp32Gflops = std::max(fp32.together, fp32.alone);
    roof.fp32GflopsAlone = fp32.alone;
    const ArithmeticRoof bf16 = arithmeticRoof(ops, pool, kernels::Burst::Bf16);
    roof.bf16Gflops = std::max(bf16.together, bf16.alone);
    roof.bf16GflopsAlone = bf16.alone;
    keep(roof);
    return roof;
}

std::optional<MachineRoof> cachedRoof(int threads) {
    MachineRoof roof;
    roof.threads = threads > 0 ? threads : usableCpuCount();
    roof.isa = std::string(kernels::isaName(kernels::preferredIsa()));
    const nlohmann::json cache = readCache();
    const auto at = cache.find(keyOf(roof.threads, roof.isa));
    // Without bf16 it is of a version whose bursts waited for memory: too low.
    if (at == cache.end() || !at->is_object() || !at->contains("bf16Gflops")) return {};
    roof.readGBps = numberOf(*at, "readGBps");
    roof.int8Gops = numberOf(*at, "int8Gops");
    roof.fp32Gflops = numberOf(*at, "fp32Gflops");
    roof.int8GopsAlone = numberOf(*at, "int8GopsAlone");
    roof.fp32GflopsAlone = numberOf(*at, "fp32GflopsAlone");
    roof.bf16Gflops = numberOf(*at, "bf16Gflops");
    roof.bf16GflopsAlone = numberOf(*at, "bf16GflopsAlone");
    if (!roof.known()) return {};
    return roof;
}

MachineRoof machineRoof(int threads) {
    if (threads <= 0) threads = usableCpuCount();
    const auto cached = cachedRoof(threads);
    return cached ? *cached : measureRoof(threads);
}

nlohmann::ordered_json roofToJson(const MachineRoof& roof) {
    nlohmann::ordered_json out{{"threads", roof.threads},
                               {"isa", roof.isa},
                               {"readGBps", roof.readGBps},
                               {"int8Gops", roof.int8Gops},
                               {"fp32Gflops", roof.fp32Gflops}};
    if (roof.bf16Gflops > 0) out["bf16Gflops"] = roof.bf16Gflops;
    return out;
}

}  // namespace lanescope
