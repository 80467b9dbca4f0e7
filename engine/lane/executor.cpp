#include "engine/lane/executor.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <random>
#include <set>

#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "engine/base/thread_pool.h"
#include "engine/decode/next_token.h"
#include "engine/lane/attention_option.h"
#include "engine/lane/machine_roof.h"

namespace lanescope {

namespace {

/// A warm-up only has to touch weights, caches and scratch; it need not run as long as a request.
constexpr std::int32_t kWarmupTokens = 16;

/// 128 random bits as hex.
std::string newRunId() {
    std::random_device device;
    std::string out;
    for (int i = 0; i < 4; ++i) {
        char part[9];
        std::snprintf(part, sizeof part, "%08x", static_cast<unsigned>(device()));
        out += part;
    }
    return out;
}

std::string shellQuote(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// whyHostSamples: what of the plan a lane that samples on its device cannot do there; may be
/// empty.
std::string settingsJson(const LaneSpec& spec, const EffectiveSettings& effective,
                         const std::vector<trace::Op>& int8Products,
                         const std::string& whyHostSamples) {
    nlohmann::ordered_json out;
    const bool cuda = effective.settings.backend == BackendKind::Cuda;
    out["backend"] = cuda ? "cuda:" + std::to_string(effective.settings.device) : "cpu";
    out["isa"] = effective.isa;
    out["threads"] = effective.settings.threads;
    out["weights"] = spec.weights == "auto" ? "as-is" : spec.weights;
    out["kv"] = kernels::kvFormatName(effective.settings.kvKeys);
    if (effective.settings.kvValues != effective.settings.kvKeys)
        out["kvValues"] = kernels::kvFormatName(effective.settings.kvValues);
    if (effective.settings.kvRotate) out["kvRotate"] = true;
    out["kvBlock"] = effective.settings.kvBlockTokens;
    out["context"] = effective.settings.contextTokens;
    out["attention"] = attentionName(effective.settings);
    if (!spec.denseLayers.empty()) out["denseLayers"] = spec.denseLayers;
    out["exact"] = effective.settings.exact;
    out["acts"] = effective.settings.exact                        ? "fp32"
                  : effective.settings.acts == ActsFormat::Int8x2 ? "int8x2"
                  : effective.settings.acts == ActsFormat::Bf16   ? "bf16"
                                                                  : "int8";
    out["affinity"] = effective.settings.affinity == Affinity::Cores ? "cores" : "none";
    out["products"] = effective.settings.products == Products::CublasLt ? "cublaslt" : "own";
    const bool asksDevice = effective.settings.sampleOn == SampleOn::Device;
    out["sampling"] = asksDevice && whyHostSamples.empty() ? "device" : "host";
    out["pack"] = effective.settings.pack;
    out["prefillChunk"] = effective.settings.prefillChunk;
    out["decode"] = "plain";
    out["int8"] = nlohmann::ordered_json::array();
    for (const trace::Op op : int8Products) out["int8"].push_back(trace::opName(op));
    std::vector<std::string> notes = effective.notes;
    if (asksDevice && !whyHostSamples.empty())
        notes.push_back("sampling host instead of device: " + whyHostSamples);
    if (!spec.chatTemplate.empty()) notes.emplace_back("chat template chosen by hand");
    out["notes"] = notes;
    return dumpJson(out);
}

/// Passes everything on but op spans; phases stay, since they cost two calls a token.
class WithoutOps : public trace::Sink {
  public:
    explicit WithoutOps(trace::Sink& sink) : m_sink(sink) {}
    void span(const trace::Span& s) override {
        if (s.op >= trace::Op::Prefill) m_sink.span(s);
    }
    void kv(const trace::KvEvent& e) override { m_sink.kv(e); }
    [[nodiscard]] bool wantsBlocks() const override { return m_sink.wantsBlocks(); }
    void block(const trace::BlockEvent& e) override { m_sink.block(e); }
    void prefillProgress(std::int32_t request, std::int32_t done, std::int32_t total) override {
        m_sink.prefillProgress(request, done, total);
    }
    void token(const trace::TokenRecord& t) override { m_sink.token(t); }

  private:
    trace::Sink& m_sink;
};

}  // namespace

std::uint64_t residentBytes() {
    std::FILE* file = std::fopen("/proc/self/statm", "re");
    if (file == nullptr) return 0;
    unsigned long long total = 0, resident = 0;
    const int n = std::fscanf(file, "%llu %llu", &total, &resident);
    std::fclose(file);
    const long page = ::sysconf(_SC_PAGESIZE);
    return n == 2 && page > 0 ? resident * static_cast<unsigned long long>(page) : 0;
}

struct Executor::Lane {
    std::int32_t index = 0;
    const LaneSpec* spec = nullptr;
    trace::LaneRecord record;
    EngineSettings settings;
    std::vector<Result<PreparedPrompt>> prompts;
    std::unique_ptr<Engine> engine;
    bool failed = false;
    bool firstDone = false;         ///< a request has run, so memory figures are known
    std::int64_t lastUse = 0;       ///< the engine used longest ago makes room first
    std::uint64_t growthBytes = 0;  ///< resident growth seen so far
};

Executor::Executor(const Plan& plan, LaneSource& source, trace::Sink& sink,
                   const CancelToken& cancel, RunOptions options)
    : m_plan(plan),
      m_source(source),
      m_sink(sink),
      m_cancel(cancel),
      m_options(std::move(options)) {}

Executor::~Executor() = default;

nlohmann::ordered_json Executor::measureRoofs() const {
    std::set<int> threads;
    for (const LaneSpec& lane : m_plan.lanes) {
        if (!lane.muted) threads.insert(lane.threads > 0 ? lane.threads : usableCpuCount());
    }
    auto roofs = nlohmann::ordered_json::array();
    for (const int n : threads) {
        if (m_cancel.requested()) break;
        if (m_options.beforeRoof && !cachedRoof(n)) m_options.beforeRoof(n);
        const MachineRoof roof = machineRoof(n);
        if (roof.known()) roofs.push_back(roofToJson(roof));
    }
    return roofs;
}

trace::RunHeader Executor::makeHeader() const {
    trace::RunHeader header;
    header.id = newRunId();
    header.name = m_plan.name;
    header.version = LANESCOPE_VERSION;
    header.planJson = dumpJson(planToJson(m_plan));
    nlohmann::ordered_json machine = describeMachine();
    if (m_options.roof == RoofPolicy::Measure) machine["roofs"] = measureRoofs();
    header.machineJson = dumpJson(machine);
    header.command = m_options.command;
    if (header.command.empty()) {
        header.command = "printf %s " + shellQuote(header.planJson) + " | lanescope-cli run -";
    }
    header.startedUnixMs = unixTimeMs();
    header.epochNs = nowNs();
    return header;
}

Result<trace::RunStatus> Executor::run() {
    if (auto ok = validatePlan(m_plan); !ok) return ok.error();
    m_sink.runStarted(makeHeader());
    std::string error;
    Result<trace::RunStatus> status = trace::RunStatus::Failed;
    try {
        status = runLanes(error);
    } catch (const std::bad_alloc&) {
        status = outOfMemory("the machine has no memory left for this run", m_plan.name,
                             "use fewer lanes, a shorter context or a smaller model");
    } catch (const std::exception& e) {
        status = internalError(std::string("unexpected failure: ") + e.what(), m_plan.name);
    }
    if (!status && error.empty()) error = status.error().toString();
    m_sink.runFinished(status ? *status : trace::RunStatus::Failed, error);
    return status;
}

Result<trace::RunStatus> Executor::runLanes(std::string& error) {
    setUpLanes();
    if (m_cancel.requested()) return trace::RunStatus::Cancelled;
    std::vector<std::int32_t> ready;
    for (const auto& lane : m_lanes) {
        if (lane != nullptr && !lane->failed) ready.push_back(lane->index);
    }
    if (ready.empty()) return *m_firstError;
    for (const ScheduledRequest& request : scheduleRequests(m_plan, ready)) {
        if (m_cancel.requested()) break;
        execute(request);
    }
    if (m_cancel.requested()) return trace::RunStatus::Cancelled;
    if (m_completed == 0 && m_firstError) return *m_firstError;
    if (m_firstError) error = m_firstError->toString();
    return trace::RunStatus::Finished;
}

void Executor::setUpLanes() {
    m_lanes.resize(m_plan.lanes.size());
    for (std::size_t i = 0; i < m_plan.lanes.size() && !m_cancel.requested(); ++i) {
        if (m_plan.lanes[i].muted) continue;
        m_lanes[i] = std::make_unique<Lane>();
        Lane& lane = *m_lanes[i];
        lane.index = static_cast<std::int32_t>(i);
        lane.spec = &m_plan.lanes[i];
        lane.record.index = lane.index;
        lane.record.name = lane.spec->name;
        lane.record.model = lane.spec->model;
        if (auto ok = setUp(lane); !ok) {
            failLane(lane, ok.error());
        } else {
            m_sink.laneReady(lane.record);
        }
    }
}

void Executor::failLane(Lane& lane, const Error& error) {
    lane.failed = true;
    lane.engine.reset();
    lane.record.error = error.toString();
    if (!m_firstError) m_firstError = error;
    m_sink.laneReady(lane.record);
}

Result<void> Executor::setUp(Lane& lane) {
    auto settings = engineSettings(*lane.spec);
    if (!settings) return settings.error();
    lane.settings = *settings;
    const std::uint64_t before = residentBytes();
    {
        trace::Cursor cursor{&m_sink, static_cast<std::int16_t>(lane.index), -1, -1};
        const trace::ScopedSpan span(cursor, trace::Op::Load, -1);
        if (auto ok = m_source.load(lane.index, *lane.spec, lane.record); !ok) return ok;
    }
    if (auto ok = preparePrompts(lane); !ok) return ok;
    if (auto ok = ensureEngine(lane); !ok) return ok;
    const std::uint64_t after = residentBytes();
    lane.growthBytes = after > before ? after - before : 0;
    return {};
}

Result<void> Executor::preparePrompts(Lane& lane) {
    std::optional<Error> firstError;
    bool anyUsable = false;
    for (const PromptSpec& prompt : m_plan.prompts) {
        lane.prompts.push_back(m_source.prepare(lane.index, prompt));
        if (lane.prompts.back()) {
            anyUsable = true;
        } else if (!firstError) {
            firstError = lane.prompts.back().error();
        }
    }
    if (!anyUsable) return *firstError;
    return {};
}

/// Builds the lane's engine, taking memory from lanes that wait when there is not enough.
Result<void> Executor::ensureEngine(Lane& lane) {
    lane.lastUse = ++m_uses;
    if (lane.engine != nullptr) return {};
    auto engine = m_source.build(lane.index, lane.settings);
    while (!engine && engine.error().code == ErrorCode::OutOfMemory && dropOldestEngine(lane)) {
        engine = m_source.build(lane.index, lane.settings);
    }
    if (!engine) return engine.error();
    lane.engine = std::move(*engine);
    const MemoryEstimate estimate = lane.engine->estimate();
    const MemoryEstimate measured = lane.engine->measured();
    const EffectiveSettings& effective = lane.engine->effective();
    lane.record.settingsJson = settingsJson(
        *lane.spec, effective, m_source.int8Products(lane.index, !effective.settings.int8()),
        whyOnHost(m_plan.sampling.settings, m_plan.topCandidates));
    lane.record.kvBytesPerToken = lane.engine->kvBytesPerToken();
    lane.record.memory.weightBytes = estimate.weightBytes;
    lane.record.memory.kvBytesEstimated = estimate.kvBytes;
    lane.record.memory.scratchBytesEstimated = estimate.scratchBytes;
    lane.record.memory.kvBytes = measured.kvBytes;
    lane.record.memory.scratchBytes = measured.scratchBytes;
    return {};
}

bool Executor::dropOldestEngine(const Lane& keep) {
    Lane* oldest = nullptr;
    for (const auto& lane : m_lanes) {
        if (lane == nullptr || lane.get() == &keep || lane->engine == nullptr) continue;
        if (oldest == nullptr || lane->lastUse < oldest->lastUse) oldest = lane.get();
    }
    if (oldest == nullptr) return false;
    oldest->engine.reset();
    return true;
}

void Executor::execute(const ScheduledRequest& request) {
    Lane& lane = *m_lanes[static_cast<std::size_t>(request.lane)];
    if (lane.failed) return;
    if (auto same = m_source.check(request.lane); !same) {
        failLane(lane, same.error());
        return;
    }
    const bool rebuilt = lane.engine == nullptr;
    if (auto ok = ensureEngine(lane); !ok) {
        failLane(lane, ok.error());
        return;
    }
    // A lane that had to make room starts cold again; a timed request must not pay for that.
    if (rebuilt && !request.warmup && m_plan.warmup > 0) {
        generate(lane, {request.lane, request.prompt, request.repetition, true});
        if (m_cancel.requested()) return;
    }
    generate(lane, request);
}

void Executor::generate(Lane& lane, const ScheduledRequest& scheduled) {
    const Result<PreparedPrompt>& prompt = lane.prompts[static_cast<std::size_t>(scheduled.prompt)];
    // A prompt that cannot be used needs no warming up.
    if (!prompt && scheduled.warmup) return;

    trace::RequestRecord record;
    record.id = m_nextRequest++;
    record.lane = lane.index;
    record.prompt = scheduled.prompt;
    record.repetition = scheduled.repetition;
    record.warmup = scheduled.warmup;
    if (prompt) {
        record.promptText = prompt->text;
        record.promptTokens = prompt->tokens;
    }
    record.tStartNs = nowNs();
    m_sink.requestStarted(record);
    if (!prompt) {
        finishRequest(lane, record, prompt.error());
        return;
    }
    GenerateRequest request;
    request.prompt = prompt->tokens;
    request.maxTokens = scheduled.warmup ? std::min(m_plan.sampling.maxTokens, kWarmupTokens)
                                         : m_plan.sampling.maxTokens;
    request.sampling = m_plan.sampling.settings;
    request.stop = m_plan.sampling.stop;
    request.ignoreEos = m_plan.sampling.ignoreEos;
    request.topCandidates = m_plan.topCandidates;

    WithoutOps withoutOps(m_sink);
    trace::Sink* sink = m_plan.traceOps ? &m_sink : &withoutOps;
    const trace::Cursor cursor{sink, static_cast<std::int16_t>(lane.index), record.id, -1};
    const std::uint64_t before = lane.firstDone ? 0 : residentBytes();
    const Result<GenerateResult> result = lane.engine->generate(request, cursor, m_cancel);
    finishRequest(lane, record, result);
    if (lane.firstDone) return;
    lane.firstDone = true;
    const std::uint64_t after = residentBytes();
    lane.growthBytes += after > before ? after - before : 0;
    const MemoryEstimate measured = lane.engine->measured();
    lane.record.memory.residentBytes = lane.growthBytes;
    lane.record.memory.kvBytes = measured.kvBytes;
    lane.record.memory.scratchBytes = measured.scratchBytes;
    m_sink.laneReady(lane.record);
}

void Executor::finishRequest(Lane& lane, trace::RequestRecord& record,
                             const Result<GenerateResult>& result) {
    if (result) {
        if (result->tStartNs != 0) record.tStartNs = result->tStartNs;
        record.tPrefillEndNs = result->tPrefillEndNs;
        record.tEndNs = result->tEndNs;
        record.finish = result->finish;
        record.text = result->text;
        if (!record.warmup && result->finish != trace::FinishReason::Cancelled) ++m_completed;
    } else {
        record.tEndNs = nowNs();
        record.finish = result.error().code == ErrorCode::Cancelled ? trace::FinishReason::Cancelled
                                                                    : trace::FinishReason::Error;
        record.error = result.error().toString();
        if (record.finish == trace::FinishReason::Error && !m_firstError) {
            m_firstError = result.error();
            m_firstError->message = "lane " + lane.record.name + ": " + m_firstError->message;
        }
    }
    m_sink.requestFinished(record);
}

}  // namespace lanescope
