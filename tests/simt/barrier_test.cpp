// Barriers of a block, and the bugs around them.

#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

void reverseKernel(int* out, int rounds) {
    SIMT_SHARED(int, values, [96]);
    const int t = threadX();
    int mine = t;
    for (int i = 0; i < rounds; ++i) {
        values[t] = mine;
        syncThreads();
        mine = values[95 - t] + 1;
        syncThreads();
    }
    out[blockX() * 96 + t] = mine;
}

TEST(Barrier, LetsAllWritesBeSeen) {
    for (const Options& options : schedules()) {
        std::vector<int> out(5 * 96);
        const Stats stats = launch({{5}, {96}}, options, reverseKernel, out.data(), 7);
        for (int i = 0; i < 5 * 96; ++i)
            EXPECT_EQ(out[static_cast<std::size_t>(i)], 95 - i % 96 + 7);
        EXPECT_EQ(stats.barriers, 5U * 14U);
        EXPECT_EQ(stats.blocks, 5U);
        EXPECT_EQ(stats.sharedBytes, 96U * 4U);
    }
}

void noSecondBarrierKernel(int* out, int rounds) {
    SIMT_SHARED(int, values, [96]);
    const int t = threadX();
    int mine = t;
    for (int i = 0; i < rounds; ++i) {
        values[t] = mine;
        syncThreads();
        mine = values[(t + 1) % 96] + 1;
        // Missing: a barrier before the next round overwrites what others have still to read.
    }
    out[t] = mine;
}

TEST(Barrier, MissingWriteAfterReadBarrierShowsInSomeSchedule) {
    if (kRaceTool) GTEST_SKIP() << "the race is what the tool reports: races_test";
    int wrong = 0;
    for (const Options& options : schedules()) {
        std::vector<int> out(96);
        launch({{1}, {96}}, options, noSecondBarrierKernel, out.data(), 3);
        bool right = true;
        for (int t = 0; t < 96; ++t) right &= out[static_cast<std::size_t>(t)] == (t + 3) % 96 + 3;
        if (!right) ++wrong;
    }
    EXPECT_GE(wrong, 1);
}

struct Votes {
    int count;
    bool all, some, none;
};

void voteKernel(Votes* out) {
    const int t = threadX() + 16 * threadY();
    out[t].count = syncThreadsCount(t % 5 == 0);
    out[t].all = syncThreadsAnd(t < 48);
    out[t].some = syncThreadsOr(t == 47);
    out[t].none = syncThreadsOr(t == 48);
}

TEST(Barrier, CountsAndVotes) {
    for (const Options& options : schedules()) {
        std::vector<Votes> out(48);
        launch({{1}, {16, 3}}, options, voteKernel, out.data());
        for (const Votes& votes : out) {
            EXPECT_EQ(votes.count, 10);
            EXPECT_TRUE(votes.all);
            EXPECT_TRUE(votes.some);
            EXPECT_FALSE(votes.none);
        }
    }
}

void divergentKernel(int* out) {
    const int t = threadX();
    if (t < 40) {
        out[t] = 1;
        syncThreads();
    } else {
        out[t] = 2;
        syncThreads();
    }
}

void leavingKernel(int n) {
    if (threadX() >= n) return;
    syncThreads();
}

void againstShuffleKernel(int* out) {
    const int t = threadX();
    if (t % 32 == 3) syncThreads();
    out[t] = shuffle(kFullMask, t, 0);
    if (t % 32 != 3) syncThreads();
}

TEST(BarrierReports, DifferentBarriers) {
    std::vector<int> out(64);
    expectError(errorOf(64, divergentKernel, out.data()), ErrorKind::Divergence,
                AllOf(HasSubstr("barrier_test.cpp:"),
                      HasSubstr("syncThreads, while thread (0, 0, 0) waits at another, "
                                "barrier_test.cpp:")));
}

TEST(BarrierReports, ThreadsThatHaveLeft) {
    expectError(errorOf(64, leavingKernel, 50), ErrorKind::ExitedLane,
                HasSubstr("syncThreads waits for thread (50, 0, 0), which has left the kernel"));
}

TEST(BarrierReports, ShuffleThatWaitsForALaneAtABarrier) {
    std::vector<int> out(64);
    expectError(
        errorOf(64, againstShuffleKernel, out.data()), ErrorKind::Divergence,
        AllOf(HasSubstr("shuffle"), HasSubstr("syncThreads"), HasSubstr("thread (3, 0, 0)")));
}

void spinKernel(int* flag) {
    if (threadX() == 0)
        while (atomicAdding(flag, 0) == 0) {
        }
    else
        atomicExchange(flag, threadX() > 64 ? 1 : 0);
}

TEST(BarrierReports, ALaneThatWaitsForWhatCannotCome) {
    int flag = 0;
    Options options;
    options.maxSpins = 10000;
    try {
        launch({{1}, {2}}, options, spinKernel, &flag);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind, ErrorKind::Deadlock);
        EXPECT_THAT(std::string(error.what()),
                    AllOf(HasSubstr("barrier_test.cpp:"),
                          HasSubstr("thread (0, 0, 0) of block (0, 0, 0): deadlock: 10000 atomics "
                                    "without meeting another lane")));
    }
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
