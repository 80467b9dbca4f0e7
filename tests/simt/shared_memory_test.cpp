// Shared arrays: one a declaration, NaN at first, guarded.

#include <cmath>

#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

template <int kN>
SIMT_DEVICE float* scratch() {
    SIMT_SHARED(float, values, [kN]);
    return values;
}

void arraysKernel(std::size_t* out) {
    SIMT_SHARED(float, table, [4][8]);
    SIMT_SHARED_DYNAMIC(unsigned char, bytes);
    if (threadX() == 0 && blockX() == 0) {
        out[0] = sizeof table;
        out[1] = scratch<8>() == scratch<8>() ? 1 : 0;
        out[2] = scratch<8>() == scratch<16>() ? 1 : 0;
        out[3] = reinterpret_cast<std::uintptr_t>(bytes) % 128;
    }
    bytes[threadX()] = 1;
    table[threadX() / 8][threadX() % 8] = 1.0F;
}

TEST(SharedMemory, IsOneArrayADeclarationAndInstantiation) {
    std::size_t out[4] = {};
    const Stats stats = launch({{3}, {32}, 100}, {}, arraysKernel, out);
    EXPECT_EQ(out[0], 128U);
    EXPECT_EQ(out[1], 1U);
    EXPECT_EQ(out[2], 0U);
    EXPECT_EQ(out[3], 0U);
    EXPECT_EQ(stats.sharedBytes, 128U + 100U + 32U + 64U);
}

void uninitialisedKernel(float* out) {
    SIMT_SHARED(float, values, [32]);
    SIMT_SHARED(Half, halves, [32]);
    if (threadX() != 5) {
        values[threadX()] = 1.0F;
        halves[threadX()] = fromFloat<Half>(1.0F);
    }
    syncThreads();
    out[threadX()] = values[threadX()] + toFloat(halves[threadX()]);
}

TEST(SharedMemory, ReadBeforeItIsWrittenIsNaN) {
    std::vector<float> out(32);
    launch({{1}, {32}}, {}, uninitialisedKernel, out.data());
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(std::isnan(out[i]), i == 5);
}

void beyondKernel(int at) {
    SIMT_SHARED(int, tile, [60]);
    volatile int* p = tile;
    p[threadX() + at] = 1;
    syncThreads();
}

TEST(SharedMemoryReports, WritesBeyondAnArray) {
    Options options;
    options.workers = 1;
    EXPECT_NO_THROW(launch({{1}, {32}}, options, beyondKernel, 28));
#if defined(__SANITIZE_ADDRESS__)
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(launch({{1}, {32}}, options, beyondKernel, 29), "heap-buffer-overflow");
    EXPECT_DEATH(launch({{1}, {32}}, options, beyondKernel, -1), "heap-buffer-overflow");
#else
    for (const int at : {29, -1})
        expectError(errorOf(32, beyondKernel, at), ErrorKind::SharedOutOfBounds,
                    AllOf(HasSubstr("'tile' (240 bytes, declared at shared_memory_test.cpp:"),
                          HasSubstr("was written beyond its ends, before this barrier")));
#endif
}

void checkedKernel(int at, float* out) {
    SIMT_SHARED(float, tile, [4][8]);
    storeShared(&tile[0][0] + threadX(), 1.0F);
    syncWarp(kFullMask);
    out[threadX()] = loadShared(&tile[0][0] + threadX() + at);
}

TEST(SharedMemoryReports, CheckedLoadsAndStores) {
    std::vector<float> out(32);
    expectError(errorOf(32, checkedKernel, 1, out.data()), ErrorKind::SharedOutOfBounds,
                HasSubstr("thread (31, 0, 0) of block (0, 0, 0): shared memory out of bounds: load "
                          "of 4 bytes at 'tile' (128 bytes) + 128"));
    EXPECT_FALSE(errorOf(32, checkedKernel, 0, out.data()).has_value());
}

void bigKernel() {
    SIMT_SHARED(float, big, [10000]);
    big[threadX()] = 0.0F;
}

TEST(SharedMemoryReports, MoreThanADeviceHas) {
    Options options;
    options.maxSharedBytes = 39999;
    try {
        launch({{1}, {32}}, options, bigKernel);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind, ErrorKind::BadLaunch);
        EXPECT_THAT(std::string(error.what()),
                    HasSubstr("needs 40000 bytes of shared memory, the device has 39999"));
    }
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
