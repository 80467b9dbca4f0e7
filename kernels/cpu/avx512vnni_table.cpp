#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx512bf16.h"
#include "kernels/cpu/avx512vnni.h"

namespace lanescope::kernels::avx512vnni {

const OpTable& table() {
    static const OpTable kTable = [] {
        OpTable t = avx2::table();
        t.isa = Isa::Avx512Vnni;
        t.matmul = matmul;
        t.attention = attention;
        t.burst = burst;
        if (avx512bf16::hasDots()) {
            t.matmul = avx512bf16::matmul;
            t.burst = avx512bf16::burst;
        }
        return t;
    }();
    return kTable;
}

}  // namespace lanescope::kernels::avx512vnni
