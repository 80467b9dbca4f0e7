#pragma once
// The numbers GGUF files use for tensor types and metadata values, and what they are called.
// Source: the GGUF specification (ggml/docs/gguf.md) and ggml.h's enum ggml_type.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/types/dtype.h"

namespace lanescope {

/// Our type for a file's tensor type number; none for one that cannot be read.
std::optional<kernels::DType> ggufDType(std::uint32_t number);

/// The file's number for a type of ours.
std::uint32_t ggufTypeNumber(kernels::DType type);

/// The official name ("Q4_K", "IQ2_XXS", "Q4_0_4_4, taken out of the format"); empty if unknown.
std::string_view ggufTypeName(std::uint32_t number);

/// "F32, F16, …": every type that can be read, for messages.
const std::string& readableGgufTypes();

/// Types of metadata values.
enum class GgufValueType : std::uint32_t {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    String,
    Array,
    U64,
    I64,
    F64,
};
constexpr std::uint32_t kGgufValueTypes = 13;

/// The fewest bytes one value takes in a file (strings: the length; arrays: type and count).
std::uint64_t minimumBytes(GgufValueType type);

}  // namespace lanescope
