#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx512vnni.h"

namespace lanescope::kernels::avx512vnni {

const OpTable& table() {
    static const OpTable kTable = [] {
        OpTable t = avx2::table();
        t.isa = Isa::Avx512Vnni;
        t.matmul = matmul;
        t.burst = burst;
        return t;
    }();
    return kTable;
}

}  // namespace lanescope::kernels::avx512vnni
