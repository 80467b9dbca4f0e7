#pragma once
// What the kernels over rows of logits share. A block has a row; thread t has ids t, t + nThreads,
// …. Sums do not depend on timing: compensated f32 within a thread and a fixed tree over the block,
// or integers. Masses (weights e^x, 0 < x <= 1) are integers in units of 2^-44, so that atomics add
// them up exactly.

#include "kernels/cuda/simt.h"

namespace lanescope::kernels::cuda {

inline constexpr int kVocabThreads = 512;
/// Ids are below 2^kIdBits - 1.
inline constexpr int kIdBits = 20;
using Mass = unsigned long long;
/// Key of a candidate: the greater, the better; no two are equal, and 0 is no candidate.
using RankKey = unsigned long long;

SIMT_DEVICE bool isFiniteNumber(float x) {
    return (bitsOf(x) & 0x7F800000U) != 0x7F800000U;
}

/// A float's order as an unsigned number's; -0 counts as 0.
SIMT_DEVICE std::uint32_t orderedBits(float x) {
    const std::uint32_t bits = bitsOf(x + 0.0F);
    return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
SIMT_DEVICE float fromOrderedBits(std::uint32_t bits) {
    return floatOf((bits & 0x80000000U) != 0 ? bits & 0x7FFFFFFFU : ~bits);
}

/// Higher values first, then lower ids.
SIMT_DEVICE RankKey rankKey(std::uint32_t value, std::int64_t id) {
    constexpr RankKey kIds = (RankKey{1} << kIdBits) - 1;
    return static_cast<RankKey>(value) << kIdBits | (kIds - static_cast<RankKey>(id));
}
SIMT_DEVICE std::int32_t idOf(RankKey key) {
    constexpr RankKey kIds = (RankKey{1} << kIdBits) - 1;
    return static_cast<std::int32_t>(kIds - (key & kIds));
}
SIMT_DEVICE RankKey logitKey(float logit, std::int64_t id) {
    return isFiniteNumber(logit) ? rankKey(orderedBits(logit), id) : 0;
}
SIMT_DEVICE float logitOf(RankKey key) {
    return fromOrderedBits(static_cast<std::uint32_t>(key >> kIdBits));
}

SIMT_DEVICE Mass massOf(float weight) {
    return static_cast<Mass>(weight * 0x1p44F);
}

/// Σ with the rounding errors kept aside (Kahan 1965, as improved by Neumaier 1974).
struct CompensatedSum {
    float sum = 0.0F;
    float rest = 0.0F;

    SIMT_DEVICE void add(float x) {
        const float next = sum + x;
        rest += fabsf(sum) >= fabsf(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
    }
    [[nodiscard]] SIMT_DEVICE double value() const {
        return static_cast<double>(sum) + static_cast<double>(rest);
    }
};

/// combine() of all threads' values, in a fixed order; every thread gets it. Two barriers.
template <class T, class Combine>
SIMT_DEVICE T blockCombine(T value, Combine combine) {
    SIMT_SHARED(T, parts, [kVocabThreads / kWarp]);
    for (int step = kWarp / 2; step > 0; step /= 2)
        value = combine(value, shuffleXor(kFullMask, value, step));
    syncThreads();  // the parts of an earlier call have been read
    if (laneId() == 0) parts[warpId()] = value;
    syncThreads();
    value = parts[0];
    for (int i = 1; i < kVocabThreads / kWarp; ++i) value = combine(value, parts[i]);
    return value;
}
template <class T>
SIMT_DEVICE T blockTotal(T value) {
    return blockCombine(value, [](T a, T b) { return a + b; });
}
SIMT_DEVICE RankKey blockBest(RankKey value) {
    return blockCombine(value, [](RankKey a, RankKey b) { return a > b ? a : b; });
}

/// What the search below goes on with after a digit.
struct SearchStep {
    RankKey prefix;  ///< upper digits of the key that is looked for
    Mass need;       ///< what is missing before the candidates of that prefix
    unsigned count;  ///< how many candidates have it
};

inline constexpr int kSearchDigit = 10;
inline constexpr int kSearchBins = 1 << kSearchDigit;

/// Shared memory of a search; a kernel has one.
struct SearchSpace {
    Mass mass[kSearchBins];
    unsigned count[kSearchBins];
    Mass rows[kWarp];
    SearchStep picked;
    RankKey found;
};

/// The bins of one digit, highest first, summed up until `need` is reached: by warp 0, each lane a
/// row of neighbouring bins.
SIMT_DEVICE SearchStep pickBin(const SearchStep& before, SearchSpace& space) {
    constexpr int kPerLane = kSearchBins / kWarp;
    if (warpId() == 0) {
        const int top = kSearchBins - 1 - laneId() * kPerLane;
        Mass own = 0;
        for (int i = 0; i < kPerLane; ++i) own += space.mass[top - i];
        space.rows[laneId()] = own;
        syncWarp(kFullMask);
        if (laneId() == 0) {
            Mass need = before.need;
            int row = 0;
            while (row < kWarp - 1 && space.rows[row] < need) need -= space.rows[row++];
            int bin = kSearchBins - 1 - row * kPerLane;
            int best = bin;
            Mass bestNeed = need;
            for (const int end = bin - kPerLane; bin > end; --bin) {
                if (space.count[bin] == 0) continue;
                best = bin;
                bestNeed = need;
                if (space.mass[bin] >= need) break;
                need -= space.mass[bin];
            }
            space.picked = {before.prefix << kSearchDigit | static_cast<RankKey>(best), bestNeed,
                            space.count[best]};
        }
    }
    syncThreads();
    return space.picked;
}

/// The first candidate, best first, with which the masses so far come to `need` (>= 1; at most what
/// all have). keyAt(id) is a candidate's key or 0, below 2^bits; massAt(id) its mass. A radix
/// search: ten bits of the key a pass, and one more pass once a single candidate is left.
template <class KeyAt, class MassAt>
SIMT_DEVICE RankKey searchRank(SearchSpace& space, std::int64_t vocab, int bits, Mass need,
                               KeyAt keyAt, MassAt massAt) {
    SearchStep step{0, need, 2};
    int shift = (bits + kSearchDigit - 1) / kSearchDigit * kSearchDigit;
    while (shift > 0 && step.count > 1) {
        for (int i = threadX(); i < kSearchBins; i += kVocabThreads) {
            space.mass[i] = 0;
            space.count[i] = 0;
        }
        syncThreads();
        shift -= kSearchDigit;
        for (std::int64_t id = threadX(); id < vocab; id += kVocabThreads) {
            const RankKey key = keyAt(id);
            if (key == 0 || key >> shift >> kSearchDigit != step.prefix) continue;
            const auto bin = static_cast<unsigned>(key >> shift) % kSearchBins;
            atomicAdding(&space.mass[bin], massAt(id));
            atomicAdding(&space.count[bin], 1U);
        }
        syncThreads();
        step = pickBin(step, space);
    }
    if (shift == 0) return step.prefix;
    for (std::int64_t id = threadX(); id < vocab; id += kVocabThreads) {
        const RankKey key = keyAt(id);
        if (key != 0 && key >> shift == step.prefix) space.found = key;
    }
    syncThreads();
    return space.found;
}

}  // namespace lanescope::kernels::cuda
