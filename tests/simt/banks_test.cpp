// Bank conflicts are counted exactly.

#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

template <int kRow>
void transposeKernel(float* out) {
    SIMT_SHARED(float, tile, [32 * kRow]);
    const int t = threadX();
    for (int row = 0; row < 32; ++row)
        storeShared(&tile[row * kRow + t], static_cast<float>(32 * row + t));
    syncWarp(kFullMask);
    for (int row = 0; row < 32; ++row) out[32 * row + t] = loadShared(&tile[t * kRow + row]);
}

Stats counted(std::uint32_t threads, auto kernel, auto... args) {
    Options options;
    options.countBanks = true;
    return launch({{1}, {threads}}, options, kernel, args...);
}

TEST(Banks, PaddingTakesTheConflictsOffATranspose) {
    std::vector<float> out(1024);
    const Stats plain = counted(32, transposeKernel<32>, out.data());
    EXPECT_EQ(plain.sharedAccesses, 64U);
    EXPECT_EQ(plain.bankConflicts, 32U * 31U);  // a column lies in one bank
    const Stats padded = counted(32, transposeKernel<33>, out.data());
    EXPECT_EQ(padded.bankConflicts, 0U);
    for (std::size_t i = 0; i < 1024; ++i)
        EXPECT_EQ(out[i], static_cast<float>(i % 32 * 32 + i / 32));
}

void vectorsKernel(Float4* out) {
    SIMT_SHARED(Float4, tile, [32]);
    SIMT_SHARED(Float4, sparse, [64]);
    const int t = threadX();
    storeShared(&tile[t], Float4{0, 0, 0, 0});        // quarter-warps: no conflict
    storeShared(&sparse[2 * t], Float4{1, 1, 1, 1});  // two of a quarter meet in each bank
    syncWarp(kFullMask);
    out[t] = loadShared(&tile[0]);  // one address: a broadcast
}

TEST(Banks, WideAccessesGoInParts) {
    std::vector<Float4> out(32);
    const Stats stats = counted(32, vectorsKernel, out.data());
    EXPECT_EQ(stats.sharedAccesses, 3U);
    EXPECT_EQ(stats.bankConflicts, 4U);
}

template <bool kSwizzled>
void matricesKernel(std::uint32_t* out) {
    // Rows of 64 halves (128 bytes): every row starts in bank 0 unless its chunks are exchanged.
    SIMT_SHARED(Uint4, tile, [16][8]);
    const int t = threadX();
    for (int i = t; i < 128; i += 32)
        tile[i / 8][i % 8] = Uint4{static_cast<std::uint32_t>(i), 0, 0, 0};
    syncWarp(kFullMask);
    std::uint32_t words[4];
    const int row = t % 16;
    const int chunk = t / 16;
    loadMatrices(words, &tile[row][kSwizzled ? chunk ^ row % 8 : chunk]);
    out[t] = words[0] + words[1] + words[2] + words[3];
}

TEST(Banks, SwizzledTilesGiveMatricesWithoutConflicts) {
    std::vector<std::uint32_t> out(32);
    const Stats plain = counted(32, matricesKernel<false>, out.data());
    EXPECT_EQ(plain.sharedAccesses, 1U);
    EXPECT_EQ(plain.bankConflicts, 4U * 7U);
    EXPECT_EQ(counted(32, matricesKernel<true>, out.data()).bankConflicts, 0U);
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
