#include "engine/base/thread_pool.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace lanescope {
namespace {

TEST(ThreadPool, EveryWorkerRunsOnceATimeOverManyForks) {
    for (int n : {1, 2, 3}) {
        ThreadPool pool(n);
        std::vector<int> counts(static_cast<std::size_t>(n), 0);
        for (int i = 0; i < 2000; ++i) {
            pool.run([&](int index, int count) {
                EXPECT_EQ(count, n);
                ++counts[static_cast<std::size_t>(index)];
            });
        }
        for (int c : counts) EXPECT_EQ(c, 2000);
    }
}

TEST(ThreadPool, SplitCoversEveryIndexOnceInUnitsOfTheGrain) {
    ThreadPool pool(3);
    for (std::int64_t n : {0, 1, 7, 16, 17, 100}) {
        std::vector<int> seen(static_cast<std::size_t>(n), 0);
        pool.split(n, 8, [&](std::int64_t begin, std::int64_t end) {
            EXPECT_EQ(begin % 8, 0);
            for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
        });
        EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), n);
    }
}

TEST(ThreadPool, WorkersSleepAndWakeAgain) {
    ThreadPool pool(2);
    std::atomic<int> sum{0};
    for (int i = 0; i < 3; ++i) {
        pool.run([&](int, int) { sum.fetch_add(1); });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(sum.load(), 6);
}

}  // namespace
}  // namespace lanescope
