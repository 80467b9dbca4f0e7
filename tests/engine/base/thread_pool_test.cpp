#include "engine/base/thread_pool.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace lanescope {
namespace {

TEST(ThreadPool, EveryWorkerRunsOnceATimeOverManyForks) {
    for (int n : {1, 2, 3}) {
        ThreadPool pool(n);
        for (int i = 0; i < 2000; ++i) {
            // Fewer than n take part where other processes hold the cores.
            std::vector<int> counts(static_cast<std::size_t>(n), 0);
            int workers = 0;
            pool.run([&](int index, int count) {
                if (index == 0) workers = count;
                ++counts[static_cast<std::size_t>(index)];
            });
            ASSERT_GE(workers, 1);
            ASSERT_LE(workers, n);
            for (int index = 0; index < n; ++index)
                ASSERT_EQ(counts[static_cast<std::size_t>(index)], index < workers ? 1 : 0);
        }
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

TEST(ThreadPool, DoesWithoutAWorkerThatHasNoCoreAndTriesAgain) {
    ThreadPool pool(2);
    // A worker that is late as one is whose core another process holds.
    const auto lateFork = [&pool] {
        int workers = 0;
        pool.run([&](int index, int count) {
            if (index == 0) workers = count;
            if (index == 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
        });
        return workers;
    };
    int forks = 0;
    while (lateFork() == 2 && forks < 100) ++forks;
    EXPECT_LE(forks, 4) << "a few late forks are enough";
    EXPECT_EQ(lateFork(), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    EXPECT_EQ(lateFork(), 2) << "tried again";
}

TEST(ThreadPool, LongWorkOfEqualPartsKeepsEveryWorker) {
    ThreadPool pool(2);
    for (int i = 0; i < 10; ++i) {
        pool.run([](int index, int count) {
            EXPECT_EQ(count, 2);
            std::this_thread::sleep_for(std::chrono::milliseconds(index == 0 ? 20 : 24));
        });
    }
}

TEST(ThreadPool, PinnedWorkersStayOnTheirProcessors) {
    const std::vector<int> processors = usableProcessors();
    ASSERT_EQ(static_cast<int>(processors.size()), usableCpuCount());
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    ThreadPool pool(3, Affinity::Cores);
    std::vector<int> on(3, -1);
    pool.enter();
    for (int round = 0; round < 100; ++round)
        pool.run([&](int index, int count) {
            cpu_set_t set;
            sched_getaffinity(0, sizeof(set), &set);
            if (count == 3) on[static_cast<std::size_t>(index)] = CPU_COUNT(&set);
            if (count == 3 &&
                !CPU_ISSET(processors[static_cast<std::size_t>(index) % processors.size()], &set))
                on[static_cast<std::size_t>(index)] = 1000;
        });
    pool.leave();
    EXPECT_EQ(on, (std::vector<int>{1, 1, 1}));
    cpu_set_t after;
    ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "the caller gets its own processors back";
}

}  // namespace
}  // namespace lanescope
