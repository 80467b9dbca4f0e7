// Meetings of a warp's lanes, and the collectives that only move or fold values: shuffles, votes,
// matches, reductions. The last lane to arrive computes everyone's result.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "kernels/simt/block.h"

namespace lanescope::kernels::simt {
namespace {

std::string hex(std::uint32_t mask) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", mask);
    return text;
}

bool samePlace(const Site& a, const Site& b) {
    return a.line() == b.line() && a.column() == b.column() &&
           (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

template <class T>
T valueOf(const void* at) {
    T value;
    std::memcpy(&value, at, sizeof value);  // of fixed size: no call that a sanitizer would watch
    return value;
}

template <class T>
void store(void* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

/// Calls f(lane, call) for each lane of the meeting.
template <class F>
void forEach(const Meeting& meeting, F f) {
    for (int lane = 0; lane < 32; ++lane)
        if (const WarpCall* call = meeting.calls[static_cast<std::size_t>(lane)]) f(lane, *call);
}

}  // namespace

void Block::checkMask(const WarpCall& call, const Warp& warp, const Lane& self) {
    const std::uint32_t bit = 1U << (self.index % 32);
    const std::uint32_t base = self.index / 32 * 32;
    const auto laneOf = [&](std::uint32_t set) {
        return base + static_cast<std::uint32_t>(std::countr_zero(set));
    };
    if ((call.mask & bit) == 0)
        fail(ErrorKind::WrongMask, call.site, [&] {
            return std::string(call.name) + " with mask " + hex(call.mask) +
                   ", which lacks the calling lane " + std::to_string(self.index % 32);
        });
    if (const std::uint32_t absent = call.mask & ~warp.present; absent != 0)
        fail(ErrorKind::WrongMask, call.site, [&] {
            return std::string(call.name) + " with mask " + hex(call.mask) +
                   ", but the block has " + "no thread " + std::to_string(laneOf(absent));
        });
    if (const std::uint32_t gone = call.mask & warp.exited; gone != 0)
        fail(ErrorKind::ExitedLane, call.site, [&] {
            return std::string(call.name) + " waits for " + name(laneOf(gone)) +
                   ", which has left the kernel";
        });
    if (const std::uint32_t elsewhere = call.mask & warp.atBarrier; elsewhere != 0)
        fail(ErrorKind::Divergence, call.site, [&] {
            return std::string(call.name) + " waits for " + name(laneOf(elsewhere)) +
                   ", which is at syncThreads at " + toString(m_barrier.site);
        });
}

Block::Pending& Block::join(WarpCall& call, Warp& warp, const Lane& self) {
    const std::uint32_t bit = 1U << (self.index % 32);
    for (Pending& pending : warp.pending) {
        const WarpCall& other = *pending.first;
        // Lanes that wait for this one, while this one waits for them. Anything less may yet come
        // right: parts of a warp go their own ways before they meet.
        if ((other.mask & bit) == 0 || (pending.arrived & call.mask) == 0) continue;
        const std::uint32_t waiting =
            self.index / 32 * 32 + static_cast<std::uint32_t>(std::countr_zero(pending.arrived));
        if (other.combine != call.combine || other.name != call.name ||
            !samePlace(other.site, call.site) || other.width != call.width ||
            other.bytes != call.bytes)
            fail(ErrorKind::Divergence, call.site, [&] {
                return std::string(call.name) + ", while " + name(waiting) + " is at " +
                       other.name + " at " + toString(other.site);
            });
        if (other.mask != call.mask)
            fail(ErrorKind::WrongMask, call.site, [&] {
                return std::string(call.name) + " with mask " + hex(call.mask) + ", while " +
                       name(waiting) + " has mask " + hex(other.mask);
            });
        pending.arrived |= bit;
        return pending;
    }
    const AsScheduler asScheduler(m_identity);
    warp.pending.push_back({&call, bit, warp.generation++ & 1});
    return warp.pending.back();
}

void Block::meet(WarpCall& call) {
    Lane& self = lane();
    Warp& warp = m_warps[self.index / 32];
    checkMask(call, warp, self);
    self.call = &call;
    Pending& pending = join(call, warp, self);
    char* tag = &warp.tags[static_cast<std::size_t>(pending.tag)];
    const bool orders = call.combine == nullptr;  // syncWarp alone orders memory
    if (orders) happensBefore(tag);
    if (pending.arrived != call.mask) {
        clearReady(self.index);
        suspend(self);
        if (orders) happensAfter(tag);
        return;
    }
    ++m_stats.collectives;
    if (call.combine != nullptr) {
        Meeting meeting{*this, call.mask, {}};
        for (std::uint32_t left = call.mask; left != 0; left &= left - 1) {
            const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
            meeting.calls[i] = m_lanes[self.index / 32 * 32 + i].call;
        }
        call.combine(meeting);
    }
    for (std::uint32_t left = call.mask; left != 0; left &= left - 1)
        setReady(self.index / 32 * 32 + static_cast<std::uint32_t>(std::countr_zero(left)));
    pending = warp.pending.back();
    warp.pending.pop_back();
    if (m_plan.options.schedule == Schedule::Random) suspend(self);
    if (orders) happensAfter(tag);
}

// --- Shuffles ---

namespace {

/// The lane a shuffle reads from (PTX ISA, shfl.sync).
int sourceLane(Shuffle kind, int lane, int operand, int width) {
    const int first = lane & ~(width - 1);
    const int last = first + width - 1;
    int source = lane;
    switch (kind) {
        case Shuffle::Index:
            return first | (operand & (width - 1));
        case Shuffle::Up:
            source = lane - operand;
            return source < first ? lane : source;
        case Shuffle::Down:
            source = lane + operand;
            return source > last ? lane : source;
        case Shuffle::Xor:
            source = lane ^ operand;
            return source > last || source < 0 ? lane : source;
    }
    return lane;
}

template <Shuffle kKind>
void combineShuffle(const Meeting& meeting) {
    forEach(meeting, [&](int lane, const WarpCall& call) {
        const int source = sourceLane(kKind, lane, call.operand, call.width);
        const WarpCall* from = meeting.calls[static_cast<std::size_t>(source)];
        if (from == nullptr)
            meeting.block.fail(ErrorKind::WrongMask, call.site, [&] {
                return "lane " + std::to_string(lane) + " of the " + call.name +
                       " reads from lane " + std::to_string(source) + ", which mask " +
                       hex(meeting.mask) + " lacks";
            });
        if (call.bytes == 4)
            store(call.out, valueOf<std::uint32_t>(from->in));
        else
            store(call.out, valueOf<std::uint64_t>(from->in));
    });
}

}  // namespace

void shuffle(Shuffle kind, std::uint32_t mask, const void* in, void* out, int bytes, int operand,
             int width, const Site& site) {
    static constexpr const char* kNames[] = {"shuffle", "shuffleUp", "shuffleDown", "shuffleXor"};
    static constexpr void (*kCombines[])(const Meeting&) = {
        combineShuffle<Shuffle::Index>, combineShuffle<Shuffle::Up>, combineShuffle<Shuffle::Down>,
        combineShuffle<Shuffle::Xor>};
    const auto i = static_cast<std::size_t>(kind);
    WarpCall call{kNames[i], mask, site, kCombines[i], in, out, bytes, operand, width};
    Block::current().meet(call);
}

// --- Votes and matches ---

namespace {

template <Vote kKind>
void combineVote(const Meeting& meeting) {
    std::uint32_t ballot = 0;
    forEach(meeting, [&](int lane, const WarpCall& call) {
        if (call.operand != 0) ballot |= 1U << lane;
    });
    const std::uint32_t result = kKind == Vote::Ballot ? ballot
                                 : kKind == Vote::Any  ? ballot != 0
                                                       : ballot == meeting.mask;
    forEach(meeting, [&](int, const WarpCall& call) { store(call.out, result); });
}

template <bool kAll>
void combineMatch(const Meeting& meeting) {
    const auto valueAt = [](const WarpCall& call) {
        return call.bytes == 4 ? valueOf<std::uint32_t>(call.in) : valueOf<std::uint64_t>(call.in);
    };
    forEach(meeting, [&](int, const WarpCall& call) {
        std::uint32_t same = 0;
        forEach(meeting, [&](int other, const WarpCall& its) {
            if (valueAt(its) == valueAt(call)) same |= 1U << other;
        });
        store(call.out, !kAll || same == meeting.mask ? same : 0U);
    });
}

}  // namespace

std::uint32_t vote(Vote kind, std::uint32_t mask, bool predicate, const Site& site) {
    static constexpr const char* kNames[] = {"ballot", "anyOf", "allOf"};
    static constexpr void (*kCombines[])(const Meeting&) = {
        combineVote<Vote::Ballot>, combineVote<Vote::Any>, combineVote<Vote::All>};
    const auto i = static_cast<std::size_t>(kind);
    std::uint32_t out = 0;
    WarpCall call{kNames[i], mask, site, kCombines[i], nullptr, &out, 4, predicate ? 1 : 0, 32};
    Block::current().meet(call);
    return out;
}

std::uint32_t match(bool all, std::uint32_t mask, const void* value, int bytes, const Site& site) {
    std::uint32_t out = 0;
    WarpCall call{all ? "matchAll" : "matchAny",
                  mask,
                  site,
                  all ? combineMatch<true> : combineMatch<false>,
                  value,
                  &out,
                  bytes,
                  0,
                  32};
    Block::current().meet(call);
    return out;
}

// --- Reductions ---

namespace {

template <class T>
T fold(Reduce kind, T a, T b) {
    switch (kind) {
        case Reduce::Add:  // wraps, as the machine does
            return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
        case Reduce::Min:
            return std::min(a, b);
        case Reduce::Max:
            return std::max(a, b);
        case Reduce::And:
            return a & b;
        case Reduce::Or:
            return a | b;
        case Reduce::Xor:
            return a ^ b;
    }
    return a;
}

template <class T>
void combineReduce(const Meeting& meeting) {
    bool first = true;
    T result{};
    forEach(meeting, [&](int, const WarpCall& call) {
        const T value = valueOf<T>(call.in);
        result = first ? value : fold(static_cast<Reduce>(call.operand), result, value);
        first = false;
    });
    forEach(meeting, [&](int, const WarpCall& call) { store(call.out, result); });
}

template <Reduce kKind>
void combineFloats(const Meeting& meeting) {
    std::array<float, 32> values;
    for (std::size_t i = 0; i < 32; ++i) values[i] = valueOf<float>(meeting.calls[i]->in);
    for (int step = meeting.calls[0]->width / 2; step > 0; step /= 2) {
        std::array<float, 32> next;
        for (std::size_t i = 0; i < 32; ++i) {
            const float other = values[i ^ static_cast<std::size_t>(step)];
            next[i] = kKind == Reduce::Add ? values[i] + other : std::fmax(values[i], other);
        }
        values = next;
    }
    for (std::size_t i = 0; i < 32; ++i) store(meeting.calls[i]->out, values[i]);
}

constexpr const char* kReduceNames[] = {"reduceAdd", "reduceMin", "reduceMax",
                                        "reduceAnd", "reduceOr",  "reduceXor"};

template <class T>
T reduced(Reduce kind, std::uint32_t mask, T value, const Site& site) {
    T out{};
    WarpCall call{kReduceNames[static_cast<int>(kind)],
                  mask,
                  site,
                  combineReduce<T>,
                  &value,
                  &out,
                  4,
                  static_cast<int>(kind),
                  32};
    Block::current().meet(call);
    return out;
}

}  // namespace

std::int32_t reduceInt(Reduce kind, std::uint32_t mask, std::int32_t value, const Site& site) {
    return reduced(kind, mask, value, site);
}

std::uint32_t reduceUint(Reduce kind, std::uint32_t mask, std::uint32_t value, const Site& site) {
    return reduced(kind, mask, value, site);
}

float reduceFloat(Reduce kind, float value, int width, const Site& site) {
    float out = 0.0F;
    const bool add = kind == Reduce::Add;
    WarpCall call{add ? "warpSum" : "warpMax",
                  kAllLanes,
                  site,
                  add ? combineFloats<Reduce::Add> : combineFloats<Reduce::Max>,
                  &value,
                  &out,
                  4,
                  0,
                  width};
    Block::current().meet(call);
    return out;
}

void syncWarp(std::uint32_t mask, const Site& site) {
    WarpCall call{"syncWarp", mask, site, nullptr};
    Block::current().meet(call);
}

}  // namespace lanescope::kernels::simt
