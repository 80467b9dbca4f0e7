#pragma once
// Warp collectives. Every lane of `mask` calls, from the same place and with the same mask; a lane
// that has left the kernel cannot be in it. Shuffles take 4- or 8-byte values; the lane read from
// has to be in the mask. `width` (a power of two) splits the warp into groups that shuffle apart.
// As in CUDA, an Up or Down beyond the group gives the lane its own value.

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/language/keywords.h"

namespace lanescope::kernels::cuda {

#if SIMT_ON_GPU
#define SIMT_SHUFFLE(name, kind, intrinsic)                                           \
    template <class T>                                                                \
    SIMT_DEVICE T name(std::uint32_t mask, T value, int operand, int width = kWarp) { \
        static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)); \
        return intrinsic(mask, value, operand, width);                                \
    }
#else
#define SIMT_SHUFFLE(name, kind, intrinsic)                                                      \
    template <class T>                                                                           \
    SIMT_DEVICE T name(std::uint32_t mask, T value, int operand, int width = kWarp SIMT_SITE) {  \
        static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));            \
        T out{};                                                                                 \
        simt::shuffle(simt::Shuffle::kind, mask, &value, &out, sizeof(T), operand, width, site); \
        return out;                                                                              \
    }
#endif
/// The value of lane `operand` of the group.
SIMT_SHUFFLE(shuffle, Index, __shfl_sync)
/// The value of the lane `operand` below.
SIMT_SHUFFLE(shuffleUp, Up, __shfl_up_sync)
/// The value of the lane `operand` above.
SIMT_SHUFFLE(shuffleDown, Down, __shfl_down_sync)
/// The value of lane (own ^ operand).
SIMT_SHUFFLE(shuffleXor, Xor, __shfl_xor_sync)
#undef SIMT_SHUFFLE

/// Bit i: predicate of lane i.
SIMT_DEVICE std::uint32_t ballot(std::uint32_t mask, bool predicate SIMT_SITE) {
#if SIMT_ON_GPU
    return __ballot_sync(mask, predicate);
#else
    return simt::vote(simt::Vote::Ballot, mask, predicate, site);
#endif
}

SIMT_DEVICE bool anyOf(std::uint32_t mask, bool predicate SIMT_SITE) {
#if SIMT_ON_GPU
    return __any_sync(mask, predicate) != 0;
#else
    return simt::vote(simt::Vote::Any, mask, predicate, site) != 0;
#endif
}

SIMT_DEVICE bool allOf(std::uint32_t mask, bool predicate SIMT_SITE) {
#if SIMT_ON_GPU
    return __all_sync(mask, predicate) != 0;
#else
    return simt::vote(simt::Vote::All, mask, predicate, site) != 0;
#endif
}

/// The lanes whose value is the caller's.
template <class T>
SIMT_DEVICE std::uint32_t matchAny(std::uint32_t mask, T value SIMT_SITE) {
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
#if SIMT_ON_GPU
    return __match_any_sync(mask, value);
#else
    return simt::match(false, mask, &value, sizeof(T), site);
#endif
}

/// The mask if all lanes have the same value, otherwise 0.
template <class T>
SIMT_DEVICE std::uint32_t matchAll(std::uint32_t mask, T value SIMT_SITE) {
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
#if SIMT_ON_GPU
    int all = 0;
    return __match_all_sync(mask, value, &all);
#else
    return simt::match(true, mask, &value, sizeof(T), site);
#endif
}

#if SIMT_ON_GPU
#define SIMT_REDUCE(name, T, kind, intrinsic, emulated) \
    SIMT_DEVICE T name(std::uint32_t mask, T value) {   \
        return intrinsic(mask, value);                  \
    }
#else
#define SIMT_REDUCE(name, T, kind, intrinsic, emulated)               \
    SIMT_DEVICE T name(std::uint32_t mask, T value SIMT_SITE) {       \
        return simt::emulated(simt::Reduce::kind, mask, value, site); \
    }
#endif
// One instruction each on sm_80 and later.
SIMT_REDUCE(reduceAdd, std::int32_t, Add, __reduce_add_sync, reduceInt)
SIMT_REDUCE(reduceMin, std::int32_t, Min, __reduce_min_sync, reduceInt)
SIMT_REDUCE(reduceMax, std::int32_t, Max, __reduce_max_sync, reduceInt)
SIMT_REDUCE(reduceAdd, std::uint32_t, Add, __reduce_add_sync, reduceUint)
SIMT_REDUCE(reduceMin, std::uint32_t, Min, __reduce_min_sync, reduceUint)
SIMT_REDUCE(reduceMax, std::uint32_t, Max, __reduce_max_sync, reduceUint)
SIMT_REDUCE(reduceAnd, std::uint32_t, And, __reduce_and_sync, reduceUint)
SIMT_REDUCE(reduceOr, std::uint32_t, Or, __reduce_or_sync, reduceUint)
SIMT_REDUCE(reduceXor, std::uint32_t, Xor, __reduce_xor_sync, reduceUint)
#undef SIMT_REDUCE

/// Sum over groups of kWidth lanes of a full warp; every lane gets it, with the same bits. (The
/// emulator lets lanes meet once instead of five times.)
template <int kWidth = kWarp>
SIMT_DEVICE float warpSum(float value SIMT_SITE) {
#if SIMT_ON_GPU
#pragma unroll
    for (int step = kWidth / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(kFullMask, value, step);
    return value;
#else
    return simt::reduceFloat(simt::Reduce::Add, value, kWidth, site);
#endif
}

/// The same for the maximum; NaN loses against any number, as in fmaxf.
template <int kWidth = kWarp>
SIMT_DEVICE float warpMax(float value SIMT_SITE) {
#if SIMT_ON_GPU
#pragma unroll
    for (int step = kWidth / 2; step > 0; step /= 2)
        value = fmaxf(value, __shfl_xor_sync(kFullMask, value, step));
    return value;
#else
    return simt::reduceFloat(simt::Reduce::Max, value, kWidth, site);
#endif
}

/// Orders the lanes' accesses to memory. Shuffles do not.
SIMT_DEVICE void syncWarp(std::uint32_t mask SIMT_SITE) {
#if SIMT_ON_GPU
    __syncwarp(mask);
#else
    simt::syncWarp(mask, site);
#endif
}

}  // namespace lanescope::kernels::cuda
