#pragma once
// The JSON header of a safetensors file as a list of entries. A streaming parser: no tree is built,
// a name that comes twice is seen, and anything that the format does not allow ends it at once.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace lanescope {

/// One tensor as the header states it; nothing is checked but the kinds of the values.
struct SafetensorsEntry {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;  ///< none is negative
    std::uint64_t begin = 0;          ///< from the start of the data
    std::uint64_t end = 0;
};

/// Errors (BadInput) name the tensor where there is one.
Result<std::vector<SafetensorsEntry>> parseSafetensorsHeader(std::string_view json,
                                                             const std::string& path);

}  // namespace lanescope
