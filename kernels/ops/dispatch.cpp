// Chooses the instruction set at run time: what the processor has (CPUID) and the operating system
// saves (XGETBV; GCC's cpu_supports asks both).

#include "kernels/ops/dispatch.h"

#include <cstdlib>

#ifdef LANESCOPE_X86
#include <cpuid.h>

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx512amx.h"
#include "kernels/cpu/avx512vnni.h"
#endif
#include "kernels/reference/reference.h"

namespace lanescope::kernels {

#ifdef LANESCOPE_X86
namespace {

/// CPUID leaf 1, ECX bit 29; clang 14's __builtin_cpu_supports does not know the name.
bool supportsF16c() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & (1U << 29)) != 0;
}

}  // namespace
#endif

std::vector<Isa> availableIsas() {
    std::vector<Isa> isas{Isa::Reference};
#ifdef LANESCOPE_X86
    __builtin_cpu_init();  // this may run before main
    const bool avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && supportsF16c();
    if (avx2) isas.push_back(Isa::Avx2);
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni"))
        isas.push_back(Isa::Avx512Vnni);
    if (isas.back() == Isa::Avx512Vnni && avx512amx::available()) isas.push_back(Isa::Avx512Amx);
#endif
    return isas;
}

Isa preferredIsa() {
    const std::vector<Isa> available = availableIsas();
    const char* wanted = std::getenv("LANESCOPE_ISA");
    if (wanted != nullptr) {
        for (const Isa isa : available)
            if (isaName(isa) == wanted) return isa;
    }
    return available.back();
}

const OpTable& opTable(Isa isa) {
#ifdef LANESCOPE_X86
    if (isa == Isa::Avx2) return avx2::table();
    if (isa == Isa::Avx512Vnni) return avx512vnni::table();
    if (isa == Isa::Avx512Amx) return avx512amx::table();
#endif
    static_cast<void>(isa);
    return reference::table();
}

std::string_view isaName(Isa isa) {
    switch (isa) {
        case Isa::Reference:
            return "reference";
        case Isa::Avx2:
            return "avx2";
        case Isa::Avx512Vnni:
            return "avx512vnni";
        case Isa::Avx512Amx:
            return "avx512amx";
    }
    return "unknown";
}

}  // namespace lanescope::kernels
