#pragma once
// Atomics on global or shared memory: each returns the value before. They order nothing else; put
// fences around (write, fence, atomic … atomic, fence, read), as for "the last block done sums up".
// No block may wait for another. Float sums in an order that varies break batch invariance: use
// them for counters and maxima.

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/language/keywords.h"

namespace lanescope::kernels::cuda {

template <class T>
inline constexpr bool kAtomicInteger =
    std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, unsigned long long>;

#if !SIMT_ON_GPU
/// Replaces *at by next(*at) in one step.
template <class T, class Next>
inline T atomically(T* at, Next next, const simt::Site& site) {
    simt::checkAligned(at, sizeof(T), site);
    simt::noteAtomic(site);
    T old;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    T wanted = next(old);
    while (!__atomic_compare_exchange(at, &old, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        wanted = next(old);
    return old;
}
#endif

template <class T>
SIMT_DEVICE T atomicAdding(T* at, T value SIMT_SITE) {
    static_assert(kAtomicInteger<T> || std::is_same_v<T, float>);
#if SIMT_ON_GPU
    return atomicAdd(at, value);
#else
    using Wrapping = std::conditional_t<std::is_same_v<T, int>, unsigned, T>;
    return atomically(
        at,
        [value](T old) {
            return static_cast<T>(static_cast<Wrapping>(old) + static_cast<Wrapping>(value));
        },
        site);
#endif
}

/// Floats: neither side may be NaN.
template <class T>
SIMT_DEVICE T atomicMaximum(T* at, T value SIMT_SITE) {
    static_assert(kAtomicInteger<T> || std::is_same_v<T, float>);
#if SIMT_ON_GPU
    if constexpr (std::is_same_v<T, float>) {
        // Floats of one sign are ordered as their bits are; the sign decides which way.
        return signbit(value)
                   ? __uint_as_float(
                         atomicMin(reinterpret_cast<unsigned*>(at), __float_as_uint(value)))
                   : __int_as_float(atomicMax(reinterpret_cast<int*>(at), __float_as_int(value)));
    } else {
        return atomicMax(at, value);
    }
#else
    return atomically(
        at, [value](T old) { return old < value ? value : old; }, site);
#endif
}

template <class T>
SIMT_DEVICE T atomicMinimum(T* at, T value SIMT_SITE) {
    static_assert(kAtomicInteger<T> || std::is_same_v<T, float>);
#if SIMT_ON_GPU
    if constexpr (std::is_same_v<T, float>) {
        return signbit(value)
                   ? __uint_as_float(
                         atomicMax(reinterpret_cast<unsigned*>(at), __float_as_uint(value)))
                   : __int_as_float(atomicMin(reinterpret_cast<int*>(at), __float_as_int(value)));
    } else {
        return atomicMin(at, value);
    }
#else
    return atomically(
        at, [value](T old) { return value < old ? value : old; }, site);
#endif
}

template <class T>
SIMT_DEVICE T atomicExchange(T* at, T value SIMT_SITE) {
    static_assert(kAtomicInteger<T> || std::is_same_v<T, float>);
#if SIMT_ON_GPU
    return atomicExch(at, value);
#else
    return atomically(
        at, [value](T) { return value; }, site);
#endif
}

/// Stores `value` where `expected` is found.
template <class T>
SIMT_DEVICE T atomicCompareExchange(T* at, T expected, T value SIMT_SITE) {
    static_assert(kAtomicInteger<T>);
#if SIMT_ON_GPU
    return atomicCAS(at, expected, value);
#else
    return atomically(
        at, [=](T old) { return old == expected ? value : old; }, site);
#endif
}

/// Orders this thread's accesses for all threads of the device.
#if SIMT_ON_GPU
SIMT_DEVICE void threadFence() {
    __threadfence();
}
#else
SIMT_DEVICE void threadFence(const simt::Site& site = simt::Site::current()) {
    simt::fence(site);
}
#endif

}  // namespace lanescope::kernels::cuda
