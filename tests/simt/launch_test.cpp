// Grids: every block and thread once, limits, many threads, use again after an error.

#include "kernels/cuda/launch.h"

#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

void visitKernel(int* visits) {
    const int block = blockX() + gridSizeX() * (blockY() + gridSizeY() * blockZ());
    const int thread = threadX() + blockSizeX() * (threadY() + blockSizeY() * threadZ());
    atomicAdding(&visits[block * blockSizeX() * blockSizeY() * blockSizeZ() + thread], 1);
}

TEST(Launch, VisitsEveryThreadOfEveryBlockOnce) {
    for (Options options : schedules()) {
        for (const int workers : {1, 3}) {
            options.workers = workers;
            std::vector<int> visits(5 * 3 * 2 * 7 * 4 * 2);
            simt::launch({{5, 3, 2}, {7, 4, 2}}, options, visitKernel, visits.data());
            EXPECT_THAT(visits, ::testing::Each(1));
        }
    }
}

TEST(Launch, TakesTheLargestBlock) {
    std::vector<int> visits(1024);
    simt::launch({{1}, {1024}}, {}, visitKernel, visits.data());
    EXPECT_THAT(visits, ::testing::Each(1));
}

TEST(LaunchReports, ShapesThatNoDeviceTakes) {
    int visit = 0;
    for (const Shape& shape : {Shape{{0}, {32}}, Shape{{1}, {0}}, Shape{{1}, {1025}},
                               Shape{{1, 70000}, {32}}, Shape{{1}, {32}, 300000}})
        EXPECT_THROW(simt::launch(shape, {}, visitKernel, &visit), Error);
    EXPECT_EQ(visit, 0);
}

void failKernel(int* visits, bool fail) {
    visitKernel(visits);
    if (fail && blockX() == 3 && threadX() == 5) shuffle(1U, 0, 0);
    syncThreads();
}

TEST(LaunchReports, NameTheBlockAndLeaveTheEmulatorUsable) {
    for (int round = 0; round < 3; ++round) {
        std::vector<int> visits(8 * 64);
        try {
            simt::launch({{8}, {64}}, {}, failKernel, visits.data(), true);
            FAIL() << "no error";
        } catch (const Error& error) {
            EXPECT_EQ(error.block, (Index3{3, 0, 0}));
            EXPECT_EQ(error.thread, (Index3{5, 0, 0}));
            EXPECT_THAT(std::string(error.what()),
                        HasSubstr("thread (5, 0, 0) of block (3, 0, 0)"));
        }
        std::vector<int> again(8 * 64);
        simt::launch({{8}, {64}}, {}, failKernel, again.data(), false);
        EXPECT_THAT(again, ::testing::Each(1));
    }
}

TEST(Launch, OptionsReachTheLaunchesOfCodeUnderTest) {
    std::vector<int> visits(64);
    Options options;
    options.schedule = Schedule::WarpSerial;
    const ScopedOptions scope(options);
    EXPECT_EQ(ScopedOptions::current().schedule, Schedule::WarpSerial);
    EXPECT_EQ(cuda::launch(nullptr, {2}, {32}, 0, visitKernel, visits.data()), kSuccess);
    EXPECT_EQ(cuda::launch(nullptr, {0}, {32}, 0, visitKernel, visits.data()), kSuccess);
    EXPECT_EQ(scope.stats().blocks, 2U);
    EXPECT_THAT(visits, ::testing::Each(1));
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
