// Planted races, for builds with ThreadSanitizer: what it has to find, and what it must not.

#include <cstdlib>

#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

#if defined(__SANITIZE_THREAD__)

/// Runs the statement in a process of its own; the tool turns its exit code into 66 after a report.
#define EXPECT_RACE(statement) \
    EXPECT_EXIT(               \
        {                      \
            statement;         \
            std::exit(0);      \
        },                     \
        ::testing::ExitedWithCode(66), "data race")

class Races : public ::testing::Test {
  protected:
    // The tool has a thread of its own. Set before the test begins, also in the process started for
    // the statement.
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

Options oneWorker() {
    Options options;
    options.workers = 1;
    return options;
}

void neighbourKernel(int* out, bool afterWrite, bool afterRead) {
    SIMT_SHARED(int, values, [64]);
    const int t = threadX();
    for (int i = 0; i < 2; ++i) {
        values[t] = t + i;
        if (afterWrite) syncThreads();
        out[t] = values[(t + 1) % 64];
        if (afterRead) syncThreads();
    }
}

void shuffledKernel(int* out, bool sync) {
    SIMT_SHARED(int, values, [32]);
    const int t = threadX();
    values[t] = t;
    out[t] = shuffle(kFullMask, t, 0);  // meets, but orders nothing
    if (sync) syncWarp(kFullMask);
    out[t] += values[31 - t];
}

void blocksKernel(int* out, bool atomic) {
    if (threadX() != blockX()) return;  // another lane of each block
    if (atomic)
        atomicAdding(out, 1);
    else
        ++*out;
}

void asyncKernel(const int* in, int* out, bool barrier) {
    SIMT_SHARED(int, tile, [32]);
    copyAsync<4>(&tile[threadX()], in + threadX());
    commitAsync();
    waitAsync<0>();
    if (barrier) syncThreads();
    out[threadX()] = tile[31 - threadX()];
}

void lastKernel(int* parts, unsigned* done, int* total, bool fenced) {
    if (threadX() != 0) return;
    parts[blockX()] = 1;
    if (fenced) threadFence();
    if (atomicAdding(done, 1U) + 1U != static_cast<unsigned>(gridSizeX())) return;
    if (fenced) threadFence();
    *total = 0;
    for (int i = 0; i < gridSizeX(); ++i) *total += parts[i];
}

TEST_F(Races, AreFoundWhereABarrierIsMissing) {
    std::vector<int> out(64);
    EXPECT_RACE(launch({{1}, {64}}, oneWorker(), neighbourKernel, out.data(), false, true));
    EXPECT_RACE(launch({{1}, {64}}, oneWorker(), neighbourKernel, out.data(), true, false));
    launch({{1}, {64}}, oneWorker(), neighbourKernel, out.data(), true, true);
}

TEST_F(Races, AreFoundBehindAShuffle) {
    std::vector<int> out(32);
    EXPECT_RACE(launch({{1}, {32}}, oneWorker(), shuffledKernel, out.data(), false));
    launch({{1}, {32}}, oneWorker(), shuffledKernel, out.data(), true);
}

TEST_F(Races, AreFoundBetweenBlocks) {
    int out = 0;
    EXPECT_RACE(launch({{2}, {32}}, oneWorker(), blocksKernel, &out, false));
    launch({{2}, {32}}, oneWorker(), blocksKernel, &out, true);
    EXPECT_EQ(out, 2);
}

TEST_F(Races, AreFoundBehindAsynchronousCopies) {
    const std::vector<int> in(32);
    std::vector<int> out(32);
    EXPECT_RACE(launch({{1}, {32}}, oneWorker(), asyncKernel, in.data(), out.data(), false));
    launch({{1}, {32}}, oneWorker(), asyncKernel, in.data(), out.data(), true);
}

TEST_F(Races, AreFoundWhereAFenceIsMissing) {
    std::vector<int> parts(4);
    unsigned done = 0;
    int total = 0;
    EXPECT_RACE(launch({{4}, {32}}, oneWorker(), lastKernel, parts.data(), &done, &total, false));
    launch({{4}, {32}}, oneWorker(), lastKernel, parts.data(), &done, &total, true);
    EXPECT_EQ(total, 4);
}

#else

TEST(Races, AreForThreadSanitizer) {
    GTEST_SKIP() << "built without ThreadSanitizer";
}

#endif

}  // namespace
}  // namespace lanescope::kernels::cuda::test
