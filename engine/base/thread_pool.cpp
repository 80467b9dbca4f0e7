#include "engine/base/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lanescope {

namespace {

// About 30-50 us on current cores: long enough to bridge the gap between two ops, short enough not
// to starve a neighbour.
constexpr int kSpinLimit = 2000;

inline void pause() {
#if defined(__x86_64__)
    _mm_pause();
#endif
}

}  // namespace

int usableCpuCount() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int nThreads) : m_size(std::max(1, nThreads)) {
    m_threads.reserve(static_cast<std::size_t>(m_size - 1));
    for (int i = 1; i < m_size; ++i) m_threads.emplace_back([this, i] { workerLoop(i); });
}

ThreadPool::~ThreadPool() {
    m_stop.store(true);
    m_generation.fetch_add(1);
    m_generation.notify_all();
    for (auto& thread : m_threads) thread.join();
}

void ThreadPool::runErased(Call call, void* context) {
    if (m_size == 1) {
        call(context, 0, 1);
        return;
    }
    m_call = call;
    m_context = context;
    m_pending.store(static_cast<std::uint32_t>(m_size - 1), std::memory_order_relaxed);
    m_generation.fetch_add(1, std::memory_order_release);
    m_generation.notify_all();
    call(context, 0, m_size);
    for (int spin = 0;; ++spin) {
        const std::uint32_t left = m_pending.load(std::memory_order_acquire);
        if (left == 0) return;
        if (spin < kSpinLimit) {
            pause();
        } else {
            m_pending.wait(left, std::memory_order_acquire);
        }
    }
}

void ThreadPool::workerLoop(int index) {
    pthread_setname_np(pthread_self(), ("maths-" + std::to_string(index)).c_str());
    std::uint32_t seen = 0;
    while (true) {
        std::uint32_t now = m_generation.load(std::memory_order_acquire);
        for (int spin = 0; now == seen; ++spin) {
            if (spin < kSpinLimit) {
                pause();
            } else {
                m_generation.wait(seen, std::memory_order_acquire);
            }
            now = m_generation.load(std::memory_order_acquire);
        }
        seen = now;
        if (m_stop.load()) return;
        m_call(m_context, index, m_size);
        if (m_pending.fetch_sub(1, std::memory_order_acq_rel) == 1) m_pending.notify_one();
    }
}

}  // namespace lanescope
