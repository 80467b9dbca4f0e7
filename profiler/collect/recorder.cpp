#include "profiler/collect/recorder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/processors.h"
#include "profiler/collect/run_builder.h"
#include "profiler/collect/span_ring.h"

namespace lanescope::profiler {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxQueuedEvents = 1U << 16;
constexpr std::size_t kMaxQueuedActivities = 1U << 20;
// Under two frames of the window. Each waking takes a core from the maths for a moment: at 8 ms the
// price of tracing was measured at three per cent of decoding, of which the spans are 0.2.
constexpr auto kDrainInterval = milliseconds(33);
constexpr std::int64_t kHeartbeatNs = 2'000'000'000;  // a waiting run still shows that it lives
constexpr auto kIdleInterval = milliseconds(100);     // before the start and after the end

/// Two threads of its own: the collector drains into the builder, the saver writes snapshots to the
/// store, so that a locked or slow disk never makes a ring overflow.
class RecorderImpl final : public Recorder {
  public:
    explicit RecorderImpl(RecorderSettings settings)
        : m_settings(std::move(settings)),
          m_ring(m_settings.spanRingCapacity),
          m_builder(m_settings.limits, measureSpanCostNs()),
          m_snapshot(m_builder.snapshot()) {
        m_batch.reserve(m_ring.capacity());
        m_collector = std::thread([this] { collectLoop(); });
        if (m_settings.store) m_saver = std::thread([this] { saveLoop(); });
    }

    ~RecorderImpl() override {
        flush();
        {
            const std::scoped_lock lock(m_queueMutex, m_saveMutex);
            m_stop = true;
        }
        m_wake.notify_all();
        m_saveWake.notify_all();
        m_collector.join();
        if (m_saver.joinable()) m_saver.join();
    }

    // --- engine thread ---------------------------------------------------------------------------
    void span(const trace::Span& span) override { m_ring.push(span); }
    void kv(const trace::KvEvent& event) override { enqueueBounded(event); }
    void token(const trace::TokenRecord& token) override { enqueueBounded(token); }
    void prefillProgress(std::int32_t request, std::int32_t done, std::int32_t total) override {
        enqueueBounded(PrefillProgress{request, done, total});
    }
    void runStarted(const trace::RunHeader& header) override {
        trace::RunHeader stamped = header;
        if (stamped.epochNs == 0) stamped.epochNs = nowNs();
        enqueue(std::move(stamped));
        m_wake.notify_one();
    }
    void laneReady(const trace::LaneRecord& lane) override { enqueue(lane); }
    void requestStarted(const trace::RequestRecord& record) override {
        enqueue(RequestStarted{record});
    }
    void requestFinished(const trace::RequestRecord& record) override {
        enqueue(RequestFinished{record});
    }
    void runFinished(trace::RunStatus status, const std::string& error) override {
        enqueue(RunFinished{status, error});
        m_wake.notify_one();
    }

    [[nodiscard]] trace::DeviceHooks* deviceHooks() override {
        return m_settings.deviceHooks.get();
    }

