// Sharing a grid's blocks out to OS threads.

#include "kernels/simt/launch.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/simt/block.h"

namespace lanescope::kernels::simt {
namespace {

constinit thread_local ScopedOptions* t_options = nullptr;

[[noreturn]] void refuse(const std::string& text) {
    throw Error(ErrorKind::BadLaunch, text, Site::current(), {}, {});
}

std::string toString(Dim3 extent) {
    return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " +
           std::to_string(extent.z);
}

void check(const Shape& shape, const Options& options) {
    const Dim3 grid = shape.grid;
    const Dim3 block = shape.block;
    if (grid.count() == 0 || grid.x > 0x7FFFFFFFU || grid.y > 65535 || grid.z > 65535)
        refuse("a grid of " + toString(grid) +
               " blocks; a device takes 1 to 2147483647 x 65535 x 65535");
    if (block.count() == 0 || block.count() > 1024 || block.z > 64)
        refuse("a block of " + toString(block) +
               " threads; a device takes 1 to 1024 of them, z up to 64");
    if (shape.dynamicSharedBytes > options.maxSharedBytes)
        refuse("a block with " + std::to_string(shape.dynamicSharedBytes) +
               " bytes of dynamic shared memory, the device has " +
               std::to_string(options.maxSharedBytes));
}

/// What the threads of one launch share.
struct Work {
    const Block::Plan& plan;
    std::atomic<std::uint64_t> next = 0;
    std::atomic<bool> failed = false;
    std::mutex mutex;
    std::exception_ptr error;
    std::uint64_t errorBlock = ~std::uint64_t{0};
    Stats stats;
    // ThreadSanitizer: memory that lanes used must not be used again before all is done.
    struct Used {
        std::unique_ptr<SharedMemory> memory;
        std::unique_ptr<Block> block;
    };
    std::vector<Used> used;
};

void work(Work& shared) {
    const Dim3 grid = shared.plan.shape.grid;
    const auto nLanes = static_cast<int>(shared.plan.shape.block.count());
    auto stacks = borrowStacks(nLanes);
    Stats stats;
    while (!shared.failed) {
        const std::uint64_t i = shared.next.fetch_add(1);
        if (i >= grid.count()) break;
        const auto x = static_cast<std::uint32_t>(i % grid.x);
        const auto y = static_cast<std::uint32_t>(i / grid.x % grid.y);
        const auto z = static_cast<std::uint32_t>(i / grid.x / grid.y);
        auto memory = std::make_unique<SharedMemory>();
        auto block =
            std::make_unique<Block>(shared.plan, Index3{x, y, z}, *memory, stacks->take(nLanes));
        try {
            block->run();
            stats += block->stats();
        } catch (...) {
            const std::lock_guard lock(shared.mutex);
            shared.failed = true;
            if (i < shared.errorBlock) {
                shared.errorBlock = i;
                shared.error = std::current_exception();
            }
        }
        block->retire();
        if (kThreadSanitizer) {
            const std::lock_guard lock(shared.mutex);
            shared.used.push_back({std::move(memory), std::move(block)});
        }
    }
    returnStacks(std::move(stacks));
    const std::lock_guard lock(shared.mutex);
    shared.stats += stats;
}

}  // namespace

Stats& Stats::operator+=(const Stats& other) {
    blocks += other.blocks;
    collectives += other.collectives;
    barriers += other.barriers;
    mmas += other.mmas;
    asyncCopies += other.asyncCopies;
    sharedBytes = std::max(sharedBytes, other.sharedBytes);
    sharedAccesses += other.sharedAccesses;
    bankConflicts += other.bankConflicts;
    return *this;
}

Stats runGrid(const Shape& shape, const Options& options, void (*body)(void*), void* argument) {
    check(shape, options);
    char doneTag = 0;
    const Block::Plan plan{shape, options, body, argument, &doneTag};
    Work shared{plan, {}, {}, {}, {}, ~std::uint64_t{0}, {}, {}};
    std::uint64_t workers = options.workers > 0
                                ? static_cast<std::uint64_t>(options.workers)
                                : std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
    workers = std::min(workers, shape.grid.count());
    if (kThreadSanitizer) workers = std::min<std::uint64_t>(workers, 4);  // it has 8000 threads
    std::vector<std::thread> threads;
    for (std::uint64_t i = 1; i < workers; ++i) threads.emplace_back(work, std::ref(shared));
    work(shared);
    for (std::thread& thread : threads) thread.join();
    happensAfter(&doneTag);
    if (shared.error) std::rethrow_exception(shared.error);
    return shared.stats;
}

ScopedOptions::ScopedOptions(const Options& options) : m_options(options), m_outer(t_options) {
    t_options = this;
}

ScopedOptions::~ScopedOptions() {
    t_options = m_outer;
}

Options ScopedOptions::current() {
    return t_options != nullptr ? t_options->m_options : Options{};
}

void ScopedOptions::note(const Stats& stats) {
    if (t_options != nullptr) t_options->m_stats += stats;
}

}  // namespace lanescope::kernels::simt
