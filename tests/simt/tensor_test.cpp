// Matrix loads and products against plain loops.

#include <cmath>
#include <random>

#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

/// d = a [16][16] · b [16][8] through shared memory, as a kernel does it.
template <class T>
void productKernel(const T* a, const T* b, float* d) {
    SIMT_SHARED(T, tileA, [16][16]);
    SIMT_SHARED(T, tileB, [16][8]);
    const int t = threadX();
    for (int i = t; i < 256; i += 32) tileA[i / 16][i % 16] = a[i];
    for (int i = t; i < 128; i += 32) tileB[i / 8][i % 8] = b[i];
    syncWarp(kFullMask);
    std::uint32_t wordsA[4];
    std::uint32_t wordsB[2];
    loadMatrices(wordsA, &tileA[t % 16][8 * (t / 16)]);
    loadMatricesTransposed(wordsB, &tileB[t % 16][0]);
    float sums[4] = {1.0F, 1.0F, 1.0F, 1.0F};
    multiplyAdd<T>(sums, wordsA, wordsB);
    const int row = t / 4;
    const int column = t % 4 * 2;
    for (int i = 0; i < 2; ++i) {
        d[8 * row + column + i] = sums[i];
        d[8 * (row + 8) + column + i] = sums[2 + i];
    }
}

template <class T>
void checkProduct() {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    std::vector<T> a(256);
    std::vector<T> b(128);
    for (T& x : a) x = fromFloat<T>(normal(random));
    for (T& x : b) x = fromFloat<T>(normal(random) * 1e-3F);
    b[5] = fromFloat<T>(3e-6F);  // subnormal as a half
    for (const Options& options : schedules()) {
        std::vector<float> d(128, NAN);
        const Stats stats =
            launch({{1}, {32}}, options, productKernel<T>, a.data(), b.data(), d.data());
        EXPECT_EQ(stats.mmas, 1U);
        for (std::size_t m = 0; m < 16; ++m) {
            for (std::size_t n = 0; n < 8; ++n) {
                double sum = 1.0;
                for (std::size_t k = 0; k < 16; ++k)
                    sum += static_cast<double>(toFloat(a[16 * m + k])) *
                           static_cast<double>(toFloat(b[8 * k + n]));
                EXPECT_NEAR(d[8 * m + n], sum, 1e-6);
            }
        }
    }
}

TEST(Tensor, ProductOfHalves) {
    checkProduct<Half>();
}

TEST(Tensor, ProductOfBFloat16) {
    checkProduct<BFloat16>();
}

void infinityKernel(float* d) {
    const std::uint32_t a[4] = {packPair<Half>(INFINITY, 1.0F), 0, 0, 0};
    const std::uint32_t b[2] = {packPair<Half>(1.0F, -65504.0F), 0};
    float sums[4] = {};
    multiplyAdd<Half>(sums, a, b);
    d[threadX()] = sums[0];
}

TEST(Tensor, KeepsInfinities) {
    std::vector<float> d(32);
    launch({{1}, {32}}, {}, infinityKernel, d.data());
    for (const float x : d) EXPECT_EQ(x, INFINITY);
}

void int8Kernel(const std::int8_t* a, const std::int8_t* b, std::int32_t* d) {
    const int row = threadX() / 4;
    const int quad = threadX() % 4 * 4;
    const auto word = [](const std::int8_t* bytes, int step) {
        std::uint32_t out = 0;
        for (int i = 0; i < 4; ++i)
            out |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i * step]))
                   << (8 * i);
        return out;
    };
    const std::uint32_t wordsA[4] = {
        word(a + 32 * row + quad, 1), word(a + 32 * (row + 8) + quad, 1),
        word(a + 32 * row + quad + 16, 1), word(a + 32 * (row + 8) + quad + 16, 1)};
    const std::uint32_t wordsB[2] = {word(b + 8 * quad + row, 8),
                                     word(b + 8 * (quad + 16) + row, 8)};
    std::int32_t sums[4] = {7, 7, 7, 7};
    multiplyAddInt8(sums, wordsA, wordsB);
    for (int i = 0; i < 2; ++i) {
        d[8 * row + quad / 2 + i] = sums[i];
        d[8 * (row + 8) + quad / 2 + i] = sums[2 + i];
    }
}

