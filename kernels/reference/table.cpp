#include "kernels/reference/reference.h"

namespace lanescope::kernels::reference {

const OpTable& table() {
    static const OpTable kTable{
        Isa::Reference, dequantiseRow, quantiseActs, matmul,  rmsNorm,  layerNorm, rope,
        activate,       add,           softcap,      embed,   hadamard, kvWrite,   kvSeal,
        kvSelect,       attention,     nullptr,      fromF32, nullptr,  burst,     readBurst};
    return kTable;
}

}  // namespace lanescope::kernels::reference
