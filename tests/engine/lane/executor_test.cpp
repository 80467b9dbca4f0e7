// Order, isolation, memory pressure and cancelling of a run, with made-up engines that cost
// nothing.

#include "engine/lane/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

#include "engine/base/json.h"

namespace lanescope {
namespace {

using testing::ElementsAre;
using trace::FinishReason;
using trace::RunStatus;

/// What happened, as lines that tests compare.
class Log : public trace::Sink {
  public:
    std::vector<std::string> events;
    trace::RunHeader header;
    std::map<std::int32_t, trace::LaneRecord> lanes;
    std::vector<trace::RequestRecord> finished;
    std::string runError;
    int spans = 0, phases = 0;

    void span(const trace::Span& s) override { ++(s.op >= trace::Op::Prefill ? phases : spans); }
    void runStarted(const trace::RunHeader& h) override {
        header = h;
        events.push_back("run");
    }
    void laneReady(const trace::LaneRecord& lane) override {
        lanes[lane.index] = lane;
        events.push_back("lane " + lane.name + (lane.error.empty() ? "" : "!"));
    }
    void requestStarted(const trace::RequestRecord& r) override {
        events.push_back("start " + std::to_string(r.id));
    }
    void token(const trace::TokenRecord& t) override {
        events.push_back("token " + std::to_string(t.request));
    }
    void requestFinished(const trace::RequestRecord& r) override {
        finished.push_back(r);
        events.push_back("end " + std::to_string(r.id));
    }
    void runFinished(RunStatus status, const std::string& error) override {
        events.push_back("run " + std::string(trace::runStatusName(status)));
        runError = error;
    }

    /// Requests in the order they ran: lane letter, prompt.repetition, "w" for warm-up.
    [[nodiscard]] std::string order() const {
        std::string out;
        for (const auto& r : finished) {
            out += (out.empty() ? "" : " ") + std::string(1, static_cast<char>('A' + r.lane)) +
                   (r.warmup ? "w" : std::to_string(r.prompt) + "." + std::to_string(r.repetition));
        }
        return out;
    }
};

struct World;

class FakeEngine : public Engine {
  public:
    FakeEngine(World& world, std::int32_t lane);
    ~FakeEngine() override;
    [[nodiscard]] const Model& model() const override { std::abort(); }
    [[nodiscard]] const EffectiveSettings& effective() const override { return m_effective; }
    [[nodiscard]] MemoryEstimate estimate() const override { return {100, 20, 3}; }
    [[nodiscard]] MemoryEstimate measured() const override { return {100, 21, 4}; }
    [[nodiscard]] std::uint64_t kvBytesPerToken() const override { return 7; }
    Result<GenerateResult> generate(const GenerateRequest& request, trace::Cursor cursor,
                                    const CancelToken& cancel) override;
    void traceBenchmarks(const trace::Cursor&) override {}
    Result<std::vector<float>> logits(std::span<const TokenId>, const CancelToken&) override {
        return internalError("not here");
    }
    Result<std::int64_t> timePrefill(std::int64_t, const CancelToken&) override {
        return std::int64_t{0};
    }
    Result<std::int64_t> timeDecode(std::int64_t, std::int64_t, const CancelToken&) override {
        return std::int64_t{0};
    }
    Result<std::int64_t> timeBatch(std::int64_t, std::int64_t, std::int64_t,
                                   const CancelToken&) override {
        return std::int64_t{0};
    }
    std::unique_ptr<LogitStream> logitStream(std::int64_t) override { return nullptr; }
    EngineParts& parts() override { std::abort(); }

  private:
    World& m_world;
    std::int32_t m_lane;
    EffectiveSettings m_effective;
};

/// What the made-up lanes do.
struct World : LaneSource {
    int maxAlive = 100;                  ///< engines that fit in memory
    std::set<std::int32_t> missing;      ///< lanes whose model is not there
    std::set<std::int32_t> tooBig;       ///< lanes that never fit
    std::set<std::string> badPrompts;    ///< prompts that cannot be prepared
    std::set<std::int32_t> failing;      ///< lanes whose generate fails
    std::set<std::int32_t> changed;      ///< lanes whose file is another one now
    std::function<void()> onGenerate;    ///< called in every generate
    SampleOn sampleOn = SampleOn::Host;  ///< of every engine
    int alive = 0, built = 0;
    std::vector<std::int32_t> maxTokens;  ///< of every request

