#pragma once
// The fixed pool that does the maths: fork and join in under a microsecond while work keeps coming,
// asleep when idle. Not a task queue. Waiting is a bounded spin, then a futex (see CPU notes on
// shared cores).

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace lanescope {

/// nThreads workers, the caller being worker 0. One caller at a time.
class ThreadPool {
  public:
    explicit ThreadPool(int nThreads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int size() const { return m_size; }

    /// Runs fn(threadIndex, nThreads) on every worker and returns when all are done. fn must not
    /// throw.
    template <class Fn>
    void run(Fn&& fn) {
        auto call = [](void* context, int index, int count) {
            (*static_cast<std::remove_reference_t<Fn>*>(context))(index, count);
        };
        runErased(call, const_cast<void*>(static_cast<const void*>(&fn)));
    }

    /// Splits [0, n) into contiguous parts, multiples of `grain` but for the last, one per worker:
    /// fn(begin, end).
    template <class Fn>
    void split(std::int64_t n, std::int64_t grain, Fn&& fn) {
        if (n <= grain || m_size == 1) {
            if (n > 0) fn(std::int64_t{0}, n);
            return;
        }
        run([&](int index, int count) {
            const std::int64_t units = (n + grain - 1) / grain;
            const std::int64_t begin = units * index / count * grain;
            const std::int64_t end = std::min(n, units * (index + 1) / count * grain);
            if (begin < end) fn(begin, end);
        });
    }

  private:
    using Call = void (*)(void* context, int index, int count);
    void runErased(Call call, void* context);
    void workerLoop(int index);

    int m_size;
    Call m_call = nullptr;
    void* m_context = nullptr;
    alignas(64) std::atomic<std::uint32_t> m_generation{0};
    alignas(64) std::atomic<std::uint32_t> m_pending{0};
    std::atomic<bool> m_stop{false};
    std::vector<std::thread> m_threads;
};

/// Logical processors this process may use (affinity respected); at least 1.
int usableCpuCount();

}  // namespace lanescope
