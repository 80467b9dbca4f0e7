#include "engine/checkpoint/tensor_size.h"

#include <algorithm>

namespace lanescope {

std::optional<std::uint64_t> tensorBytes(std::span<const std::int64_t> shape, kernels::DType type) {
    const kernels::DTypeInfo& typeInfo = kernels::info(type);
    std::int64_t nElements = 1;
    for (const std::int64_t d : shape) {
        if (d < 0 || __builtin_mul_overflow(nElements, d, &nElements)) return std::nullopt;
    }
    const std::int64_t rowLength = shape.empty() ? 1 : shape.back();
    if (rowLength % typeInfo.blockSize != 0) return std::nullopt;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(nElements / typeInfo.blockSize, typeInfo.blockBytes, &bytes)) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(bytes);
}

std::string shapeText(std::span<const std::int64_t> shape) {
    std::string out = "[";
    for (const std::int64_t d : shape) {
        if (out.size() > 1) out += ", ";
        out += std::to_string(d);
    }
    return out + "]";
}

std::string inQuotes(std::string_view name) {
    constexpr std::size_t kShown = 120;
    std::string out = "'";
    // The message must be valid text whatever the name holds; the format wants names in ASCII.
    for (const char c : name.substr(0, kShown)) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte >= 0x20 && byte < 0x7f ? c : '?';
    }
    return out + (name.size() > kShown ? "...'" : "'");
}

std::optional<std::size_t> sortAndFindOverlap(std::vector<TensorRange>& ranges) {
    std::erase_if(ranges, [](const TensorRange& r) { return r.begin == r.end; });
    std::sort(ranges.begin(), ranges.end(), [](const TensorRange& a, const TensorRange& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i].begin < ranges[i - 1].end) return i;
    }
    return std::nullopt;
}

}  // namespace lanescope
