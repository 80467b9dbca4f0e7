#include "kernels/types/dtype.h"

#include <array>

namespace lanescope::kernels {

const DTypeInfo& info(DType type) {
    static constexpr std::array<DTypeInfo, kDTypes> kTable{{
        {"f32", 1, 4, true},       {"f16", 1, 2, true},      {"bf16", 1, 2, true},
        {"f64", 1, 8, true},       {"i8", 1, 1, false},      {"i16", 1, 2, false},
        {"i32", 1, 4, false},      {"i64", 1, 8, false},     {"q4_0", 32, 18, true},
        {"q4_1", 32, 20, true},    {"q5_0", 32, 22, true},   {"q5_1", 32, 24, true},
        {"q8_0", 32, 34, true},    {"q2_K", 256, 84, true},  {"q3_K", 256, 110, true},
        {"q4_K", 256, 144, true},  {"q5_K", 256, 176, true}, {"q6_K", 256, 210, true},
        {"iq1_S", 256, 50, true},  {"iq1_M", 256, 56, true}, {"iq2_XXS", 256, 66, true},
        {"iq2_XS", 256, 74, true}, {"iq2_S", 256, 82, true}, {"iq3_XXS", 256, 98, true},
        {"iq3_S", 256, 110, true}, {"iq4_NL", 32, 18, true}, {"iq4_XS", 256, 136, true},
        {"tq1_0", 256, 54, true},  {"tq2_0", 256, 66, true}, {"mxfp4", 32, 17, true},
        {"nvfp4", 64, 36, true},
    }};
    return kTable[static_cast<std::size_t>(type)];
}

}  // namespace lanescope::kernels
