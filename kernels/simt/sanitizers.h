#pragma once
// Hooks of AddressSanitizer and ThreadSanitizer, empty in other builds. The emulator itself is
// compiled without ThreadSanitizer (its own bookkeeping is ordered by the scheduler, of which the
// tool knows nothing), so the build says SIMT_TSAN instead of the compiler.

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(SIMT_TSAN)
extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void __tsan_read_range(void* address, unsigned long bytes);
void __tsan_write_range(void* address, unsigned long bytes);
}
#endif

namespace lanescope::kernels::simt {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
#if defined(SIMT_TSAN)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

/// Everything this lane did so far happens before what follows a happensAfter of the same tag.
inline void happensBefore([[maybe_unused]] void* tag) {
#if defined(SIMT_TSAN)
    __tsan_release(tag);
#endif
}
inline void happensAfter([[maybe_unused]] void* tag) {
#if defined(SIMT_TSAN)
    __tsan_acquire(tag);
#endif
}

/// The emulator reads or writes memory on behalf of the running lane.
inline void laneReads([[maybe_unused]] const void* address, [[maybe_unused]] std::size_t bytes) {
#if defined(SIMT_TSAN)
    __tsan_read_range(const_cast<void*>(address), bytes);
#endif
}
inline void laneWrites([[maybe_unused]] void* address, [[maybe_unused]] std::size_t bytes) {
#if defined(SIMT_TSAN)
    __tsan_write_range(address, bytes);
#endif
}

/// The scheduler's identity for ThreadSanitizer.
inline void* currentIdentity() {
#if defined(SIMT_TSAN)
    return __tsan_get_current_fiber();
#else
    return nullptr;
#endif
}

/// While it lives, what happens on this OS thread counts as done by the scheduler, not by the lane:
/// heap memory of the emulator, which the scheduler frees.
class AsScheduler {
  public:
    explicit AsScheduler([[maybe_unused]] void* scheduler) {
#if defined(SIMT_TSAN)
        m_lane = __tsan_get_current_fiber();
        if (m_lane != scheduler)
            __tsan_switch_to_fiber(scheduler, 1);
        else
            m_lane = nullptr;
#endif
    }
    ~AsScheduler() {
#if defined(SIMT_TSAN)
        if (m_lane != nullptr) __tsan_switch_to_fiber(m_lane, 1);
#endif
    }
    AsScheduler(const AsScheduler&) = delete;
    AsScheduler& operator=(const AsScheduler&) = delete;

  private:
    [[maybe_unused]] void* m_lane = nullptr;
};

}  // namespace lanescope::kernels::simt
