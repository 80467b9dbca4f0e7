#include "kernels/ops/kv_format.h"

#include <array>

namespace lanescope::kernels {

std::string_view kvFormatName(KvFormat format) {
    constexpr std::array<std::string_view, kKvFormats> kNames{
        "fp32", "fp16", "bf16", "fp8-e4m3", "fp8-e5m2", "int8", "int4"};
    return kNames[static_cast<std::size_t>(format)];
}

bool canStore(KvFormat format, std::int64_t headDim) {
    if (format == KvFormat::Int4) return headDim % 8 == 0;
    return format != KvFormat::Int8 || headDim % 4 == 0;
}

KvSlice kvSlice(KvFormat format, KvPart part, std::int64_t blockTokens, std::int64_t headDim) {
    constexpr std::int64_t kPair = 4;  // scale and minimum, f16
    KvSlice slice;
    std::int64_t scales = 0;
    switch (format) {
        case KvFormat::F32:
            slice.rowBytes = 4 * headDim;
            break;
        case KvFormat::F16:
        case KvFormat::BF16:
            slice.rowBytes = 2 * headDim;
            break;
        case KvFormat::E4M3:
        case KvFormat::E5M2:
            slice.rowBytes = headDim;
            break;
        case KvFormat::Int8:
            slice.rowBytes = headDim;
            scales = 4 * blockTokens;
            break;
        case KvFormat::Int4:
            slice.rowBytes = headDim / 2;
            scales = kPair * (part == KvPart::Keys ? headDim : blockTokens);
            break;
    }
    slice.scaleOffset = slice.rowBytes * blockTokens;
    slice.bytes = slice.scaleOffset + scales;
    return slice;
}

}  // namespace lanescope::kernels
