#pragma once
// Runs a kernel over a grid on the CPU. A block's lanes are fibres on one OS thread; several
// threads take blocks from a counter. Read README.md for the rules that are checked.

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "kernels/simt/error.h"
#include "kernels/simt/lane.h"

namespace lanescope::kernels::simt {

/// Which lane goes on when one has to wait.
enum class Schedule : std::uint8_t {
    RoundRobin,  ///< the next one
    WarpSerial,  ///< a warp as far as it can go before the next warp
    Random,      ///< any, by Options::seed
};

struct Options {
    Schedule schedule = Schedule::RoundRobin;
    std::uint64_t seed = 1;  ///< of Random
    int workers = 0;         ///< OS threads; 0: as many as there are cores, at most 8
    bool countBanks = false;
    std::size_t maxSharedBytes = std::size_t{227} * 1024;  ///< a block's, static and dynamic
    std::uint64_t maxSpins = std::uint64_t{1} << 24;       ///< atomics of a lane between waits
};

/// Sums over all blocks of a launch.
struct Stats {
    std::uint64_t blocks = 0;
    std::uint64_t collectives = 0;  ///< of warps, tensor-core instructions included
    std::uint64_t barriers = 0;
    std::uint64_t mmas = 0;
    std::uint64_t asyncCopies = 0;
    std::uint64_t sharedBytes = 0;  ///< of the block that used most
    // With Options::countBanks: warp-wide accesses through loadShared, storeShared and ldmatrix,
    // and how many more turns of the banks than without conflicts they took.
    std::uint64_t sharedAccesses = 0;
    std::uint64_t bankConflicts = 0;

    Stats& operator+=(const Stats& other);
};

struct Shape {
    Dim3 grid;
    Dim3 block;
    std::size_t dynamicSharedBytes = 0;
};

/// Runs body(argument) as every lane of the grid. Throws Error.
Stats runGrid(const Shape& shape, const Options& options, void (*body)(void*), void* argument);

/// Runs kernel(args...) over the grid; arguments are converted as by kernel<<<…>>>(args...).
template <class... Params, class... Args>
Stats launch(const Shape& shape, const Options& options, void (*kernel)(Params...),
             Args&&... args) {
    const std::tuple<Params...> params(std::forward<Args>(args)...);
    auto body = [&params, kernel] { std::apply(kernel, params); };
    return runGrid(
        shape, options, [](void* self) { (*static_cast<decltype(body)*>(self))(); }, &body);
}

/// The options of launches that code under test makes on this thread while the object lives
/// (kernels/cuda/launch.h asks for them), and what those launches did.
class ScopedOptions {
  public:
    explicit ScopedOptions(const Options& options);
    ~ScopedOptions();
    ScopedOptions(const ScopedOptions&) = delete;
    ScopedOptions& operator=(const ScopedOptions&) = delete;

    [[nodiscard]] static Options current();
    static void note(const Stats& stats);
    [[nodiscard]] const Stats& stats() const { return m_stats; }

  private:
    Options m_options;
    Stats m_stats;
    ScopedOptions* m_outer;
};

}  // namespace lanescope::kernels::simt
