// The scheduler of a block, and the barrier of all its lanes. Warps: warp.cpp.

#include "kernels/simt/block.h"

#include <bit>

namespace lanescope::kernels::simt {

constinit thread_local const LaneIdentity* currentLane = nullptr;

Lane& Block::lane() {
    // Lanes are made by Block only, and never const.
    return const_cast<Lane&>(static_cast<const Lane&>(*currentLane));
}

Block::Block(const Plan& plan, Index3 index, SharedMemory& shared, std::span<Stack> stacks)
    : m_plan(plan),
      m_index(index),
      m_shared(shared),
      m_nLanes(static_cast<std::uint32_t>(plan.shape.block.count())),
      m_lanes(std::make_unique<Lane[]>(m_nLanes)),
      m_warps((m_nLanes + 31) / 32),
      m_last(m_nLanes - 1),
      m_random(plan.options.seed * 0x9E3779B97F4A7C15ULL + index.x * 0xD1B54A32D192ED03ULL +
               index.y * 0x8CB92BA72F3D8DD7ULL + index.z + 1),
      m_identity(currentIdentity()) {
    const Dim3 extent = plan.shape.block;
    for (std::uint32_t i = 0; i < m_nLanes; ++i) {
        Lane& lane = m_lanes[i];
        lane.thread = {i % extent.x, i / extent.x % extent.y, i / extent.x / extent.y};
        lane.block = index;
        lane.blockDim = extent;
        lane.gridDim = plan.shape.grid;
        lane.index = i;
        lane.owner = this;
        lane.fiber.start(stacks[i], &Block::enter, &lane);
        m_warps[i / 32].present |= 1U << (i % 32);
        setReady(i);
    }
    happensBefore(&m_startTag);
}

void Block::enter(void* argument) {
    auto& self = *static_cast<Lane*>(argument);
    happensAfter(&self.owner->m_startTag);
    self.owner->m_plan.body(self.owner->m_plan.argument);
    self.owner->exitLane(self);
}

void Block::run() {
    while (m_exited < m_nLanes) {
        const int next = choose();
        if (next < 0) reportDeadlock();
        m_last = static_cast<std::uint32_t>(next);
        currentLane = &m_lanes[m_last];
        m_lanes[m_last].fiber.resume();
        currentLane = nullptr;
        if (m_error) throw Error(*m_error);
    }
    checkGuards(nullptr);
    m_banks.finish();
    m_stats.blocks = 1;
    m_stats.sharedBytes = m_shared.totalBytes();
    m_stats.sharedAccesses = m_banks.accesses();
    m_stats.bankConflicts = m_banks.conflicts();
}

void Block::retire() {
    for (std::uint32_t i = 0; i < m_nLanes; ++i)
        m_lanes[i].fiber.retire(m_plan.doneTag, (m_warps[i / 32].exited >> (i % 32) & 1) != 0);
}

int Block::nextReady(std::uint32_t from) const {
    const std::uint32_t words = (m_nLanes + 63) / 64;
    std::uint32_t word = from / 64;
    std::uint64_t bits = m_ready[word] & (~std::uint64_t{0} << (from % 64));
    for (std::uint32_t i = 0; i <= words; ++i) {
        if (bits != 0) return static_cast<int>(word * 64) + std::countr_zero(bits);
        word = (word + 1) % words;
        bits = m_ready[word];
    }
    return -1;
}

int Block::choose() {
    switch (m_plan.options.schedule) {
        case Schedule::RoundRobin:
            return nextReady((m_last + 1) % m_nLanes);
        case Schedule::WarpSerial:
            return nextReady(0);
        case Schedule::Random:
            break;
    }
    return nextReady(random() % m_nLanes);
}

std::uint32_t Block::random() {
    m_random ^= m_random << 13;
    m_random ^= m_random >> 7;
    m_random ^= m_random << 17;
    return static_cast<std::uint32_t>(m_random >> 32);
}

void Block::suspend(Lane& lane) {
    lane.spins = 0;
    lane.fiber.suspend();
}

void Block::exitLane(Lane& self) {
    if (!self.copies.empty())
        fail(ErrorKind::AsyncInFlight, self.copies.front().site, [&] {
            return "the kernel ends with " + std::to_string(self.copies.size()) +
                   " copies that nobody waited for, the first issued here";
        });
    Warp& warp = m_warps[self.index / 32];
    const std::uint32_t bit = 1U << (self.index % 32);
    for (const Pending& pending : warp.pending) {
        if ((pending.first->mask & bit) == 0) continue;
        const auto waiting =
            self.index / 32 * 32 + static_cast<std::uint32_t>(std::countr_zero(pending.arrived));
        failFor(m_lanes[waiting], ErrorKind::ExitedLane, pending.first->site, [&] {
            return std::string(pending.first->name) + " waits for " + name(self.index) +
                   ", which has left the kernel";
        });
    }
    if (m_barrier.arrived > 0)
        failFor(m_lanes[m_barrier.first], ErrorKind::ExitedLane, m_barrier.site, [&] {
            return "syncThreads waits for " + name(self.index) + ", which has left the kernel";
        });
    warp.exited |= bit;
    ++m_exited;
    clearReady(self.index);
    self.fiber.leave();
}

int Block::barrier(Barrier kind, bool predicate, const Site& site) {
    Lane& self = lane();
    Warp& warp = m_warps[self.index / 32];
    const std::uint32_t bit = 1U << (self.index % 32);
    for (const Pending& pending : warp.pending)
        if ((pending.first->mask & bit) != 0)
            fail(ErrorKind::Divergence, site, [&] {
                return std::string("syncThreads, while lanes of its warp wait for it at ") +
                       pending.first->name + " at " + toString(pending.first->site);
            });
    if (m_exited > 0)
        fail(ErrorKind::ExitedLane, site, [&] {
            std::uint32_t gone = 0;
            while ((m_warps[gone / 32].exited & 1U << (gone % 32)) == 0) ++gone;
            return "syncThreads waits for " + name(gone) + ", which has left the kernel";
        });
    BarrierState& state = m_barrier;
    if (state.arrived == 0) {
        state.kind = kind;
        state.site = site;
        state.first = self.index;
        state.trueCount = 0;
    } else if (state.kind != kind || state.site.line() != site.line() ||
               state.site.column() != site.column()) {
        fail(ErrorKind::Divergence, site, [&] {
            return "syncThreads, while " + name(state.first) + " waits at another, " +
                   toString(state.site);
        });
    }
    ++state.arrived;
    if (predicate) ++state.trueCount;
    char* tag = &state.tags[static_cast<std::size_t>(state.generation & 1)];
    happensBefore(tag);
    if (state.arrived < m_nLanes) {
        warp.atBarrier |= bit;
        clearReady(self.index);
    } else {
        checkGuards(&site);
        ++m_stats.barriers;
        ++state.generation;
        state.arrived = 0;
        state.result = kind == Barrier::Count ? state.trueCount
                       : kind == Barrier::And ? state.trueCount == m_nLanes
                                              : state.trueCount > 0;
        for (Warp& each : m_warps) each.atBarrier = 0;
        for (std::uint32_t i = 0; i < m_nLanes; ++i) setReady(i);
    }
    suspend(self);
    happensAfter(tag);
    // No lane can complete the next barrier before this one has gone on.
    return static_cast<int>(state.result);
}

void* Block::sharedArray(const void* key, const char* arrayName, std::size_t bytes,
                         const Site& site) {
    const SharedMemory::Array* array = m_shared.find(key);
    if (array == nullptr) {
        if (m_shared.totalBytes() + bytes > m_plan.options.maxSharedBytes)
            fail(ErrorKind::BadLaunch, site, [&] {
                return "the block needs " + std::to_string(m_shared.totalBytes() + bytes) +
                       " bytes of shared memory, the device has " +
                       std::to_string(m_plan.options.maxSharedBytes);
            });
        const AsScheduler asScheduler(m_identity);
        array = &m_shared.add(key, arrayName, bytes, site);
        happensBefore(array->memory);
    }
    happensAfter(array->memory);
    return array->data;
}

void Block::noteAtomic(const Site& site) {
    Lane& self = lane();
    if (++self.spins > m_plan.options.maxSpins)
        fail(ErrorKind::Deadlock, site, [&] {
            return std::to_string(self.spins - 1) +
                   " atomics without meeting another lane: it waits for something that cannot come";
        });
    if (m_plan.options.schedule == Schedule::Random && random() % 4 == 0) {
        const std::uint64_t spins = self.spins;
        self.fiber.suspend();
        self.spins = spins;
    }
}

void Block::checkGuards(const Site* site) {
    const SharedMemory::Array* array = m_shared.damaged();
    if (array == nullptr) return;
    const auto text = [&] {
        return "'" + std::string(array->name) + "' (" + std::to_string(array->bytes) +
               " bytes, declared at " + toString(array->site) + ") was written beyond its ends, " +
               (site != nullptr ? "before this barrier" : "after the last barrier");
    };
    if (site == nullptr)
        throw Error(ErrorKind::SharedOutOfBounds, text(), array->site, m_index, {});
    fail(ErrorKind::SharedOutOfBounds, *site, text);
}

std::string Block::name(std::uint32_t laneIndex) const {
    return "thread " + toString(m_lanes[laneIndex].thread);
}

void Block::reportDeadlock() const {
    std::string text = "no lane can go on:";
    int named = 0;
    Site site;
    for (std::uint32_t i = 0; i < m_nLanes && named < 4; ++i) {
        const Warp& warp = m_warps[i / 32];
        const std::uint32_t bit = 1U << (i % 32);
        if ((warp.exited & bit) != 0) continue;
        const bool barrier = (warp.atBarrier & bit) != 0;
        site = barrier ? m_barrier.site : m_lanes[i].call->site;
        text += ' ' + name(i) + " is at " + (barrier ? "syncThreads" : m_lanes[i].call->name) +
                " at " + toString(site) + ';';
        ++named;
    }
    throw Error(ErrorKind::Deadlock, text, site, m_index, {});
}

// --- emulator.h ---

int syncThreads(Barrier kind, bool predicate, const Site& site) {
    return Block::current().barrier(kind, predicate, site);
}

void* sharedArray(const void* key, const char* name, std::size_t bytes, const Site& site) {
    return Block::current().sharedArray(key, name, bytes, site);
}

void* sharedDynamic(const Site& site) {
    static const char kKey = 0;
    const SharedMemory::Array* array = Block::current().shared().find(&kKey);
    if (array != nullptr) {
        happensAfter(array->memory);
        return array->data;
    }
    return Block::current().sharedArray(&kKey, "dynamic shared memory",
                                        Block::current().dynamicSharedBytes(), site);
}

void touchShared(const void* address, std::size_t bytes, bool store, const Site& site) {
    Block& block = Block::current();
    checkAligned(address, bytes, site);
    if (block.shared().holding(address, bytes) == nullptr)
        block.fail(ErrorKind::SharedOutOfBounds, site, [&] {
            return (store ? "store of " : "load of ") + std::to_string(bytes) + " bytes at " +
                   block.shared().describe(address);
        });
    if (BankCounter* banks = block.banks()) {
        const AsScheduler asScheduler(block.identity());
        banks->touch(currentLane->index, address, bytes, site);
    }
}

void fence(const Site& site) {
    static char tag;
    Block::current().noteAtomic(site);
    happensAfter(&tag);
    happensBefore(&tag);
}

void noteAtomic(const Site& site) {
    Block::current().noteAtomic(site);
}

void checkAligned(const void* address, std::size_t bytes, const Site& site) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (bytes == 0 || at % bytes == 0) return;
    Block::current().fail(ErrorKind::Misaligned, site, [&] {
        return "an access of " + std::to_string(bytes) + " bytes, " + std::to_string(at % bytes) +
               " beyond a multiple of them";
    });
}

}  // namespace lanescope::kernels::simt
