#include "engine/base/mapping_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>

namespace lanescope {

namespace {

struct Slot {
    std::atomic<std::uintptr_t> begin{0};  ///< 0: free
    std::atomic<std::size_t> size{0};      ///< 0: not yet to be handled
};

// A signal handler can reach nothing else than globals, and may not take locks.
std::array<Slot, 1024> g_slots;
std::atomic<bool> g_lost{false};
std::uintptr_t g_pageBytes = 4096;

bool isGuarded(std::uintptr_t address) {
    for (const Slot& slot : g_slots) {
        const std::size_t size = slot.size.load(std::memory_order_acquire);
        const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
        if (size > 0 && address - begin < size) return true;
    }
    return false;
}

/// One page of zeros in place of the lost one; the faulting instruction then runs again. mmap is a
/// plain system call on Linux, so it may be used here.
void onBusError(int number, siginfo_t* info, void* /*context*/) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (isGuarded(address)) {
        void* page = reinterpret_cast<void*>(address & ~(g_pageBytes - 1));  // NOLINT
        if (::mmap(page, g_pageBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
            MAP_FAILED) {
            g_lost.store(true, std::memory_order_release);
            return;
        }
    }
    // Not ours: the instruction faults again and meets the default action.
    ::signal(number, SIG_DFL);
}

}  // namespace

void installMappingGuard() {
    g_pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, nullptr);
}

bool mappingWasLost() {
    return g_lost.load(std::memory_order_acquire);
}

void guardMapping(const void* data, std::size_t size) {
    for (Slot& slot : g_slots) {
        std::uintptr_t free = 0;
        if (!slot.begin.compare_exchange_strong(free, reinterpret_cast<std::uintptr_t>(data)))
            continue;
        slot.size.store(size, std::memory_order_release);
        return;
    }
}

void releaseMapping(const void* data) {
    for (Slot& slot : g_slots) {
        if (slot.begin.load() != reinterpret_cast<std::uintptr_t>(data)) continue;
        slot.size.store(0, std::memory_order_release);
        slot.begin.store(0, std::memory_order_release);
        return;
    }
}

}  // namespace lanescope
