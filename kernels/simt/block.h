#pragma once
// One running block: its lanes, its scheduler, and the meeting places where lanes wait for each
// other. Lives on one OS thread. Not for kernels and not for tests: see emulator.h and launch.h.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/simt/banks.h"
#include "kernels/simt/emulator.h"
#include "kernels/simt/error.h"
#include "kernels/simt/fiber.h"
#include "kernels/simt/launch.h"
#include "kernels/simt/sanitizers.h"
#include "kernels/simt/shared_memory.h"

namespace lanescope::kernels::simt {

class Block;
struct Meeting;

/// What a lane brings to a warp collective. Lives on the lane's stack while it waits.
struct WarpCall {
    const char* name;  ///< of the primitive; the same pointer for the same primitive
    std::uint32_t mask;
    Site site;
    void (*combine)(const Meeting&);  ///< computes every lane's result
    const void* in = nullptr;
    void* out = nullptr;
    int bytes = 0;    ///< of in and out, where they vary
    int operand = 0;  ///< the lane's own
    int width = 32;   ///< the same for all
};

/// A complete collective: calls of the mask's lanes, null elsewhere.
struct Meeting {
    Block& block;
    std::uint32_t mask;
    std::array<const WarpCall*, 32> calls;
};

/// A copy that has been issued and not yet waited for.
struct AsyncCopy {
    unsigned char* to;
    const unsigned char* from;
    int bytes;
    int sourceBytes;
    std::int64_t group;  ///< -1: not committed
    std::array<unsigned char, 16> seen;
    Site site;
};

struct Lane : LaneIdentity {
    Block* owner = nullptr;
    Fiber fiber;
    const WarpCall* call = nullptr;
    std::vector<AsyncCopy> copies;
    std::int64_t groups = 0;  ///< committed so far
    std::uint64_t spins = 0;
};

class Block {
  public:
    struct Plan {
        const Shape& shape;
        const Options& options;
        void (*body)(void*);
        void* argument;
        void* doneTag;  ///< everything in the launch happens before what follows it
    };

    Block(const Plan& plan, Index3 index, SharedMemory& shared, std::span<Stack> stacks);
    /// Runs all lanes to their end. Throws Error.
    void run();
    /// Ends the lanes' fibres, after run() whether it threw or not.
    void retire();
    [[nodiscard]] const Stats& stats() const { return m_stats; }

    // What follows is called by lanes.

    static Lane& lane();
    static Block& current() { return *lane().owner; }
    /// Waits until all lanes of call.mask have brought the same call.
    void meet(WarpCall& call);
    int barrier(Barrier kind, bool predicate, const Site& site);
    void* sharedArray(const void* key, const char* name, std::size_t bytes, const Site& site);
    [[nodiscard]] void* identity() const { return m_identity; }
    SharedMemory& shared() { return m_shared; }
    [[nodiscard]] std::size_t dynamicSharedBytes() const { return m_plan.shape.dynamicSharedBytes; }
    BankCounter* banks() { return m_plan.options.countBanks ? &m_banks : nullptr; }
    Stats& counts() { return m_stats; }
    void noteAtomic(const Site& site);

    /// Ends the launch. `text` is called for the report; the lane is abandoned, so nothing that
    /// owns memory may live in the caller.
    template <class Text>
    [[noreturn]] void fail(ErrorKind kind, const Site& site, Text text) {
        failFor(lane(), kind, site, text);
    }
    template <class Text>
    [[noreturn]] void failFor(const Lane& who, ErrorKind kind, const Site& site, Text text) {
        char tag = 0;  // the text is of what the lane has on its stack
        happensBefore(&tag);
        {
            const AsScheduler asScheduler(m_identity);
            happensAfter(&tag);
            m_error.emplace(kind, text(), site, m_index, who.thread);
        }
        lane().fiber.leave();
    }
    /// "thread (3, 0, 0)" of a lane of this block.
    [[nodiscard]] std::string name(std::uint32_t laneIndex) const;

  private:
    /// A collective some of whose lanes have arrived.
    struct Pending {
        const WarpCall* first;
        std::uint32_t arrived;
        int tag;  ///< of the warp's two
    };
    struct Warp {
        std::uint32_t present = 0;
        std::uint32_t exited = 0;
        std::uint32_t atBarrier = 0;
        std::vector<Pending> pending;
        int generation = 0;
        std::array<char, 2> tags{};  ///< addresses that happens-before edges go through
    };
    struct BarrierState {
        std::uint32_t arrived = 0;
        std::uint32_t trueCount = 0;
        std::uint32_t result = 0;
        std::uint32_t first = 0;  ///< lane
        Barrier kind = Barrier::Plain;
        Site site;
        int generation = 0;
        std::array<char, 2> tags{};
    };

    static void enter(void* lane);
    void exitLane(Lane& lane);
    int choose();
    int nextReady(std::uint32_t from) const;
    void setReady(std::uint32_t lane) { m_ready[lane / 64] |= std::uint64_t{1} << (lane % 64); }
    void clearReady(std::uint32_t lane) {
        m_ready[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
    }
    /// Lets others run; the lane stays ready or not as it is.
    void suspend(Lane& lane);
    std::uint32_t random();
    void checkMask(const WarpCall& call, const Warp& warp, const Lane& lane);
    Pending& join(WarpCall& call, Warp& warp, const Lane& lane);
    void checkGuards(const Site* site);
    [[noreturn]] void reportDeadlock() const;

    const Plan& m_plan;
    Index3 m_index;
    SharedMemory& m_shared;
    std::uint32_t m_nLanes;
    std::unique_ptr<Lane[]> m_lanes;
    std::vector<Warp> m_warps;
    std::array<std::uint64_t, 16> m_ready{};
    std::uint32_t m_last = 0;
    std::uint32_t m_exited = 0;
    BarrierState m_barrier;
    BankCounter m_banks;
    Stats m_stats;
    std::uint64_t m_random;
    std::optional<Error> m_error;
    void* m_identity;
    char m_startTag = 0;
};

}  // namespace lanescope::kernels::simt
