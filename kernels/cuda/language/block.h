#pragma once
// Barriers of a block and its shared memory. All threads of a block come to a barrier, at the same
// place; none may have left the kernel. Shared arrays start as NaN in the emulator (anything on a
// GPU) and are declared with the macros only:
//   SIMT_SHARED(float, tile, [8][33]);          // a block's, whoever declares it; at most 48 KiB
//   SIMT_SHARED_DYNAMIC(unsigned char, bytes);  // a pointer; size from the launch
// loadShared and storeShared are plain accesses whose bounds are checked and whose bank conflicts
// are counted by the emulator; use them where a layout is meant to be free of conflicts.

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/language/keywords.h"

#if SIMT_ON_GPU
extern __shared__ __align__(128) unsigned char simtDynamicShared[];
#define SIMT_SHARED(type, name, extents) __shared__ __align__(128) type name extents
#define SIMT_SHARED_DYNAMIC(type, name) \
    type* const name = reinterpret_cast<type*>(simtDynamicShared)
#else
// The key is one object for each declaration and, in templates, each instantiation.
#define SIMT_SHARED(type, name, extents)                                                \
    auto& name = *static_cast<type(*) extents>(::lanescope::kernels::simt::sharedArray( \
        [] {                                                                            \
            static const char key = 0;                                                  \
            return &key;                                                                \
        }(),                                                                            \
        #name, sizeof(type extents), ::lanescope::kernels::simt::Site::current()))
#define SIMT_SHARED_DYNAMIC(type, name)    \
    type* const name = static_cast<type*>( \
        ::lanescope::kernels::simt::sharedDynamic(::lanescope::kernels::simt::Site::current()))
#endif

namespace lanescope::kernels::cuda {

#if SIMT_ON_GPU
SIMT_DEVICE void syncThreads() {
    __syncthreads();
}
SIMT_DEVICE int syncThreadsCount(bool predicate) {
    return __syncthreads_count(predicate);
}
SIMT_DEVICE bool syncThreadsAnd(bool predicate) {
    return __syncthreads_and(predicate) != 0;
}
SIMT_DEVICE bool syncThreadsOr(bool predicate) {
    return __syncthreads_or(predicate) != 0;
}
#else
SIMT_DEVICE void syncThreads(const simt::Site& site = simt::Site::current()) {
    simt::syncThreads(simt::Barrier::Plain, false, site);
}
/// How many threads' predicates are true.
SIMT_DEVICE int syncThreadsCount(bool predicate SIMT_SITE) {
    return simt::syncThreads(simt::Barrier::Count, predicate, site);
}
SIMT_DEVICE bool syncThreadsAnd(bool predicate SIMT_SITE) {
    return simt::syncThreads(simt::Barrier::And, predicate, site) != 0;
}
SIMT_DEVICE bool syncThreadsOr(bool predicate SIMT_SITE) {
    return simt::syncThreads(simt::Barrier::Or, predicate, site) != 0;
}
#endif

template <class T>
SIMT_DEVICE T loadShared(const T* at SIMT_SITE) {
#if !SIMT_ON_GPU
    simt::touchShared(at, sizeof(T), false, site);
#endif
    return *at;
}

template <class T>
SIMT_DEVICE void storeShared(T* at, T value SIMT_SITE) {
#if !SIMT_ON_GPU
    simt::touchShared(at, sizeof(T), true, site);
#endif
    *at = value;
}

}  // namespace lanescope::kernels::cuda
