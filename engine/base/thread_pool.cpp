#include "engine/base/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

#include "engine/base/clock.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lanescope {

namespace {

// About 30-50 us on current cores: long enough to bridge the gap between two ops, short enough not
// to starve a neighbour.
constexpr int kSpinLimit = 2000;

// The generation word: number of the fork, then how many workers take part.
constexpr unsigned kActiveBits = 10;

// Of every window of forks, the share that the caller waits for the others is 2 to 10 % while all
// have a core. From here on one worker less does the same work in the same time.
constexpr std::int64_t kWindowNs = 5'000'000;
constexpr double kWaitShare = 0.45;
// A short disturbance (a snapshot being saved) must not cost more than it took: begin with little.
constexpr std::int64_t kShortestFewerNs = 10'000'000;
constexpr std::int64_t kLongestFewerNs = 800'000'000;

inline void pause() {
#if defined(__x86_64__)
    _mm_pause();
#endif
}

void runOn(pthread_t thread, int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    // A processor that has gone meanwhile is no error: the thread stays where it is.
    pthread_setaffinity_np(thread, sizeof(set), &set);
}

}  // namespace

ThreadPool::ThreadPool(int nThreads, Affinity affinity)
    : m_size(std::max(1, nThreads)), m_active(m_size) {
    if (affinity == Affinity::Cores) m_processors = usableProcessors();
    m_threads.reserve(static_cast<std::size_t>(m_size - 1));
    for (int i = 1; i < m_size; ++i) {
        std::thread& thread = m_threads.emplace_back([this, i] { workerLoop(i); });
        if (pinned())
            runOn(thread.native_handle(),
                  m_processors[static_cast<std::size_t>(i) % m_processors.size()]);
    }
}

void ThreadPool::enter() {
    if (!pinned()) return;
    pthread_getaffinity_np(pthread_self(), sizeof(m_callerBefore), &m_callerBefore);
    runOn(pthread_self(), m_processors.front());
}

void ThreadPool::leave() {
    if (!pinned()) return;
    pthread_setaffinity_np(pthread_self(), sizeof(m_callerBefore), &m_callerBefore);
}

ThreadPool::~ThreadPool() {
    m_stop.store(true);
    m_generation.fetch_add(1U << kActiveBits);
    m_generation.notify_all();
    for (auto& thread : m_threads) thread.join();
}

int ThreadPool::activeWorkers(std::int64_t now) {
    if (now >= m_fewerUntilNs) return m_size;
    return m_active;
}

void ThreadPool::noteWait(std::int64_t tStart, std::int64_t tDone, std::int64_t now) {
    m_windowNs += now - tStart;
    m_waitNs += now - tDone;
    if (m_windowNs < kWindowNs) return;
    const bool crowded =
        static_cast<double>(m_waitNs) > kWaitShare * static_cast<double>(m_windowNs);
    m_windowNs = m_waitNs = 0;
    if (!crowded) return;
    // Soon again after the last time: for twice as long.
    const bool again = now - m_fewerUntilNs < 4 * kWindowNs;
    m_fewerForNs = again ? std::min(2 * m_fewerForNs, kLongestFewerNs) : kShortestFewerNs;
    m_fewerUntilNs = now + m_fewerForNs;
    m_active = std::max(1, m_active - 1);
}

void ThreadPool::runErased(Call call, void* context) {
    const std::int64_t tStart = nowNs();
    m_active = activeWorkers(tStart);
    if (m_active == 1) {
        call(context, 0, 1);
        return;
    }
    m_call = call;
    m_context = context;
    m_pending.store(static_cast<std::uint32_t>(m_active - 1), std::memory_order_relaxed);
    m_generation.store(++m_fork << kActiveBits | static_cast<std::uint32_t>(m_active),
                       std::memory_order_release);
    m_generation.notify_all();
    call(context, 0, m_active);
    const std::int64_t tDone = nowNs();
    for (int spin = 0;; ++spin) {
        const std::uint32_t left = m_pending.load(std::memory_order_acquire);
        if (left == 0) break;
        if (spin < kSpinLimit) {
            pause();
        } else {
            m_pending.wait(left, std::memory_order_acquire);
        }
    }
    noteWait(tStart, tDone, nowNs());
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
        // Who is not asked may be late for the fork and must read nothing of it.
        const auto active = static_cast<int>(now & ((1U << kActiveBits) - 1));
        if (index >= active) continue;
        m_call(m_context, index, active);
        if (m_pending.fetch_sub(1, std::memory_order_acq_rel) == 1) m_pending.notify_one();
    }
}

}  // namespace lanescope
