#include "profiler/collect/cupti_tracer.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "engine/base/clock.h"
#include "engine/base/processors.h"
#include "profiler/collect/clock_fit.h"
#include "profiler/collect/cupti_buffers.h"
#include "profiler/collect/cupti_correlator.h"
#include "profiler/collect/cupti_names.h"
#include "profiler/collect/cupti_records.h"
#include "profiler/collect/nvtx_ranges.h"

namespace lanescope::profiler::cupti {

namespace {

class Tracer;
// CUPTI's buffer callbacks carry no user pointer, and it takes one subscriber a process.
std::atomic<Tracer*> g_tracer{nullptr};
// Ids of the spans open on this thread, innermost last: what a graph node is captured under.
thread_local std::vector<std::uint64_t> t_openSpans;

constexpr std::size_t kMaxClockPairs = 256;
constexpr int kCalibrationPushes = 200;

std::uint64_t hostTimestamp() {
    return static_cast<std::uint64_t>(nowNs());
}

class Tracer final : public DeviceTracer {
  public:
    Tracer(const Api& api, std::uint32_t version, std::shared_ptr<void> keepAlive,
           const DeviceTracerSettings& settings)
        : m_keepAlive(std::move(keepAlive)),
          m_api(api),
          m_settings(settings),
          m_source("CUPTI " + versionText(version)),
          m_pool(settings.nBuffers, settings.bufferBytes) {}

    ~Tracer() override {
        disarm();
        m_pool.close();
        if (m_worker.joinable()) m_worker.join();
    }

    /// In the order CUPTI asks for: subscriber, clock, buffers, activities.
    Result<void> start() {
        Tracer* none = nullptr;
        if (!g_tracer.compare_exchange_strong(none, this)) {
            return Error{ErrorCode::NoDevice, "device timing is already on in this program", "",
                         "use one tracer at a time"};
        }
        m_active = true;
        Status status = m_api.subscribe(&m_subscriber, &Tracer::onCallback, this);
        if (status != kSuccess) return refusal(m_api, status, "timing of kernels");
        m_subscribed = true;
        for (const std::uint32_t id : {kGraphNodeCreated, kGraphNodeCloned}) {
            status = m_api.enableCallback(1, m_subscriber, kResourceDomain, id);
            if (status != kSuccess) return refusal(m_api, status, "labelling of graphs");
        }
        // From here on records carry the engine's clock. Should that be refused, the clocks are
        // fitted to each other instead.
        m_sameClock = m_api.registerTimestamp(&hostTimestamp) == kSuccess;
        status = m_api.registerCallbacks(&Tracer::onRequested, &Tracer::onCompleted);
        if (status != kSuccess) return refusal(m_api, status, "timing of kernels");
        (void)m_api.flushPeriod(m_settings.flushMs);  // only how soon a view sees it
        if (auto ok = enableKinds(); !ok) return ok;
        readClocks();
        m_labelCostNs = measureLabelCost();
        m_worker = std::thread([this] { readBuffers(); });
        return {};
    }

    // --- launching thread ------------------------------------------------------------------------
    void pushSpan(const trace::Span& span) override {
        const std::uint64_t id = m_correlator.push(span);
        t_openSpans.push_back(id);
        (void)m_api.pushExternalId(kCustomCorrelation, id);
    }
    void popSpan() override {
        if (!t_openSpans.empty()) t_openSpans.pop_back();
        std::uint64_t last = 0;
        (void)m_api.popExternalId(kCustomCorrelation, &last);
    }
    void rangePush(const char* name) override { nvtxPush(name); }
    void rangePop() override { nvtxPop(); }

    // --- whoever runs the plan -------------------------------------------------------------------
    void attach(Recorder& recorder) override {
        (void)m_api.flushAll(0);  // what came before belongs to no run
        m_pool.waitUntilRead();
        const std::lock_guard lock(m_mutex);
        (void)m_correlator.finish();
        m_recorder = &recorder;
        m_counts = {};
        m_dropped = 0;
        m_overheadRecordsNs = 0;
        m_pushedBefore = m_correlator.pushed();
        m_unmatchedBefore = m_correlator.unmatched();
        for (const auto& [id, device] : m_devices) recorder.deviceFacts(device.facts);
        recorder.deviceTiming(timing());
    }

    void detach() override {
        (void)m_api.flushAll(kFlushForced);
        m_pool.waitUntilRead();
        readClocks();
        const std::lock_guard lock(m_mutex);
        if (m_recorder == nullptr) return;
        deliver(m_correlator.finish());
        countDropped();
        m_recorder->deviceTiming(timing());
        m_recorder = nullptr;
    }

  private:
    struct Device {
        DeviceFacts facts;
        SmLimits limits;
    };

