#pragma once
// Every number format a tensor can have, with its block geometry. Block layouts are those of the
// GGUF format (ggml-common); read blocks.h next for the structs themselves.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanescope::kernels {

/// Element or block format of a tensor. Values are our own, not the numbers used in files.
enum class DType : std::uint8_t {
    F32,
    F16,
    BF16,
    F64,
    I8,
    I16,
    I32,
    I64,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    IQ1_S,
    IQ1_M,
    IQ2_XXS,
    IQ2_XS,
    IQ2_S,
    IQ3_XXS,
    IQ3_S,
    IQ4_NL,
    IQ4_XS,
    TQ1_0,
    TQ2_0,
    MXFP4,
    NVFP4,
};
inline constexpr int kDTypes = 31;  ///< how many there are

/// Geometry of a format: blockSize elements are stored in blockBytes bytes.
struct DTypeInfo {
    std::string_view name;    ///< as people write it: "f16", "q4_K"
    std::int64_t blockSize;   ///< elements per block; 1 for plain types
    std::int64_t blockBytes;  ///< bytes per block
    bool computable;          ///< true: matmul and dequantise support it as weights
};

/// Table look-up; never fails for a valid enumerator.
const DTypeInfo& info(DType type);
/// Bytes of one row of n elements. Precondition: n is a multiple of the block size.
inline std::int64_t rowBytes(DType type, std::int64_t n) {
    const DTypeInfo& i = info(type);
    return n / i.blockSize * i.blockBytes;
}

}  // namespace lanescope::kernels
