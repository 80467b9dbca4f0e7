// Compiled without instruction-set flags: it runs before anything is known of the processor.

#include <cpuid.h>

#include "kernels/cpu/avx512bf16.h"

namespace lanescope::kernels::avx512bf16 {

namespace {

// CPUID leaf 7 (Intel SDM volume 2, CPUID): sub-leaf 1, EAX; sub-leaf 0, EDX.
constexpr unsigned kDotsBit = 1U << 5;
constexpr unsigned kTilesBit = 1U << 22;

struct Leaf {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf leaf7(unsigned sub) {
    Leaf leaf;
    if (__get_cpuid_count(7, sub, &leaf.eax, &leaf.ebx, &leaf.ecx, &leaf.edx) == 0) return {};
    return leaf;
}

}  // namespace

bool hasDots() {
    return leaf7(0).eax >= 1 && (leaf7(1).eax & kDotsBit) != 0;
}

bool hasTiles() {
    return (leaf7(0).edx & kTilesBit) != 0;
}

}  // namespace lanescope::kernels::avx512bf16