    // --- CUPTI's threads -------------------------------------------------------------------------
    static void onRequested(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords) {
        Tracer* tracer = g_tracer.load();
        *buffer = tracer != nullptr ? tracer->m_pool.request() : nullptr;
        *size = *buffer != nullptr ? tracer->m_pool.bytesEach() : 0;
        *maxRecords = 0;  // as many as fit
    }
    static void onCompleted(void* /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                            std::size_t /*size*/, std::size_t validSize) {
        if (Tracer* tracer = g_tracer.load()) tracer->m_pool.complete(buffer, validSize);
    }
    static void onCallback(void* user, std::uint32_t domain, std::uint32_t id, const void* data) {
        if (domain != kResourceDomain || data == nullptr) return;
        auto* self = static_cast<Tracer*>(user);
        const auto* graph =
            static_cast<const GraphData*>(static_cast<const ResourceData*>(data)->descriptor);
        std::uint64_t node = 0;
        if (graph == nullptr || self->m_api.graphNodeId(graph->node, &node) != kSuccess) return;
        if (id == kGraphNodeCreated) {
            if (!t_openSpans.empty()) self->m_correlator.nodeCaptured(node, t_openSpans.back());
        } else if (id == kGraphNodeCloned) {
            std::uint64_t original = 0;
            if (self->m_api.graphNodeId(graph->originalNode, &original) == kSuccess) {
                self->m_correlator.nodeCloned(node, original);
            }
        }
    }

    Result<void> enableKinds() {
        // An external correlation comes with the record of a call, so calls are recorded too.
        std::vector<Kind> kinds = {Kind::Device,
                                   Kind::Memcpy,
                                   Kind::Memset,
                                   Kind::Overhead,
                                   Kind::Driver,
                                   Kind::Runtime,
                                   Kind::ExternalCorrelation};
        kinds.push_back(Kind::ConcurrentKernel);
        if (m_settings.graphs == GraphTracing::Whole) kinds.push_back(Kind::GraphTrace);
        for (const Kind kind : kinds) {
            const Status status = m_api.enable(static_cast<std::uint32_t>(kind));
            if (status != kSuccess) return refusal(m_api, status, "timing of kernels");
            m_enabled.push_back(kind);
        }
        return {};
    }

    void disarm() {
        if (!m_active) return;
        for (const Kind kind : m_enabled) (void)m_api.disable(static_cast<std::uint32_t>(kind));
        if (!m_enabled.empty()) (void)m_api.flushAll(kFlushForced);
        if (m_subscribed) (void)m_api.unsubscribe(m_subscriber);
        g_tracer = nullptr;
        m_active = false;
    }

    double measureLabelCost() {
        const std::int64_t start = nowNs();
        for (int i = 0; i < kCalibrationPushes; ++i) {
            pushSpan({});
            popSpan();
        }
        return static_cast<double>(nowNs() - start) / kCalibrationPushes;
    }

    /// A pair of readings, CUPTI's between two of ours.
    void readClocks() {
        if (m_sameClock) return;
        std::uint64_t theirs = 0;
        const std::int64_t before = nowNs();
        if (m_api.getTimestamp(&theirs) != kSuccess) return;
        const std::int64_t after = nowNs();
        const std::lock_guard lock(m_mutex);
        if (m_clockPairs.size() >= kMaxClockPairs) {  // keep every other one: the span stays whole
            std::size_t kept = 0;
            for (std::size_t i = 0; i < m_clockPairs.size(); i += 2) {
                m_clockPairs[kept++] = m_clockPairs[i];
            }
            m_clockPairs.resize(kept);
        }
        m_clockPairs.push_back({static_cast<std::int64_t>(theirs), before + (after - before) / 2});
        m_clock = ClockFit(m_clockPairs);
    }

    // --- our thread ------------------------------------------------------------------------------
    void readBuffers() {
        becomeBackgroundThread("device-records");
        while (const auto filled = m_pool.take()) {
            readClocks();
            readBuffer(*filled);
            m_pool.release(filled->data);
        }
    }

    void readBuffer(const BufferPool::Filled& filled) {
        ParsedBuffer parsed = parseRecords({filled.data, filled.validBytes}, m_api.nextRecord);
        const std::lock_guard lock(m_mutex);
        for (const ParsedDevice& device : parsed.devices) learnDevice(device);
        m_names.forgetPointers();  // the module may be unloaded when the next buffer comes
        for (ParsedActivity& p : parsed.activities) {
            p.activity.name = p.fixedName != nullptr ? m_names.ofText(p.fixedName)
                                                     : m_names.ofKernel(p.kernelName);
            const auto device = m_devices.find(p.activity.device);
            if (p.activity.kind == DeviceActivityKind::Kernel && device != m_devices.end()) {
                p.activity.occupancy = theoreticalOccupancy(device->second.limits, p.activity);
            }
        }
        m_counts += parsed.counts;
        countDropped();
        auto labelled = m_correlator.add(parsed.externalIds, std::move(parsed.activities));
        if (m_recorder == nullptr) return;
        deliver(labelled);
        m_recorder->deviceTiming(timing());
    }