    // --- any thread ------------------------------------------------------------------------------
    void deviceActivities(DeviceActivityBatch batch) override {
        const std::lock_guard lock(m_queueMutex);
        const std::size_t n = batch.activities.size();
        if (m_queuedActivities + n > kMaxQueuedActivities) {
            m_activityDrops += n;
            return;
        }
        m_queuedActivities += n;
        m_queue.emplace_back(std::move(batch));
    }
    void deviceFacts(const DeviceFacts& facts) override { enqueue(facts); }
    void deviceTiming(const DeviceTiming& timing) override { enqueue(timing); }
    void deviceSample(const DeviceSample& sample) override { enqueueBounded(sample); }
    [[nodiscard]] RunSnapshot snapshot() override {
        const std::lock_guard lock(m_builderMutex);
        const std::uint64_t now = m_revision.load(std::memory_order_relaxed);
        if (now != m_snapshotRevision) {
            m_snapshot = m_builder.snapshot();
            m_snapshotRevision = now;
        }
        return m_snapshot;
    }
    [[nodiscard]] std::uint64_t revision() const override {
        return m_revision.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::string storeError() const override {
        const std::lock_guard lock(m_saveMutex);
        return m_storeError;
    }
    void flush() override {
        {
            std::unique_lock lock(m_queueMutex);
            const std::uint64_t ticket = ++m_drainWanted;
            m_wake.notify_one();
            m_drained.wait(lock, [&] { return m_drainDone >= ticket; });
        }
        if (!m_saver.joinable()) return;
        std::unique_lock lock(m_saveMutex);
        const std::uint64_t ticket = ++m_saveWanted;
        m_saveWake.notify_one();
        m_saved.wait(lock, [&] { return m_saveDone >= ticket; });
    }

  private:
    /// Times ScopedSpan into a ring as the engine does it: two clock reads and one push.
    static double measureSpanCostNs() {
        struct Probe final : trace::Sink {
            SpanRing ring{4096};
            void span(const trace::Span& s) override { ring.push(s); }
        } probe;
        const trace::Cursor cursor{&probe, 0, 0, 0};
        constexpr int kSpans = 1000;
        double best = 1e9;
        for (int round = 0; round < 4; ++round) {
            const std::int64_t start = nowNs();
            for (int i = 0; i < kSpans; ++i) {
                const trace::ScopedSpan scoped(cursor, trace::Op::Embed, 0);
            }
            best = std::min(best, static_cast<double>(nowNs() - start) / kSpans);
            probe.ring.drain([](const trace::Span&) {});
        }
        return best;
    }

    void enqueue(Event event) {
        const std::lock_guard lock(m_queueMutex);
        m_queue.push_back(std::move(event));
    }

    /// For what comes in masses: dropped and counted when the collector is that far behind.
    void enqueueBounded(Event event) {
        const std::lock_guard lock(m_queueMutex);
        if (m_queue.size() >= kMaxQueuedEvents) {
            ++m_queueDrops;
            return;
        }
        m_queue.push_back(std::move(event));
    }

    void collectLoop() {
        becomeBackgroundThread("collector");
        std::vector<Event> events;
        std::unique_lock lock(m_queueMutex);
        while (true) {
            events.swap(m_queue);
            m_queuedActivities = 0;
            const QueueDrops drops{m_queueDrops, m_activityDrops};
            const std::uint64_t ticket = m_drainWanted;
            lock.unlock();
            const bool active = drain(events, drops);
            events.clear();
            lock.lock();
            m_drainDone = std::max(m_drainDone, ticket);
            m_drained.notify_all();
            if (m_drainDone < m_drainWanted) continue;
            if (m_stop) return;
            m_wake.wait_for(lock, active ? kDrainInterval : kIdleInterval);
        }
    }

    struct QueueDrops {
        std::uint64_t events = 0, activities = 0;
    };

    /// Moves what waits into the builder. True while the run is on.
    bool drain(std::vector<Event>& events, QueueDrops queued) {
        const std::lock_guard lock(m_builderMutex);
        const std::size_t nEvents = events.size();
        for (auto& event : events) m_builder.apply(std::move(event));
        std::size_t nSpans = 0;
        if (m_builder.started()) {  // before that their zero of time is unknown
            m_batch.clear();
            nSpans = m_ring.drain([this](const trace::Span& s) { m_batch.push_back(s); });
            m_builder.addSpans(m_batch);
        }
        const std::uint64_t drops = m_ring.dropped() + queued.events + queued.activities;
        m_builder.setDropped(m_ring.dropped(), queued.events, queued.activities);
        const std::uint64_t news = nEvents + nSpans + (drops - m_seenDrops);
        m_seenDrops = drops;
        if (news != 0) m_revision.fetch_add(news, std::memory_order_relaxed);
        return m_builder.started() && !m_builder.finished();
    }

    void saveLoop() {
        becomeBackgroundThread("saver");
        RunSnapshot last;
        std::int64_t lastNs = 0;
        bool failed = false;
        std::unique_lock lock(m_saveMutex);
        while (true) {
            const std::uint64_t ticket = m_saveWanted;
            lock.unlock();
            RunSnapshot now = snapshot();
            std::string error;
            const bool beat =
                now->status == trace::RunStatus::Running && nowNs() - lastNs > kHeartbeatNs;
            if (!now->header.id.empty() && (now != last || failed || beat)) {
                const auto saved = m_settings.store->save(*now);
                if (!saved) error = saved.error().toString();
                failed = !saved;
                lastNs = nowNs();
                last = std::move(now);
            }
            lock.lock();
            m_storeError = failed && error.empty() ? m_storeError : error;
            m_saveDone = std::max(m_saveDone, ticket);
            m_saved.notify_all();
            if (m_saveDone < m_saveWanted) continue;
            if (m_stop) return;
            m_saveWake.wait_for(lock, milliseconds(std::max(10, m_settings.saveIntervalMs)));
        }
    }

    RecorderSettings m_settings;
    SpanRing m_ring;

    mutable std::mutex m_queueMutex;  ///< guards the queue and the drain tickets; held for moments
    std::condition_variable m_wake, m_drained;
    std::vector<Event> m_queue;
    std::uint64_t m_queueDrops = 0;
    std::size_t m_queuedActivities = 0;
    std::uint64_t m_activityDrops = 0;
    std::uint64_t m_drainWanted = 0, m_drainDone = 0;
    bool m_stop = false;

    std::mutex m_builderMutex;  ///< guards the builder and the cached snapshot
    RunBuilder m_builder;
    std::vector<trace::Span> m_batch;
    std::uint64_t m_seenDrops = 0;
    RunSnapshot m_snapshot;
    std::uint64_t m_snapshotRevision = 0;
    std::atomic<std::uint64_t> m_revision{0};

    mutable std::mutex m_saveMutex;  ///< guards the save tickets and the error
    std::condition_variable m_saveWake, m_saved;
    std::uint64_t m_saveWanted = 0, m_saveDone = 0;
    std::string m_storeError;

    std::thread m_collector, m_saver;
};

}  // namespace

std::unique_ptr<Recorder> Recorder::create(RecorderSettings settings) {
    return std::make_unique<RecorderImpl>(std::move(settings));
}

}  // namespace lanescope::profiler
