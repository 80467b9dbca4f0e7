#pragma once
// The fixed pool that does the maths: fork and join in under a microsecond while work keeps coming,
// asleep when idle. Not a task queue. Waiting is a bounded spin, then a futex. Where another
// process holds a core, every fork would wait for its time slice to end: the pool then does without
// a worker for a while and tries again.

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "engine/base/processors.h"

namespace lanescope {

/// nThreads workers, the caller being worker 0. One caller at a time.
class ThreadPool {
  public:
    explicit ThreadPool(int nThreads, Affinity affinity = Affinity::None);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int size() const { return m_size; }

    /// Puts the calling thread on worker 0's processor, where workers have one; leave() gives it
    /// back its own. A thread that forks without it may share a processor with a worker.
    void enter();
    void leave();

    /// Runs fn(threadIndex, nThreads) on every worker and returns when all are done; nThreads may
    /// be less than size() (see above). fn must not throw.
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
    [[nodiscard]] bool pinned() const { return !m_processors.empty(); }
    /// Workers that take part in the next fork.
    int activeWorkers(std::int64_t now);
    /// The calling thread's part took from tStart to tDone, the whole fork until `now`.
    void noteWait(std::int64_t tStart, std::int64_t tDone, std::int64_t now);

    int m_size;
    int m_active;  ///< workers of the present fork; the caller's own
    std::uint32_t m_fork = 0;
    Call m_call = nullptr;
    void* m_context = nullptr;
    std::int64_t m_windowNs = 0;      ///< time of the forks that are looked at together
    std::int64_t m_waitNs = 0;        ///< of it, the caller waited for others
    std::int64_t m_fewerUntilNs = 0;  ///< until then the pool does without some workers
    std::int64_t m_fewerForNs = 0;    ///< how long the next time
    alignas(64) std::atomic<std::uint32_t> m_generation{0};  ///< fork and its workers
    alignas(64) std::atomic<std::uint32_t> m_pending{0};
    std::atomic<bool> m_stop{false};
    std::vector<int> m_processors;  ///< of each worker; empty: wherever the system likes
    cpu_set_t m_callerBefore{};
    std::vector<std::thread> m_threads;
};

}  // namespace lanescope
