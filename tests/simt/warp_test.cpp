// Warp collectives: what they give, and what is reported when lanes do not agree.

#include <cmath>
#include <numeric>

#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

struct ShuffleOut {
    int index[64];
    int up[64];
    int down[64];
    int crossed[64];
    double wide[64];
};

void shuffleKernel(ShuffleOut* out, int width) {
    const int t = threadX();
    out->index[t] = shuffle(kFullMask, 100 + t, 5, width);
    out->up[t] = shuffleUp(kFullMask, 100 + t, 3, width);
    out->down[t] = shuffleDown(kFullMask, 100 + t, 3, width);
    out->crossed[t] = shuffleXor(kFullMask, 100 + t, 9, width);
    out->wide[t] = shuffleXor(kFullMask, 0.5 + t, 1, width);
}

TEST(Warp, ShufflesMoveValuesInsideTheirGroups) {
    for (const Options& options : schedules()) {
        for (const int width : {32, 16, 8, 4}) {
            ShuffleOut out{};
            launch({{1}, {64}}, options, shuffleKernel, &out, width);
            for (int t = 0; t < 64; ++t) {
                const int first = t / width * width;
                const int last = first + width - 1;
                EXPECT_EQ(out.index[t], 100 + first + 5 % width);
                EXPECT_EQ(out.up[t], 100 + (t - 3 < first ? t : t - 3));
                EXPECT_EQ(out.down[t], 100 + (t + 3 > last ? t : t + 3));
                const int other = t / 32 * 32 + (t % 32 ^ 9);
                EXPECT_EQ(out.crossed[t], 100 + (other > last ? t : other)) << t << ' ' << width;
                EXPECT_EQ(out.wide[t], 0.5 + (t ^ 1));
            }
        }
    }
}

struct VoteOut {
    std::uint32_t ballot, any, all, matchAny, matchAllOdd, matchAllSame;
    std::int32_t sum, least, most;
    std::uint32_t usum, uleast, umost, both, either, parity;
    float total, highest, quarter;
};

void voteKernel(VoteOut* outs) {
    const int t = threadX();
    VoteOut& out = outs[t];
    out.ballot = ballot(kFullMask, t % 3 == 0);
    out.any = anyOf(kFullMask, t == 7) ? 1 : 0;
    out.all = allOf(kFullMask, t != 7) ? 1 : 0;
    out.matchAny = matchAny(kFullMask, static_cast<long long>(t / 8) << 40);
    out.matchAllOdd = matchAll(kFullMask, t & 1);
    out.matchAllSame = matchAll(kFullMask, 42);
    out.sum = reduceAdd(kFullMask, t - 10);
    out.least = reduceMin(kFullMask, t - 10);
    out.most = reduceMax(kFullMask, t - 10);
    const auto u = static_cast<std::uint32_t>(t) + 0xFFFFFFF0U;
    out.usum = reduceAdd(kFullMask, u);
    out.uleast = reduceMin(kFullMask, u);
    out.umost = reduceMax(kFullMask, u);
    out.both = reduceAnd(kFullMask, 0xF0U | static_cast<std::uint32_t>(t));
    out.either = reduceOr(kFullMask, 1U << t);
    out.parity = reduceXor(kFullMask, static_cast<std::uint32_t>(t));
    out.total = warpSum(0.5F * static_cast<float>(t));
    out.highest = warpMax(t == 4 ? NAN : static_cast<float>(-t));
    out.quarter = warpSum<8>(static_cast<float>(t));
}

TEST(Warp, VotesMatchesAndReductionsSeeAllLanes) {
    for (const Options& options : schedules()) {
        std::vector<VoteOut> outs(32);
        launch({{1}, {32}}, options, voteKernel, outs.data());
        for (std::uint32_t t = 0; t < 32; ++t) {
            const VoteOut& out = outs[t];
            EXPECT_EQ(out.ballot, 0x49249249U);
            EXPECT_EQ(out.any, 1U);
            EXPECT_EQ(out.all, 0U);
            EXPECT_EQ(out.matchAny, 0xFFU << (t / 8 * 8));
            EXPECT_EQ(out.matchAllOdd, 0U);
            EXPECT_EQ(out.matchAllSame, kFullMask);
            EXPECT_EQ(out.sum, 31 * 16 - 320);
            EXPECT_EQ(out.least, -10);
            EXPECT_EQ(out.most, 21);
            EXPECT_EQ(out.usum, 31U * 16U - 16U * 32U);
            EXPECT_EQ(out.uleast, 0U);
            EXPECT_EQ(out.umost, 0xFFFFFFFFU);
            EXPECT_EQ(out.both, 0xE0U & 0xF0U ? 0xF0U : 0U);
            EXPECT_EQ(out.either, kFullMask);
            EXPECT_EQ(out.parity, 0U);
            EXPECT_EQ(out.total, 248.0F);
            EXPECT_EQ(out.highest, 0.0F);
            EXPECT_EQ(out.quarter, static_cast<float>(8 * (t / 8 * 8) + 28));
        }
    }
}

void halvesKernel(int* out) {
    const int t = threadX();
    // Each half goes its own way with its own mask.
    if (t < 16)
        out[t] = shuffleXor(0x0000FFFFU, t, 1);
    else
        out[t] = reduceAdd(0xFFFF0000U, t);
    syncWarp(kFullMask);
    out[t] += shuffle(kFullMask, t, 31);
}

