#include "kernels/types/dtype.h"

#include <array>

namespace lanescope::kernels {

const DTypeInfo& info(DType type) {
    static constexpr std::array<DTypeInfo, 18> kTable{{
        {"f32", 1, 4, true},
        {"f16", 1, 2, true},
        {"bf16", 1, 2, true},
        {"f64", 1, 8, false},
        {"i8", 1, 1, false},
        {"i16", 1, 2, false},
        {"i32", 1, 4, false},
        {"i64", 1, 8, false},
        {"q4_0", 32, 18, true},
        {"q4_1", 32, 20, true},
        {"q5_0", 32, 22, true},
        {"q5_1", 32, 24, true},
        {"q8_0", 32, 34, true},
        {"q2_K", 256, 84, false},
        {"q3_K", 256, 110, false},
        {"q4_K", 256, 144, true},
        {"q5_K", 256, 176, true},
        {"q6_K", 256, 210, true},
    }};
    return kTable[static_cast<std::size_t>(type)];
}

}  // namespace lanescope::kernels
