// Asynchronous copies and the ways to get them wrong.

#include <cmath>
#include <numeric>

#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

/// Copies n floats in tiles of 32 vectors, the next tile on its way while one is summed up.
template <int kBytes>
void pipelineKernel(const float* in, float* out, int n) {
    constexpr int kEach = kBytes / 4;
    SIMT_SHARED(float, tiles, [2][32 * kEach]);
    const int t = threadX();
    const auto start = [&](int tile) {
        const int at = (tile * 32 + t) * kEach;
        const int left = n - at < 0 ? 0 : n - at < kEach ? n - at : kEach;
        copyAsync<kBytes>(&tiles[tile % 2][t * kEach], in + (left > 0 ? at : 0), left * 4);
        commitAsync();
    };
    const int nTiles = (n + 32 * kEach - 1) / (32 * kEach);
    float sum = 0.0F;
    if (nTiles > 0) start(0);
    for (int tile = 0; tile < nTiles; ++tile) {
        if (tile + 1 < nTiles) {
            start(tile + 1);
            waitAsync<1>();
        } else {
            waitAsync<0>();
        }
        syncThreads();
        // Each lane reads what its neighbour copied.
        for (int i = 0; i < kEach; ++i) sum += tiles[tile % 2][(t + 1) % 32 * kEach + i];
        syncThreads();
    }
    out[t] = sum;
}

TEST(AsyncCopy, PipelineOfTwoTilesWithARaggedEnd) {
    for (const Options& options : schedules()) {
        for (const int n : {0, 1, 31, 32, 33, 127, 128, 129, 1000}) {
            std::vector<float> in(static_cast<std::size_t>(n) + 4);
            std::iota(in.begin(), in.end(), 1.0F);
            const float expected = 0.5F * static_cast<float>(n) * static_cast<float>(n + 1);
            for (void (*kernel)(const float*, float*, int) :
                 {pipelineKernel<4>, pipelineKernel<8>, pipelineKernel<16>}) {
                // Vectors need an aligned start; std::vector gives 16 bytes.
                std::vector<float> out(32);
                launch({{1}, {32}}, options, kernel, in.data(), out.data(), n);
                EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0.0F), expected) << n;
            }
        }
    }
}

void earlyKernel(const float* in, float* out, bool wait) {
    SIMT_SHARED(float, tile, [32]);
    copyAsync<4>(&tile[threadX()], in + threadX());
    commitAsync();
    if (wait) waitAsync<0>();
    out[threadX()] = tile[threadX()];
    waitAsync<0>();
}

TEST(AsyncCopy, ReadBeforeTheWaitIsNaN) {
    const std::vector<float> in(32, 3.0F);
    for (const bool wait : {false, true}) {
        std::vector<float> out(32);
        launch({{1}, {32}}, {}, earlyKernel, in.data(), out.data(), wait);
        for (const float x : out) EXPECT_EQ(std::isnan(x), !wait);
    }
}

void uncommittedKernel(const float* in, float* out) {
    SIMT_SHARED(float, tile, [32]);
    copyAsync<4>(&tile[threadX()], in + threadX());
    waitAsync<0>();  // waits for groups; the copy is in none yet
    out[threadX()] = tile[threadX()];
    commitAsync();
    waitAsync<0>();
}

TEST(AsyncCopy, WaitKnowsCommittedGroupsOnly) {
    const std::vector<float> in(32, 3.0F);
    std::vector<float> out(32);
    launch({{1}, {32}}, {}, uncommittedKernel, in.data(), out.data());
    for (const float x : out) EXPECT_TRUE(std::isnan(x));
}

void inFlightKernel(const float* in) {
    SIMT_SHARED(float, tile, [32]);
    copyAsync<4>(&tile[threadX()], in + threadX());
    commitAsync();
}

void overwrittenKernel(float* in, bool source) {
    SIMT_SHARED(float, tile, [32]);
    copyAsync<4>(&tile[threadX()], in + threadX());
    commitAsync();
    (source ? in : &tile[0])[threadX()] = 2.0F;
    waitAsync<0>();
}

void misalignedKernel(float* in) {
    SIMT_SHARED(float, tile, [64]);
    copyAsync<16>(&tile[threadX() + 1], in);
}

void notSharedKernel(float* in) {
    copyAsync<4>(in, in);
}

TEST(AsyncCopyReports, InFlightAtTheEnd) {
    const std::vector<float> in(32, 3.0F);
    expectError(errorOf(32, inFlightKernel, in.data()), ErrorKind::AsyncInFlight,
                AllOf(HasSubstr("async_copy_test.cpp:"), HasSubstr("ends with 1 copies")));
}

TEST(AsyncCopyReports, SourceOrDestinationWrittenMeanwhile) {
    std::vector<float> in(32, 3.0F);
    for (const bool source : {false, true})
        expectError(errorOf(32, overwrittenKernel, in.data(), source), ErrorKind::AsyncDisturbed,
                    AllOf(HasSubstr("issued at async_copy_test.cpp:"), HasSubstr("'tile'")));
}

TEST(AsyncCopyReports, AddressesOfTheWrongKind) {
    std::vector<float> in(64, 3.0F);
    expectError(errorOf(32, misalignedKernel, in.data()), ErrorKind::Misaligned,
                HasSubstr("an access of 16 bytes, 4 beyond a multiple of them"));
    expectError(errorOf(32, notSharedKernel, in.data()), ErrorKind::SharedOutOfBounds,
                HasSubstr("copyAsync of 4 bytes to no shared array"));
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