TEST(Warp, PartsOfAWarpMayMeetApart) {
    for (const Options& options : schedules()) {
        std::vector<int> out(32);
        launch({{1}, {32}}, options, halvesKernel, out.data());
        for (int t = 0; t < 32; ++t)
            EXPECT_EQ(out[static_cast<std::size_t>(t)], (t < 16 ? t ^ 1 : 376) + 31);
    }
}

void sumKernel(float* out, const float* in) {
    const int t = threadX();
    float value = in[t];
    out[t] = warpSum(value);
    for (int step = 16; step > 0; step /= 2) value += shuffleXor(kFullMask, value, step);
    out[32 + t] = value;
}

TEST(Warp, SumInOneMeetingHasTheBitsOfFiveShuffles) {
    std::vector<float> in(32);
    for (std::size_t i = 0; i < 32; ++i) in[i] = std::sin(static_cast<float>(i)) * 1e3F;
    std::vector<float> out(64);
    launch({{1}, {32}}, {}, sumKernel, out.data(), in.data());
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], out[32 + i]);
}

// --- What is reported ---

void divergentShuffleKernel(int* out) {
    const int t = threadX();
    if (t < 20)
        out[t] = shuffleXor(kFullMask, t, 1);
    else
        out[t] = shuffleXor(kFullMask, t, 2);
}

TEST(WarpReports, ShufflesAtDifferentPlaces) {
    std::vector<int> out(32);
    expectError(errorOf(32, divergentShuffleKernel, out.data()), ErrorKind::Divergence,
                AllOf(HasSubstr("warp_test.cpp:"), HasSubstr("of block (0, 0, 0): divergence: "),
                      HasSubstr("shuffleXor, while thread (0, 0, 0) is at shuffleXor at "
                                "warp_test.cpp:")));
}

void missingLaneKernel(int* out) {
    const int t = threadX();
    if (t != 9) out[t] = shuffleDown(kFullMask, t, 1);
    syncThreads();
}

TEST(WarpReports, ShuffleThatALaneGoesAround) {
    std::vector<int> out(32);
    expectError(errorOf(32, missingLaneKernel, out.data()), ErrorKind::Divergence,
                AllOf(HasSubstr("thread (9, 0, 0) of block"), HasSubstr("syncThreads, while lanes"),
                      HasSubstr("shuffleDown at warp_test.cpp:")));
}

void exitedKernel(int* out, int n) {
    const int t = threadX();
    if (t >= n) return;  // instead of a predicate around the store
    out[t] = reduceAdd(kFullMask, t);
}

TEST(WarpReports, LanesThatHaveLeft) {
    std::vector<int> out(32);
    expectError(errorOf(32, exitedKernel, out.data(), 30), ErrorKind::ExitedLane,
                AllOf(HasSubstr("reduceAdd waits for thread (30, 0, 0), which has left")));
    EXPECT_FALSE(errorOf(32, exitedKernel, out.data(), 32).has_value());
}

void masksKernel(int* out) {
    const int t = threadX();
    const std::uint32_t mask = t < 8 ? 0xFFFFU : kFullMask;
    out[t] = shuffle(mask, t, 0);
}

void ownMaskKernel(int* out) {
    out[threadX()] = shuffle(0xFFFFFFFEU, threadX(), 4);
}

void absentKernel(int* out) {
    out[threadX()] = shuffle(kFullMask, threadX(), 4);
}

void sourceKernel(int* out) {
    if (threadX() < 16) out[threadX()] = shuffle(0xFFFFU, threadX(), 20);
}

TEST(WarpReports, WrongMasks) {
    std::vector<int> out(32);
    expectError(
        errorOf(32, masksKernel, out.data()), ErrorKind::WrongMask,
        AllOf(HasSubstr("with mask 0xffffffff, while thread (0, 0, 0) has mask 0x0000ffff")));
    expectError(errorOf(32, ownMaskKernel, out.data()), ErrorKind::WrongMask,
                HasSubstr("mask 0xfffffffe, which lacks the calling lane 0"));
    expectError(errorOf(20, absentKernel, out.data()), ErrorKind::WrongMask,
                HasSubstr("but the block has no thread 20"));
    expectError(errorOf(32, sourceKernel, out.data()), ErrorKind::WrongMask,
                HasSubstr("of the shuffle reads from lane 20, which mask 0x0000ffff lacks"));
}

void circleKernel(int* out) {
    const int t = threadX();
    if (t == 0) out[t] = shuffle(0b011U, t, 0);
    if (t == 1) out[t] = shuffle(0b110U, t, 1);
    if (t == 2) out[t] = shuffle(0b101U, t, 2);
}

TEST(WarpReports, LanesThatWaitForEachOtherInACircle) {
    std::vector<int> out(3);
    expectError(
        errorOf(3, circleKernel, out.data()), ErrorKind::Deadlock,
        AllOf(HasSubstr("no lane can go on: thread (0, 0, 0) is at shuffle at warp_test.cpp:"),
              HasSubstr("thread (2, 0, 0) is at shuffle at warp_test.cpp:")));
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
