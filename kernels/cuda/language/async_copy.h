#pragma once
// cp.async (sm_80): copies from global to shared memory that go on while the thread computes. Each
// thread waits for its own copies; a barrier then makes them visible to the others:
//   copyAsync<16>(&tile[i], &matrix[i]);  commitAsync();  …  waitAsync<0>();  syncThreads();
// The emulator fills the destination with NaN until the wait, and reports a copy that is still in
// flight when the thread ends or whose source or destination changes meanwhile.

#include <cstdint>

#include "kernels/cuda/language/keywords.h"

namespace lanescope::kernels::cuda {

#if SIMT_ON_GPU
/// The address that shared-memory instructions take.
SIMT_DEVICE std::uint32_t sharedAddress(const void* at) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}
#endif

/// Starts a copy of kBytes (4, 8, 16), of which the first sourceBytes come from `global` and the
/// rest is zero: 0 reads nothing. Both addresses are multiples of kBytes. 16 bypass the L1 cache.
template <int kBytes>
SIMT_DEVICE void copyAsync(void* shared, const void* global, int sourceBytes = kBytes SIMT_SITE) {
    static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
#if SIMT_ON_GPU
    if constexpr (kBytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(sharedAddress(shared)),
                     "l"(__cvta_generic_to_global(global)), "r"(sourceBytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(sharedAddress(shared)),
                     "l"(__cvta_generic_to_global(global)), "n"(kBytes), "r"(sourceBytes)
                     : "memory");
#else
    simt::asyncCopy(shared, global, kBytes, sourceBytes, site);
#endif
}

/// Closes the group of the copies started since the last commit; an empty group is one too.
SIMT_DEVICE void commitAsync() {
#if SIMT_ON_GPU
    asm volatile("cp.async.commit_group;" ::: "memory");
#else
    simt::asyncCommit();
#endif
}

/// Waits until at most the latest kPending groups are in flight.
#if SIMT_ON_GPU
template <int kPending>
SIMT_DEVICE void waitAsync() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}
#else
template <int kPending>
SIMT_DEVICE void waitAsync(const simt::Site& site = simt::Site::current()) {
    simt::asyncWait(kPending, site);
}
#endif

}  // namespace lanescope::kernels::cuda
