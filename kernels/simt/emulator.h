#pragma once
// What the device language calls on the CPU: one function per primitive of the machine. All run
// inside a lane of a launch (launch.h) and act on it. A broken rule ends the launch with an Error
// (error.h); the call then does not return. Kernels never include this: they include
// kernels/cuda/simt.h.

#include <cstddef>
#include <cstdint>

#include "kernels/simt/lane.h"

namespace lanescope::kernels::simt {

inline constexpr std::uint32_t kAllLanes = 0xFFFFFFFFU;

// --- Warp collectives: every lane of the mask calls, with the same mask, from the same place. ---

enum class Shuffle : std::uint8_t { Index, Up, Down, Xor };
/// out = in of another lane; in and out hold 4 or 8 bytes.
void shuffle(Shuffle kind, std::uint32_t mask, const void* in, void* out, int bytes, int operand,
             int width, const Site& site);

enum class Vote : std::uint8_t { Ballot, Any, All };
std::uint32_t vote(Vote kind, std::uint32_t mask, bool predicate, const Site& site);

/// Lanes of the mask whose value (4 or 8 bytes) is the caller's; all: the mask if all agree, or 0.
std::uint32_t match(bool all, std::uint32_t mask, const void* value, int bytes, const Site& site);

enum class Reduce : std::uint8_t { Add, Min, Max, And, Or, Xor };
std::int32_t reduceInt(Reduce kind, std::uint32_t mask, std::int32_t value, const Site& site);
std::uint32_t reduceUint(Reduce kind, std::uint32_t mask, std::uint32_t value, const Site& site);
/// Over each group of `width` lanes of a full warp, in the order of a butterfly (width / 2 first).
/// Add and Max only; Max ignores NaN as fmaxf does.
float reduceFloat(Reduce kind, float value, int width, const Site& site);

void syncWarp(std::uint32_t mask, const Site& site);

// --- Block ---

enum class Barrier : std::uint8_t { Plain, Count, And, Or };
int syncThreads(Barrier kind, bool predicate, const Site& site);

/// The block's array with this key; made, and filled with NaN, for the first lane that asks.
void* sharedArray(const void* key, const char* name, std::size_t bytes, const Site& site);
/// The launch's dynamic shared memory.
void* sharedDynamic(const Site& site);
/// An access to shared memory that is to be checked, and its bank conflicts counted.
void touchShared(const void* address, std::size_t bytes, bool store, const Site& site);

// --- Asynchronous copies, each lane for itself ---

/// Copies sourceBytes to shared memory when waited for; the rest of `bytes` (4, 8, 16) is zero.
void asyncCopy(void* shared, const void* global, int bytes, int sourceBytes, const Site& site);
void asyncCommit();
/// Waits until at most `pending` of this lane's committed groups are in flight.
void asyncWait(int pending, const Site& site);

// --- Tensor cores: full warps ---

/// Loads `count` (1, 2, 4) 8x8 matrices of 16-bit elements; lane 8m + i gives row i of matrix m.
void loadMatrices(std::uint32_t* out, int count, bool transposed, const void* row,
                  const Site& site);

enum class Element16 : std::uint8_t { Half, BFloat16 };
/// d[4] += a[4] · b[2]: 16x8 += 16x16 · 16x8, f32 sums.
void mma16816(Element16 element, float* d, const std::uint32_t* a, const std::uint32_t* b,
              const Site& site);
/// d[4] += a[4] · b[2]: 16x8 += 16x32 · 32x8, int8 with int32 sums.
void mma16832(std::int32_t* d, const std::uint32_t* a, const std::uint32_t* b, const Site& site);

// --- Memory ---

/// A fence: orders this lane's accesses for lanes that fence later (for race detection). Atomics
/// order nothing.
void fence(const Site& site);
/// Said by each atomic: a lane that does millions of them without meeting others waits for
/// something that cannot come.
void noteAtomic(const Site& site);
/// An access of `bytes` has to lie at a multiple of them.
void checkAligned(const void* address, std::size_t bytes, const Site& site);

}  // namespace lanescope::kernels::simt
