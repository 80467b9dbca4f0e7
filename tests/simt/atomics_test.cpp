// Atomics on global and shared memory, among lanes and among blocks on several threads.

#include <numeric>

#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

struct Cells {
    int sum = 0, least = 0, most = 0;
    unsigned unsignedMost = 0;
    unsigned long long wideMost = 0;
    float floatSum = 0.0F, floatLeast = 0.0F, floatMost = 0.0F;
    int once = 0;
    int wins = 0;
};

void cellsKernel(Cells* cells) {
    SIMT_SHARED(int, local, [1]);
    const int i = blockX() * blockSizeX() + threadX();
    if (threadX() == 0) local[0] = 0;
    syncThreads();
    atomicAdding(&local[0], 1);
    syncThreads();
    if (threadX() == 0) atomicAdding(&cells->sum, local[0]);
    atomicMinimum(&cells->least, 5 - i);
    atomicMaximum(&cells->most, i - 5);
    atomicMaximum(&cells->unsignedMost, static_cast<unsigned>(i) * 3U);
    atomicMaximum(&cells->wideMost, static_cast<unsigned long long>(i) << 33);
    atomicAdding(&cells->floatSum, 0.5F);
    atomicMinimum(&cells->floatLeast, 1.5F - static_cast<float>(i));
    atomicMaximum(&cells->floatMost, static_cast<float>(i) - 1.5F);
    if (atomicCompareExchange(&cells->once, 0, i + 1) == 0) atomicAdding(&cells->wins, 1);
}

TEST(Atomics, AgreeWhateverTheOrder) {
    for (const Options& options : schedules()) {
        Cells cells;
        launch({{9}, {64}}, options, cellsKernel, &cells);
        EXPECT_EQ(cells.sum, 576);
        EXPECT_EQ(cells.least, 5 - 575);
        EXPECT_EQ(cells.most, 570);
        EXPECT_EQ(cells.unsignedMost, 575U * 3U);
        EXPECT_EQ(cells.wideMost, 575ULL << 33);
        EXPECT_EQ(cells.floatSum, 288.0F);
        EXPECT_EQ(cells.floatLeast, -573.5F);
        EXPECT_EQ(cells.floatMost, 573.5F);
        EXPECT_NE(cells.once, 0);
        EXPECT_EQ(cells.wins, 1);
    }
}

/// Every block leaves a part; the last to finish adds the parts up.
void lastBlockKernel(float* parts, unsigned* done, float* total) {
    SIMT_SHARED(bool, last, [1]);
    if (threadX() == 0) {
        parts[blockX()] = static_cast<float>(blockX() + 1);
        threadFence();
        last[0] = atomicAdding(done, 1U) == static_cast<unsigned>(gridSizeX()) - 1U;
        threadFence();
    }
    syncThreads();
    if (!last[0] || threadX() != 0) return;
    float sum = 0.0F;
    for (int i = 0; i < gridSizeX(); ++i) sum += parts[i];
    *total = sum;
    *done = 0;
}

TEST(Atomics, LetTheLastBlockFinishTheWork) {
    for (Options options : schedules()) {
        options.workers = 4;
        std::vector<float> parts(40);
        unsigned done = 0;
        float total = 0.0F;
        launch({{40}, {32}}, options, lastBlockKernel, parts.data(), &done, &total);
        EXPECT_EQ(total, 820.0F);
        EXPECT_EQ(done, 0U);
    }
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