    void learnDevice(const ParsedDevice& parsed) {
        Device device{parsed.facts, parsed.limits};
        if (parsed.name != nullptr) device.facts.name = parsed.name;
        device.facts.uuid = uuidText(parsed.uuid);
        if (m_recorder != nullptr) m_recorder->deviceFacts(device.facts);
        m_devices.insert_or_assign(device.facts.device, std::move(device));
    }

    void countDropped() {
        std::size_t n = 0;
        if (m_api.droppedRecords(nullptr, 0, &n) == kSuccess) m_dropped += n;
    }

    /// Under m_mutex, with a recorder.
    void deliver(const std::vector<ParsedActivity>& parsed) {
        if (parsed.empty()) return;
        DeviceActivityBatch batch;
        batch.activities.reserve(parsed.size());
        std::unordered_map<std::int32_t, std::int32_t> places;
        for (const ParsedActivity& p : parsed) {
            DeviceActivity a = p.activity;
            if (a.kind == DeviceActivityKind::Overhead) {
                m_overheadRecordsNs += static_cast<std::uint64_t>(a.tEndNs - a.tStartNs);
            }
            if (!m_sameClock) {
                a.tStartNs = m_clock.toHost(a.tStartNs);
                a.tEndNs = m_clock.toHost(a.tEndNs);
            }
            if (a.name >= 0) {
                const auto next = static_cast<std::int32_t>(batch.names.size());
                const auto [place, isNew] = places.try_emplace(a.name, next);
                if (isNew) batch.names.push_back(m_names.text(a.name));
                a.name = place->second;
            }
            batch.activities.push_back(a);
        }
        m_recorder->deviceActivities(std::move(batch));
    }

    [[nodiscard]] DeviceTiming timing() const {
        DeviceTiming t;
        t.source = m_source;
        t.clockResidualNs = m_sameClock ? 0.0 : m_clock.residualNs();
        t.droppedRecords = m_dropped;
        t.badRecords = m_counts.bad();
        t.unmatched = m_correlator.unmatched() - m_unmatchedBefore;
        t.labelCostNs = m_labelCostNs;
        const auto labels = static_cast<double>(m_correlator.pushed() - m_pushedBefore);
        t.overheadNs = m_overheadRecordsNs + static_cast<std::uint64_t>(labels * m_labelCostNs);
        return t;
    }

    std::shared_ptr<void> m_keepAlive;
    Api m_api;
    DeviceTracerSettings m_settings;
    std::string m_source;
    BufferPool m_pool;
    Correlator m_correlator;
    void* m_subscriber = nullptr;
    bool m_active = false, m_subscribed = false, m_sameClock = false;
    std::vector<Kind> m_enabled;
    double m_labelCostNs = 0.0;

    std::mutex m_mutex;  ///< guards what follows
    Recorder* m_recorder = nullptr;
    std::map<std::int32_t, Device> m_devices;
    NameTable m_names;
    RecordCounts m_counts;
    std::vector<ClockPair> m_clockPairs;
    ClockFit m_clock;
    std::uint64_t m_dropped = 0, m_overheadRecordsNs = 0;
    std::uint64_t m_pushedBefore = 0, m_unmatchedBefore = 0;

    std::thread m_worker;
};

}  // namespace

Result<std::shared_ptr<DeviceTracer>> armTracer(const Api& api, std::uint32_t version,
                                                std::shared_ptr<void> keepAlive,
                                                const DeviceTracerSettings& settings) {
    auto tracer = std::make_shared<Tracer>(api, version, std::move(keepAlive), settings);
    if (auto ok = tracer->start(); !ok) return ok.error();
    return std::shared_ptr<DeviceTracer>(std::move(tracer));
}

}  // namespace lanescope::profiler::cupti

namespace lanescope::profiler {

Result<std::shared_ptr<DeviceTracer>> DeviceTracer::arm(const DeviceTracerSettings& settings) {
    if (auto ok = cupti::driverPresent(); !ok) return ok.error();
    auto library = cupti::Library::open();
    if (!library) return library.error();
    (*library)->keepLoaded();
    const auto& opened = *library;
    return cupti::armTracer(opened->api(), opened->version(), opened, settings);
}

}  // namespace lanescope::profiler
