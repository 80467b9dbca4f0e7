// Compiled without instruction-set flags: it runs before anything is known of the processor.

#include <cpuid.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "kernels/cpu/avx512amx.h"
#include "kernels/cpu/avx512bf16.h"
#include "kernels/cpu/avx512vnni.h"

namespace lanescope::kernels::avx512amx {
namespace {

// CPUID leaf 7, EDX (Intel SDM volume 2, CPUID).
constexpr unsigned kTileBit = 1U << 24;
constexpr unsigned kInt8Bit = 1U << 25;

/// Linux gives a process the tile registers only when it asks (arch_prctl(2), XFEATURE_XTILEDATA).
bool askForTiles() {
#if defined(__linux__) && defined(SYS_arch_prctl)
    constexpr int kRequestPermission = 0x1023;
    constexpr int kTileData = 18;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
    return false;
#endif
}

}  // namespace

bool available() {
    static const bool kAvailable = [] {
        unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
        if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
        return (edx & kTileBit) != 0 && (edx & kInt8Bit) != 0 && askForTiles();
    }();
    return kAvailable;
}

const OpTable& table() {
    static const OpTable kTable = [] {
        OpTable t = avx512vnni::table();
        t.isa = Isa::Avx512Amx;
        t.matmul = matmul;
        t.burst = burst;
        if (avx512bf16::hasTiles()) {
            t.matmul = avx512bf16::matmulByTiles;
            t.burst = burstWithBf16;
        }
        return t;
    }();
    return kTable;
}

}  // namespace lanescope::kernels::avx512amx