TEST(Tensor, ProductOfInt8) {
    std::mt19937 random(4);
    std::uniform_int_distribution<int> byte(-128, 127);
    std::vector<std::int8_t> a(512);
    std::vector<std::int8_t> b(256);
    for (auto& x : a) x = static_cast<std::int8_t>(byte(random));
    for (auto& x : b) x = static_cast<std::int8_t>(byte(random));
    std::vector<std::int32_t> d(128);
    launch({{1}, {32}}, {}, int8Kernel, a.data(), b.data(), d.data());
    for (std::size_t m = 0; m < 16; ++m)
        for (std::size_t n = 0; n < 8; ++n) {
            int sum = 7;
            for (std::size_t k = 0; k < 32; ++k) sum += a[32 * m + k] * b[8 * k + n];
            EXPECT_EQ(d[8 * m + n], sum);
        }
}

template <int kCount, bool kTransposed>
void loadKernel(std::uint32_t* out) {
    SIMT_SHARED(std::uint16_t, tile, [32][8]);
    const int t = threadX();
    for (int i = 0; i < 8; ++i) tile[t][i] = static_cast<std::uint16_t>(8 * t + i);
    syncWarp(kFullMask);
    std::uint32_t words[kCount];
    // Lanes beyond the rows may point anywhere.
    const void* row = t < 8 * kCount ? &tile[t][0] : nullptr;
    if constexpr (kTransposed)
        loadMatricesTransposed(words, row);
    else
        loadMatrices(words, row);
    for (int i = 0; i < kCount; ++i) out[32 * i + t] = words[i];
}

template <int kCount, bool kTransposed>
void checkLoad() {
    std::vector<std::uint32_t> out(32 * kCount);
    launch({{1}, {32}}, {}, loadKernel<kCount, kTransposed>, out.data());
    for (std::uint32_t m = 0; m < kCount; ++m)
        for (std::uint32_t t = 0; t < 32; ++t) {
            const std::uint32_t r = t / 4;
            const std::uint32_t p = t % 4 * 2;
            const std::uint32_t first = 64 * m + (kTransposed ? 8 * p + r : 8 * r + p);
            const std::uint32_t second = first + (kTransposed ? 8 : 1);
            EXPECT_EQ(out[32 * m + t], first | second << 16);
        }
}

TEST(Tensor, LoadsOneTwoOrFourMatrices) {
    checkLoad<1, false>();
    checkLoad<2, false>();
    checkLoad<4, false>();
    checkLoad<1, true>();
    checkLoad<2, true>();
    checkLoad<4, true>();
}

void badRowKernel(int offset) {
    SIMT_SHARED(std::uint16_t, tile, [32][8]);
    std::uint32_t words[4];
    loadMatrices(words, &tile[threadX()][0] + offset);
}

TEST(TensorReports, RowsOutsideSharedMemoryOrMisaligned) {
    expectError(errorOf(32, badRowKernel, 1), ErrorKind::Misaligned,
                HasSubstr("an access of 16 bytes, 2 beyond"));
    expectError(errorOf(32, badRowKernel, 8), ErrorKind::SharedOutOfBounds,
                HasSubstr("loadMatrix reads 16 bytes at 'tile' (512 bytes) + 512"));
}

void halfWarpKernel(float* d) {
    if (threadX() < 16) {
        const std::uint32_t a[4] = {};
        const std::uint32_t b[2] = {};
        float sums[4] = {};
        multiplyAdd<Half>(sums, a, b);
        d[threadX()] = sums[0];
    }
}

TEST(TensorReports, ProductsOfLessThanAWarp) {
    std::vector<float> d(32);
    expectError(errorOf(32, halfWarpKernel, d.data()), ErrorKind::ExitedLane,
                HasSubstr("mma waits for thread (16, 0, 0)"));
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
