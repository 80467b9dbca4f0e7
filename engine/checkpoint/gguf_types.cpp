#include "engine/checkpoint/gguf_types.h"

#include <array>

namespace lanescope {

namespace {

using kernels::DType;

struct TypeRow {
    std::uint32_t number;
    std::string_view name;
    std::optional<DType> dtype;
};

constexpr std::array kTypes{
    TypeRow{0, "F32", DType::F32},
    TypeRow{1, "F16", DType::F16},
    TypeRow{2, "Q4_0", DType::Q4_0},
    TypeRow{3, "Q4_1", DType::Q4_1},
    TypeRow{4, "Q4_2, taken out of the format", {}},
    TypeRow{5, "Q4_3, taken out of the format", {}},
    TypeRow{6, "Q5_0", DType::Q5_0},
    TypeRow{7, "Q5_1", DType::Q5_1},
    TypeRow{8, "Q8_0", DType::Q8_0},
    TypeRow{9, "Q8_1", {}},
    TypeRow{10, "Q2_K", DType::Q2_K},
    TypeRow{11, "Q3_K", DType::Q3_K},
    TypeRow{12, "Q4_K", DType::Q4_K},
    TypeRow{13, "Q5_K", DType::Q5_K},
    TypeRow{14, "Q6_K", DType::Q6_K},
    TypeRow{15, "Q8_K", {}},
    TypeRow{16, "IQ2_XXS", DType::IQ2_XXS},
    TypeRow{17, "IQ2_XS", DType::IQ2_XS},
    TypeRow{18, "IQ3_XXS", DType::IQ3_XXS},
    TypeRow{19, "IQ1_S", DType::IQ1_S},
    TypeRow{20, "IQ4_NL", DType::IQ4_NL},
    TypeRow{21, "IQ3_S", DType::IQ3_S},
    TypeRow{22, "IQ2_S", DType::IQ2_S},
    TypeRow{23, "IQ4_XS", DType::IQ4_XS},
    TypeRow{24, "I8", DType::I8},
    TypeRow{25, "I16", DType::I16},
    TypeRow{26, "I32", DType::I32},
    TypeRow{27, "I64", DType::I64},
    TypeRow{28, "F64", DType::F64},
    TypeRow{29, "IQ1_M", DType::IQ1_M},
    TypeRow{30, "BF16", DType::BF16},
    TypeRow{31, "Q4_0_4_4, taken out of the format", {}},
    TypeRow{32, "Q4_0_4_8, taken out of the format", {}},
    TypeRow{33, "Q4_0_8_8, taken out of the format", {}},
    TypeRow{34, "TQ1_0", DType::TQ1_0},
    TypeRow{35, "TQ2_0", DType::TQ2_0},
    TypeRow{36, "IQ4_NL_4_4, taken out of the format", {}},
    TypeRow{37, "IQ4_NL_4_8, taken out of the format", {}},
    TypeRow{38, "IQ4_NL_8_8, taken out of the format", {}},
    TypeRow{39, "MXFP4", DType::MXFP4},
    TypeRow{40, "NVFP4", DType::NVFP4},
};

constexpr bool rowsAreInOrder() {
    for (std::uint32_t i = 0; i < kTypes.size(); ++i) {
        if (kTypes[i].number != i) return false;
    }
    return true;
}
static_assert(rowsAreInOrder(), "a type number is the index of its row");

const TypeRow* rowOf(std::uint32_t number) {
    return number < kTypes.size() ? &kTypes[number] : nullptr;
}

}  // namespace

std::optional<DType> ggufDType(std::uint32_t number) {
    const TypeRow* row = rowOf(number);
    return row != nullptr ? row->dtype : std::nullopt;
}

std::uint32_t ggufTypeNumber(DType type) {
    for (const TypeRow& row : kTypes) {
        if (row.dtype == type) return row.number;
    }
    return 0;  // cannot happen: every type of ours has its row, which a test checks
}

std::string_view ggufTypeName(std::uint32_t number) {
    const TypeRow* row = rowOf(number);
    return row != nullptr ? row->name : std::string_view{};
}

const std::string& readableGgufTypes() {
    static const std::string list = [] {
        std::string out;
        for (const TypeRow& row : kTypes) {
            if (row.dtype) out += (out.empty() ? "" : ", ") + std::string(row.name);
        }
        return out;
    }();
    return list;
}

std::uint64_t minimumBytes(GgufValueType type) {
    switch (type) {
        case GgufValueType::U8:
        case GgufValueType::I8:
        case GgufValueType::Bool:
            return 1;
        case GgufValueType::U16:
        case GgufValueType::I16:
            return 2;
        case GgufValueType::U32:
        case GgufValueType::I32:
        case GgufValueType::F32:
            return 4;
        case GgufValueType::String:
        case GgufValueType::U64:
        case GgufValueType::I64:
        case GgufValueType::F64:
            return 8;
        case GgufValueType::Array:
            return 12;
    }
    return 1;
}

}  // namespace lanescope
