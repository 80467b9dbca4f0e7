#pragma once
// What the tensor-core products share. The rounding inside an mma is the hardware's own, so a row
// has the same bits in every kernel only if it goes through the same mma instructions with the same
// operands in the same lanes and columns. All kernels keep to this:
//   - W is operand a (16 rows), x is operand b (8 tokens), rounded to W's type
//   - columns go in windows of 32, two mma each; of a window lane (r, p) holds columns 8p … 8p + 7
//     of its row, 16 bytes: words 0 and 1 for the first mma, 2 and 3 for the second. A product does
//     not ask which column is called which, so this is one vector load, from global memory (few
//     tokens) as from shared (many), where ldmatrix would serve shared memory only
//   - a chunk of 256 columns is summed by the mma; chunks are added in ascending order
// Windows that begin beyond nCols are left out; columns beyond it are zeros (nCols is a multiple
// of 8).

#include "kernels/cuda/matmul_product.cuh"

namespace lanescope::kernels::cuda {

inline constexpr int kWindow = 32;
inline constexpr int kChunk = 256;

/// d += 16 rows x 8 tokens of a window; upper: row r, lower: row r + 8, token: token r.
template <class T>
SIMT_DEVICE void multiplyWindow(float (&d)[4], const Uint4& upper, const Uint4& lower,
                                const Uint4& token) {
    const std::uint32_t firstA[4] = {upper.x, lower.x, upper.y, lower.y};
    const std::uint32_t firstB[2] = {token.x, token.y};
    multiplyAdd<T>(d, firstA, firstB);
    const std::uint32_t secondA[4] = {upper.z, lower.z, upper.w, lower.w};
    const std::uint32_t secondB[2] = {token.z, token.w};
    multiplyAdd<T>(d, secondA, secondB);
}

/// Eight floats at a multiple of 16 bytes, rounded to T.
template <class T>
SIMT_DEVICE Uint4 roundEight(const Float4& low, const Float4& high) {
    return {packPair<T>(low.x, low.y), packPair<T>(low.z, low.w), packPair<T>(high.x, high.y),
            packPair<T>(high.z, high.w)};
}

/// Row and token of element i of lane's sums [rowTile][kTokenTiles][4] within a tile.
template <int kTokenTiles>
SIMT_DEVICE int rowOfSum(int i, int lane) {
    return i / (4 * kTokenTiles) * 16 + lane / 4 + i % 4 / 2 * 8;
}
template <int kTokenTiles>
SIMT_DEVICE int tokenOfSum(int i, int lane) {
    return i / 4 % kTokenTiles * 8 + lane % 4 * 2 + i % 2;
}

}  // namespace lanescope::kernels::cuda
