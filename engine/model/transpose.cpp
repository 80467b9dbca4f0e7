#include "engine/model/transpose.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "engine/base/format.h"
#include "engine/base/memory.h"

namespace lanescope {

namespace {

/// In tiles that stay in L1 on both sides.
template <std::size_t kBytes>
void transposeElements(const std::byte* from, std::byte* to, std::size_t nRows, std::size_t nCols) {
    constexpr std::size_t kTile = 32;
    for (std::size_t row = 0; row < nRows; row += kTile)
        for (std::size_t col = 0; col < nCols; col += kTile)
            for (std::size_t r = row; r < std::min(nRows, row + kTile); ++r)
                for (std::size_t c = col; c < std::min(nCols, col + kTile); ++c)
                    std::memcpy(to + (c * nRows + r) * kBytes, from + (r * nCols + c) * kBytes,
                                kBytes);
}

}  // namespace

Error transposeNeeds(std::uint64_t bytes, std::uint64_t availableBytes) {
    return outOfMemory("matrices stored [in, out] need a transposed copy of " + formatBytes(bytes) +
                           ", " + formatBytes(availableBytes) + " free",
                       {}, "use a GGUF, whose matrices are used as they lie in the file");
}

Result<std::unique_ptr<std::byte[]>> transposed(const TensorView& matrix) {
    const kernels::DTypeInfo& format = kernels::info(matrix.dtype);
    if (format.blockSize != 1 || (format.blockBytes != 4 && format.blockBytes != 2))
        return unsupported("tensor " + matrix.name + " is stored [in, out] as " +
                               std::string(format.name) + ", which cannot be transposed",
                           {}, "use f32, f16 or bf16 weights, or a GGUF");
    std::unique_ptr<std::byte[]> copy(new (std::nothrow) std::byte[matrix.sizeBytes]);
    if (copy == nullptr) return transposeNeeds(matrix.sizeBytes, availableMemoryBytes());
    const auto nRows = static_cast<std::size_t>(matrix.shape[0]);
    const auto nCols = static_cast<std::size_t>(matrix.shape[1]);
    if (format.blockBytes == 4)
        transposeElements<4>(matrix.data, copy.get(), nRows, nCols);
    else
        transposeElements<2>(matrix.data, copy.get(), nRows, nCols);
    return copy;
}

}  // namespace lanescope