    Result<void> load(std::int32_t lane, const LaneSpec& spec, trace::LaneRecord& record) override {
        if (missing.contains(lane)) return badInput("no such file", spec.model);
        record.modelPath = "/models/" + spec.model;
        record.nLayers = 5;
        return {};
    }
    Result<PreparedPrompt> prepare(std::int32_t, const PromptSpec& prompt) override {
        if (badPrompts.contains(prompt.value)) return unsupported("has no chat template", "m");
        return PreparedPrompt{"<" + prompt.value + ">", {1, 2, 3}};
    }
    Result<void> check(std::int32_t lane) override {
        if (changed.contains(lane)) return badInput("the model file changed on disk", "m");
        return {};
    }
    Result<std::unique_ptr<Engine>> build(std::int32_t lane, const EngineSettings&) override {
        if (tooBig.contains(lane) || alive >= maxAlive) {
            return outOfMemory("needs 9 GiB, 1 GiB free");
        }
        return std::unique_ptr<Engine>(new FakeEngine(*this, lane));
    }
};

FakeEngine::FakeEngine(World& world, std::int32_t lane) : m_world(world), m_lane(lane) {
    ++m_world.alive;
    ++m_world.built;
    m_effective.isa = "made-up";
    m_effective.settings.sampleOn = world.sampleOn;
    m_effective.notes = {"kv fp32 instead of fp16: exact path"};
}

FakeEngine::~FakeEngine() {
    --m_world.alive;
}

Result<GenerateResult> FakeEngine::generate(const GenerateRequest& request, trace::Cursor cursor,
                                            const CancelToken& cancel) {
    m_world.maxTokens.push_back(request.maxTokens);
    if (m_world.onGenerate) m_world.onGenerate();
    if (m_world.failing.contains(m_lane)) return internalError("broke");
    { const trace::ScopedSpan op(cursor, trace::Op::Attention, 0); }
    { const trace::ScopedSpan phase(cursor, trace::Op::Prefill, -1); }
    trace::TokenRecord token;
    token.request = cursor.request;
    cursor.sink->token(token);
    GenerateResult result;
    result.tokens = {42};
    result.text = "answer";
    result.tStartNs = 10;
    result.tPrefillEndNs = 20;
    result.tEndNs = 30;
    result.finish = cancel.requested() ? FinishReason::Cancelled : FinishReason::MaxTokens;
    return result;
}

Plan makePlan(int nLanes, int repetitions = 1, int warmup = 0) {
    Plan plan;
    plan.name = "made up";
    plan.prompts.push_back({PromptKind::Text, "hello", "", {}});
    for (int i = 0; i < nLanes; ++i) {
        LaneSpec lane;
        lane.name = std::string(1, static_cast<char>('A' + i));
        lane.model = "m" + std::to_string(i);
        plan.lanes.push_back(lane);
    }
    plan.repetitions = repetitions;
    plan.warmup = warmup;
    return plan;
}

struct Trial {
    World world;
    Log log;
    CancelToken cancel;
    Result<RunStatus> execute(const Plan& plan) {
        Executor executor(plan, world, log, cancel, RunOptions{});
        return executor.run();
    }
};

TEST(Executor, EventsComeInOrder) {
    Trial run;
    auto status = run.execute(makePlan(1, 1, 1));
    ASSERT_TRUE(status.ok()) << status.error().toString();
    EXPECT_EQ(*status, RunStatus::Finished);
    EXPECT_THAT(run.log.events,
                ElementsAre("run", "lane A", "start 0", "token 0", "end 0", "lane A", "start 1",
                            "token 1", "end 1", "run finished"));
    EXPECT_TRUE(run.log.finished[0].warmup);
    EXPECT_FALSE(run.log.finished[1].warmup);
    EXPECT_EQ(run.log.runError, "");
}

TEST(Executor, ALaneWhoseFileChangesOnDiskEndsAndTheOthersGoOn) {
    Trial run;
    run.world.onGenerate = [&] { run.world.changed.insert(0); };
    ASSERT_TRUE(run.execute(makePlan(2, 2)).ok());
    EXPECT_EQ(run.log.order(), "A0.0 B0.0 B0.1");
    EXPECT_NE(run.log.runError.find("changed on disk"), std::string::npos) << run.log.runError;
}

TEST(Executor, LanesAreInterleaved) {
    Trial run;
    ASSERT_TRUE(run.execute(makePlan(3, 2, 1)).ok());
    EXPECT_EQ(run.log.order(), "Aw Bw Cw A0.0 B0.0 C0.0 C0.1 B0.1 A0.1");
    EXPECT_EQ(run.world.built, 3) << "engines stay alive while they fit";
}

TEST(Executor, RecordsSayWhatRan) {
    Trial run;
    ASSERT_TRUE(run.execute(makePlan(1)).ok());
    const trace::LaneRecord& lane = run.log.lanes[0];
    EXPECT_EQ(lane.name, "A");
    EXPECT_EQ(lane.model, "m0");
    EXPECT_EQ(lane.modelPath, "/models/m0");
    EXPECT_EQ(lane.nLayers, 5);
    EXPECT_EQ(lane.kvBytesPerToken, 7U);
    EXPECT_EQ(lane.memory.kvBytesEstimated, 20U);
    EXPECT_EQ(lane.memory.kvBytes, 21U);
    EXPECT_EQ(lane.memory.scratchBytesEstimated, 3U);
    EXPECT_EQ(lane.memory.scratchBytes, 4U);
    EXPECT_EQ(
        lane.settingsJson,
        R"({"backend":"cpu","isa":"made-up","threads":0,"weights":"as-is","kv":"fp16",)"
        R"("kvBlock":16,"context":0,"attention":"flash","exact":false,"acts":"int8","affinity":"none",)"
        R"("products":"own","sampling":"host","pack":true,"prefillChunk":256,)"
        R"("decode":"plain","int8":[],"notes":["kv fp32 instead of fp16: exact path"]})");

    const trace::RequestRecord& request = run.log.finished.at(0);
    EXPECT_EQ(request.promptText, "<hello>");
    EXPECT_THAT(request.promptTokens, ElementsAre(1, 2, 3));
    EXPECT_EQ(request.text, "answer");
    EXPECT_EQ(request.finish, FinishReason::MaxTokens);
    EXPECT_EQ(request.tStartNs, 10);
    EXPECT_EQ(request.tPrefillEndNs, 20);
    EXPECT_EQ(request.tEndNs, 30);
}

TEST(Executor, RecordsSayWhereTokensAreChosen) {
    Trial run;
    run.world.sampleOn = SampleOn::Device;
    Plan plan = makePlan(1);
    ASSERT_TRUE(run.execute(plan).ok());
    EXPECT_THAT(run.log.lanes[0].settingsJson, testing::HasSubstr(R"("sampling":"device")"));
    plan.topCandidates = 65;
    ASSERT_TRUE(run.execute(plan).ok());
    EXPECT_THAT(run.log.lanes[0].settingsJson, testing::HasSubstr(R"("sampling":"host")"));
    EXPECT_THAT(run.log.lanes[0].settingsJson,
                testing::HasSubstr("sampling host instead of device: 65 candidates a token, a GPU "
                                   "keeps 64 at most"));
    plan.topCandidates = 5;
    plan.sampling.settings.repeatPenalty = 1.2F;
    plan.sampling.settings.repeatWindow = 2000;
    ASSERT_TRUE(run.execute(plan).ok());
    EXPECT_THAT(run.log.lanes[0].settingsJson, testing::HasSubstr("a repeat window of 2000"));
}

TEST(Executor, TheHeaderMakesTheRunAgain) {
    Trial run;
    Plan plan = makePlan(2);
    plan.prompts[0].value = "it's";
    ASSERT_TRUE(run.execute(plan).ok());
    const trace::RunHeader& h = run.log.header;
    EXPECT_EQ(h.id.size(), 32U);
    EXPECT_EQ(h.id.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_EQ(h.planJson, dumpJson(planToJson(plan)));
    EXPECT_EQ(h.version, LANESCOPE_VERSION);
    EXPECT_NE(h.command.find("| lanescope-cli run -"), std::string::npos);
    EXPECT_NE(h.command.find("it'\\''s"), std::string::npos) << h.command;
    auto machine = parseJson(h.machineJson, "machine");
    ASSERT_TRUE(machine.ok());
    for (const char* key : {"cpu", "cores", "threads", "isa", "memoryBytes", "os", "kernel"}) {
        EXPECT_TRUE(machine->contains(key)) << key;
    }
    EXPECT_GT((*machine)["memoryBytes"].get<std::uint64_t>(), 1U << 20);

    Trial again;
    ASSERT_TRUE(again.execute(plan).ok());
    EXPECT_NE(again.log.header.id, h.id);
}

/// The cache folder is an empty one while this lives.
class OwnCache {
  public:
    OwnCache() {
        const char* before = std::getenv("XDG_CACHE_HOME");
        m_had = before != nullptr;
        if (m_had) m_before = before;
        m_dir = (std::filesystem::temp_directory_path() / "lanescope_roof_XXXXXX").string();
        EXPECT_NE(::mkdtemp(m_dir.data()), nullptr);
        ::setenv("XDG_CACHE_HOME", m_dir.c_str(), 1);
    }
    ~OwnCache() {
        if (m_had)
            ::setenv("XDG_CACHE_HOME", m_before.c_str(), 1);
        else
            ::unsetenv("XDG_CACHE_HOME");
        std::error_code ignored;
        std::filesystem::remove_all(m_dir, ignored);
    }

  private:
    std::string m_dir, m_before;
    bool m_had = false;
};

TEST(Executor, TheMachinesRoofIsMeasuredOnceBeforeTheRunForEachNumberOfThreads) {
    const OwnCache cache;
    Plan plan = makePlan(3);
    for (LaneSpec& lane : plan.lanes) lane.threads = 1;
    plan.lanes[2].muted = true;
    plan.lanes[2].threads = 2;
    std::vector<std::string> measured;
    const auto machineOf = [&] {
        Trial run;
        RunOptions options;
        options.roof = RoofPolicy::Measure;
        options.beforeRoof = [&](int threads) {
            EXPECT_TRUE(run.log.events.empty()) << "the run is not timed meanwhile";
            measured.push_back(std::to_string(threads));
        };
        Executor executor(plan, run.world, run.log, run.cancel, options);
        EXPECT_TRUE(executor.run().ok());
        auto machine = parseJson(run.log.header.machineJson, "machine");
        return machine.ok() ? *machine : nlohmann::json();
    };
    const nlohmann::json first = machineOf();
    ASSERT_EQ(first["roofs"].size(), 1U);
    EXPECT_EQ(first["roofs"][0]["threads"], 1);
    for (const char* key : {"readGBps", "int8Gops", "fp32Gflops"})
        EXPECT_GT(first["roofs"][0][key].get<double>(), 0.0) << key;
    EXPECT_EQ(machineOf()["roofs"], first["roofs"]);
    EXPECT_THAT(measured, ElementsAre("1"));
}

TEST(Executor, MutedLanesAreSkipped) {
    Trial run;
    Plan plan = makePlan(3);
    plan.lanes[1].muted = true;
    ASSERT_TRUE(run.execute(plan).ok());
    EXPECT_EQ(run.log.order(), "A0.0 C0.0");
    EXPECT_FALSE(run.log.lanes.contains(1));
}

TEST(Executor, ALaneThatCannotLoadDoesNotStopTheOthers) {
    Trial run;
    run.world.missing = {0};
    auto status = run.execute(makePlan(2, 2));
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(*status, RunStatus::Finished);
    EXPECT_EQ(run.log.lanes[0].error, "m0: no such file");
    EXPECT_EQ(run.log.order(), "B0.0 B0.1");
    EXPECT_EQ(run.log.events.back(), "run finished");
    EXPECT_EQ(run.log.runError, "m0: no such file");
}

TEST(Executor, ALaneWithAnImpossibleOptionDoesNotStopTheOthers) {
    Trial run;
    Plan plan = makePlan(2);
    plan.lanes[1].backend = "rocm";
    ASSERT_TRUE(run.execute(plan).ok());
    EXPECT_NE(run.log.lanes[1].error.find("rocm"), std::string::npos);
    EXPECT_EQ(run.log.order(), "A0.0");
}

TEST(Executor, WithoutAnyLaneTheRunFailsWithTheFirstReason) {
    Trial run;
    run.world.tooBig = {0};
    run.world.missing = {1};
    auto status = run.execute(makePlan(2));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::OutOfMemory);
    EXPECT_THAT(run.log.events, ElementsAre("run", "lane A!", "lane B!", "run failed"));
    EXPECT_NE(run.log.runError.find("needs 9 GiB"), std::string::npos);
}

TEST(Executor, AFailingRequestIsRecordedAndTheRestGoesOn) {
    Trial run;
    run.world.failing = {0};
    auto status = run.execute(makePlan(2, 2));
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(run.log.order(), "A0.0 B0.0 B0.1 A0.1");
    EXPECT_EQ(run.log.finished[0].finish, FinishReason::Error);
    EXPECT_EQ(run.log.finished[0].error, "broke");
    EXPECT_EQ(run.log.finished[1].finish, FinishReason::MaxTokens);
    EXPECT_NE(run.log.runError.find("lane A"), std::string::npos);
}

TEST(Executor, WhenEveryRequestFailsTheRunFails) {
    Trial run;
    run.world.failing = {0};
    auto status = run.execute(makePlan(1));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(run.log.events.back(), "run failed");
}

TEST(Executor, APromptThatCannotBeUsedFailsAlone) {
    Trial run;
    run.world.badPrompts = {"odd"};
    Plan plan = makePlan(1);
    plan.prompts.push_back({PromptKind::Chat, "odd", "", {}});
    ASSERT_TRUE(run.execute(plan).ok());
    EXPECT_EQ(run.log.order(), "A0.0 A1.0");
    EXPECT_EQ(run.log.finished[1].finish, FinishReason::Error);
    EXPECT_NE(run.log.finished[1].error.find("chat template"), std::string::npos);

    Trial none;
    none.world.badPrompts = {"hello", "odd"};
    EXPECT_FALSE(none.execute(plan).ok());
    EXPECT_NE(none.log.lanes[0].error.find("chat template"), std::string::npos);
}

TEST(Executor, EnginesMakeRoomForEachOther) {
    Trial run;
    run.world.maxAlive = 1;
    Plan plan = makePlan(2, 2, 1);
    auto status = run.execute(plan);
    ASSERT_TRUE(status.ok()) << status.error().toString();
    // A rebuilt engine is warmed up again before a timed request (the second "Aw", then "Bw" …);
    // B1 follows B0 on the same engine.
    EXPECT_EQ(run.log.order(), "Aw Bw Aw A0.0 Bw B0.0 B0.1 Aw A0.1");
    EXPECT_EQ(run.world.alive, 0);
    for (const auto& r : run.log.finished) EXPECT_EQ(r.finish, FinishReason::MaxTokens);
}

TEST(Executor, CancelEndsTheRunAfterTheRequestThatNoticesIt) {
    Trial run;
    int calls = 0;
    run.world.onGenerate = [&] {
        if (++calls == 2) run.cancel.request();
    };
    auto status = run.execute(makePlan(2, 5));
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(*status, RunStatus::Cancelled);
    EXPECT_EQ(run.log.order(), "A0.0 B0.0");
    EXPECT_EQ(run.log.finished[1].finish, FinishReason::Cancelled);
    EXPECT_EQ(run.log.events.back(), "run cancelled");
}

TEST(Executor, CancelBeforeTheStartRunsNothing) {
    Trial run;
    run.cancel.request();
    auto status = run.execute(makePlan(2));
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(*status, RunStatus::Cancelled);
    EXPECT_THAT(run.log.events, ElementsAre("run", "run cancelled"));
}

TEST(Executor, AnInvalidPlanStartsNothing) {
    Trial run;
    Plan plan = makePlan(1);
    plan.prompts.clear();
    EXPECT_FALSE(run.execute(plan).ok());
    EXPECT_TRUE(run.log.events.empty());
}

TEST(Executor, RunningOutOfMemoryInTheMiddleStillEndsTheRun) {
    Trial run;
    run.world.onGenerate = [] { throw std::bad_alloc(); };
    auto status = run.execute(makePlan(1));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::OutOfMemory);
    EXPECT_EQ(run.log.events.back(), "run failed");
}

TEST(Executor, OpSpansCanBeLeftOut) {
    Trial with, without;
    Plan plan = makePlan(1);
    ASSERT_TRUE(with.execute(plan).ok());
    plan.traceOps = false;
    ASSERT_TRUE(without.execute(plan).ok());
    EXPECT_EQ(with.log.spans, 1);
    EXPECT_EQ(without.log.spans, 0);
    EXPECT_EQ(with.log.phases, without.log.phases);
    EXPECT_GE(with.log.phases, 2) << "load and prefill";
}

TEST(Executor, AWarmupIsShort) {
    Trial run;
    Plan plan = makePlan(1, 1, 1);
    plan.sampling.maxTokens = 500;
    ASSERT_TRUE(run.execute(plan).ok());
    EXPECT_THAT(run.world.maxTokens, ElementsAre(16, 500));
}

}  // namespace
}  // namespace lanescope
