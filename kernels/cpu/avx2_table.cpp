#include "kernels/cpu/avx2.h"

namespace lanescope::kernels::avx2 {

const OpTable& table() {
    static const OpTable kTable{
        Isa::Avx2, dequantiseRow, quantiseActs,     matmul,  rmsNorm,  layerNorm, rope,
        activate,  add,           softcap,          embed,   hadamard, kvWrite,   kvSeal,
        kvSelect,  attention,     attentionCombine, fromF32, pack,     burst,     readBurst};
    return kTable;
}

}  // namespace lanescope::kernels::avx2
