// The CUDA backend's own behaviour on the emulated device: graphs, spans, memory, failures.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/backend/cuda/self_test.h"
#include "tests/engine/backend/emulated_device.h"
#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

std::shared_ptr<const Model> tiny() {
    return loadOrFail(goldenDir() + "/checkpoints/llama_gqa");
}

EngineSettings onCuda() {
    EngineSettings settings;
    settings.backend = BackendKind::Cuda;
    settings.contextTokens = 64;
    settings.prefillChunk = 32;
    return settings;
}

struct Spans : trace::Sink {
    std::vector<trace::Span> all;
    void span(const trace::Span& span) override { all.push_back(span); }
};

TEST(CudaBackend, RecordsAStepOnceAndLaunchesItFromThenOn) {
    EmulatedSource source;
    auto engine = Engine::create(tiny(), onCuda(), &source);
    ASSERT_TRUE(engine.ok()) << engine.error().toString();
    EXPECT_EQ((*engine)->effective().isa, "sm_80");
    const GenerateRequest request = greedyRequest({1, 2, 3}, 8);
    const auto first = generateIds(**engine, request);
    EXPECT_EQ(source.counts().graphs, 1);
    EXPECT_EQ(source.counts().launches, 6) << "seven steps: one warms up, six are launched";
    EXPECT_EQ(generateIds(**engine, request), first);
    EXPECT_EQ(source.counts().graphs, 1);
    EXPECT_EQ(source.counts().launches, 13);
}

TEST(CudaBackend, SpansOfAStepAreTheDevicesAndGrowWithTheContext) {
    EmulatedSource source;
    auto engine = Engine::create(tiny(), onCuda(), &source);
    ASSERT_TRUE(engine.ok()) << engine.error().toString();
    Spans spans;
    trace::Cursor cursor;
    cursor.sink = &spans;
    const CancelToken cancel;
    ASSERT_TRUE((*engine)->generate(greedyRequest({1, 2, 3}, 8), cursor, cancel).ok());
    std::map<std::int32_t, std::map<trace::Op, int>> counts;
    std::map<std::int32_t, std::uint64_t> attentionBytes;
    for (const trace::Span& span : spans.all) {
        ++counts[span.step][span.op];
        EXPECT_LE(span.tStartNs, span.tEndNs);
        if (span.op == trace::Op::Attention) attentionBytes[span.step] += span.bytes;
    }
    for (std::int32_t step = 1; step <= 7; ++step) {
        EXPECT_EQ(counts[step][trace::Op::Attention], 3) << "step " << step;
        EXPECT_EQ(counts[step][trace::Op::Head], 1) << "step " << step;
        if (step > 1) {
            EXPECT_GT(attentionBytes[step], attentionBytes[step - 1]);
        }
    }
}

TEST(CudaBackend, AStepThatCannotBeRecordedIsDonePieceByPiece) {
    EmulatedSource recording;
    auto engine = Engine::create(tiny(), onCuda(), &recording);
    ASSERT_TRUE(engine.ok()) << engine.error().toString();
    const GenerateRequest request = greedyRequest({1, 2, 3}, 8);
    const auto expected = generateIds(**engine, request);
    EmulatedOptions options;
    options.capture = false;
    EmulatedSource source(options);
    auto other = Engine::create(tiny(), onCuda(), &source);
    ASSERT_TRUE(other.ok()) << other.error().toString();
    EXPECT_EQ(generateIds(**other, request), expected);
    EXPECT_EQ(generateIds(**other, request), expected);
    EXPECT_EQ(source.counts().graphs, 0);
    EXPECT_EQ(source.counts().launches, 0);
}

/// Counts what the backend says of its launches, and what nests.
struct Labels final : trace::Sink, trace::DeviceHooks {
    struct Seen {
        trace::Op op;
        std::int32_t step;
        std::int16_t layer, lane;
        auto operator<=>(const Seen&) const = default;
    };
    std::map<Seen, int> counts;
    int open = 0, deepest = 0;
    trace::DeviceHooks* deviceHooks() override { return this; }
    void pushSpan(const trace::Span& span) override {
        EXPECT_GT(span.tStartNs, 0);
        EXPECT_EQ(span.request, 7);
        ++counts[{span.op, span.step, span.layer, span.lane}];
        deepest = std::max(deepest, ++open);
    }
    void popSpan() override { --open; }
};

TEST(CudaBackend, TellsWhoTimesTheDeviceWhatItLaunches) {
    EmulatedSource source;
    auto engine = Engine::create(tiny(), onCuda(), &source);
    ASSERT_TRUE(engine.ok()) << engine.error().toString();
    Labels labels;
    trace::Cursor cursor;
    cursor.sink = &labels;
    cursor.lane = 2;
    cursor.request = 7;
    const CancelToken cancel;
    ASSERT_TRUE((*engine)->generate(greedyRequest({1, 2, 3}, 5), cursor, cancel).ok());
    EXPECT_EQ(labels.open, 0);
    EXPECT_EQ(labels.deepest, 1) << "one label a launch, so that none is counted twice";
    const auto count = [&](trace::Op op, std::int32_t step, int layer) {
        return labels.counts[{op, step, static_cast<std::int16_t>(layer), 2}];
    };
    // Prefill, the first step and the recorded one name every op; later steps are one launch.
    for (const std::int32_t step : {0, 1, 2}) {
        for (const int layer : {0, 1, 2}) {
            EXPECT_EQ(count(trace::Op::Attention, step, layer), 1) << step << " " << layer;
            EXPECT_EQ(count(trace::Op::Norm, step, layer), 2) << step << " " << layer;
            EXPECT_EQ(count(trace::Op::Down, step, layer), 1) << step << " " << layer;
        }
        EXPECT_EQ(count(trace::Op::Head, step, -1), 1);
    }
    for (const std::int32_t step : {3, 4}) {
        EXPECT_EQ(count(trace::Op::DecodeStep, step, -1), 1);
        EXPECT_EQ(count(trace::Op::Attention, step, 0), 0);
    }
}

TEST(CudaBackend, LanesOfAModelShareItsWeightsAndGiveAllMemoryBack) {
    struct Counting final : GpuSource {
        Result<std::unique_ptr<GpuDevice>> open(int) override {
            ++opened;
            return std::unique_ptr<GpuDevice>(
                std::make_unique<EmulatedDevice>(EmulatedOptions{}, counts));
        }
        EmulatedCounts counts;
        int opened = 0;
    } source;
    const auto model = tiny();
    auto first = Engine::create(model, onCuda(), &source);
    ASSERT_TRUE(first.ok()) << first.error().toString();
    auto second = Engine::create(model, onCuda(), &source);
    ASSERT_TRUE(second.ok()) << second.error().toString();
    EXPECT_EQ(source.opened, 2);
    const GenerateRequest request = greedyRequest({5, 6}, 3);
    const auto tokens = generateIds(**first, request);
    first->reset();  // the copy of the weights outlives the lane that made it
    EXPECT_EQ(generateIds(**second, request), tokens);
}

TEST(CudaBackend, RefusesWhatDoesNotFitWithBothNumbers) {
    EmulatedOptions options;
    options.totalBytes = 300'000;
    EmulatedSource source(options);
    const auto engine = Engine::create(tiny(), onCuda(), &source);
    ASSERT_FALSE(engine.ok());
    EXPECT_EQ(engine.error().code, ErrorCode::OutOfMemory);
    EXPECT_NE(engine.error().message.find("free"), std::string::npos) << engine.error().toString();
}

TEST(CudaBackend, ADeviceThatStopsEndsTheRequestAndOtherLanesGoOn) {
    EmulatedSource good;
    auto other = Engine::create(tiny(), onCuda(), &good);
    ASSERT_TRUE(other.ok());
    const GenerateRequest request = greedyRequest({1, 2, 3}, 8);
    const auto expected = generateIds(**other, request);
    for (const int done : {200, 260, 400}) {
        EmulatedOptions options;
        options.failAfter = done;
        EmulatedSource source(options);
        auto engine =
            Engine::create(loadOrFail(goldenDir() + "/checkpoints/qwen2"), onCuda(), &source);
        ASSERT_TRUE(engine.ok()) << engine.error().toString();
        const CancelToken cancel;
        const auto failed = (*engine)->generate(greedyRequest({1, 2, 3}, 40), {}, cancel);
        ASSERT_FALSE(failed.ok()) << done;
        EXPECT_EQ(failed.error().code, ErrorCode::NoDevice);
        EXPECT_NE(failed.error().message.find("unspecified launch failure"), std::string::npos)
            << failed.error().toString();
        EXPECT_EQ(generateIds(**other, request), expected);
    }
}

TEST(CudaBackend, OutOfMemoryInTheMiddleOfARunSaysWhatIsFree) {
    EmulatedOptions options;
    options.failAfter = 300;
    options.failStatus = 2;
    EmulatedSource source(options);
    auto engine = Engine::create(tiny(), onCuda(), &source);
    ASSERT_TRUE(engine.ok()) << engine.error().toString();
    const CancelToken cancel;
    const auto failed = (*engine)->generate(greedyRequest({1, 2, 3}, 40), {}, cancel);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().code, ErrorCode::OutOfMemory);
    EXPECT_NE(failed.error().message.find("free"), std::string::npos) << failed.error().toString();
}

TEST(CudaBackend, NaiveAttentionAndPackingAreSaidToBeOff) {
    EngineSettings settings = onCuda();
    settings.attention = kernels::AttentionKind::Naive;
    EmulatedSource source;
    auto engine = Engine::create(tiny(), settings, &source);
    ASSERT_TRUE(engine.ok());
    EXPECT_FALSE((*engine)->effective().settings.pack);
    EXPECT_EQ((*engine)->effective().notes.front(), "attention flash instead of naive: on a GPU");
    settings = onCuda();
    settings.acts = ActsFormat::Bf16;
    auto rounded = Engine::create(tiny(), settings, &source);
    ASSERT_TRUE(rounded.ok());
    EXPECT_EQ((*rounded)->effective().settings.acts, ActsFormat::Int8);
    ASSERT_FALSE((*rounded)->effective().notes.empty());
}

std::shared_ptr<const Model> tinyHalf() {
    return loadOrFail(goldenDir() + "/checkpoints/llama_gqa_bf16");
}

EngineSettings onCublas() {
    EngineSettings settings = onCuda();
    settings.products = Products::CublasLt;
    return settings;
}

TEST(CudaCublas, MultipliesAlsoInRecordedSteps) {
    EmulatedSource source;
    auto engine = Engine::create(tinyHalf(), onCublas(), &source);
    ASSERT_TRUE(engine.ok()) << engine.error().toString();
    EXPECT_TRUE((*engine)->effective().notes.empty());
    const auto vocab = static_cast<std::uint64_t>((*engine)->model().spec().vocab);
    EXPECT_EQ((*engine)->measured().scratchBytes,
              (*engine)->estimate().scratchBytes + vocab * sizeof(float))
        << "the estimate counts all but the logits on the host";
    const int tried = source.counts().cublas;
    EXPECT_GT(tried, 0);
    const auto tokens = generateIds(**engine, greedyRequest({1, 2, 3}, 8));
    EXPECT_EQ(source.counts().graphs, 1);
    // Seven matrices a layer, three layers, a head: a prefill, a step, a step that is recorded.
    EXPECT_EQ(source.counts().cublas - tried, 3 * (7 * 3 + 1));
    EmulatedOptions options;
    options.capture = false;
    EmulatedSource pieces(options);
    auto other = Engine::create(tinyHalf(), onCublas(), &pieces);
    ASSERT_TRUE(other.ok()) << other.error().toString();
    EXPECT_EQ(generateIds(**other, greedyRequest({1, 2, 3}, 8)), tokens);
}

TEST(CudaCublas, GivesTheLogitsOfOwnProducts) {
    const CancelToken cancel;
    std::vector<TokenId> ids(40);  // more than a chunk
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<TokenId>(i * i % 61 + 1);
    for (const char* file : {"checkpoints/llama_gqa_bf16", "gguf/qwen2.F16.gguf"}) {
        const auto model = loadOrFail(goldenDir() + "/" + file);
        EmulatedSource source;
        auto own = Engine::create(model, onCuda(), &source);
        EXPECT_EQ(source.counts().cublas, 0);
        auto other = Engine::create(model, onCublas(), &source);
        ASSERT_TRUE(own.ok() && other.ok());
        const auto expected = (*own)->logits(ids, cancel);
        const auto actual = (*other)->logits(ids, cancel);
        ASSERT_TRUE(expected.ok() && actual.ok());
        EXPECT_GT(cosine(*actual, *expected), 1.0 - 1e-5) << file;
    }
}

/// What creating a lane says; empty: it was made.
Error refusal(const std::shared_ptr<const Model>& model, const EmulatedOptions& options) {
    EmulatedSource source(options);
    const auto engine = Engine::create(model, onCublas(), &source);
    return engine.ok() ? Error() : engine.error();
}

TEST(CudaCublas, ALaneThatCannotHaveItSaysWhy) {
    EmulatedOptions options;
    options.cublas = false;
    Error error = refusal(tinyHalf(), options);
    EXPECT_EQ(error.code, ErrorCode::NoDevice);
    EXPECT_EQ(error.message,
              "cuBLASLt cannot be used: libcublasLt.so.13: cannot open shared object file");
    EXPECT_NE(error.nextStep.find("products own"), std::string::npos) << error.nextStep;
    options = {};
    options.cublasRows = 63;
    error = refusal(tinyHalf(), options);
    EXPECT_EQ(error.code, ErrorCode::NoDevice);
    EXPECT_NE(error.message.find("cuBLASLt refuses a product"), std::string::npos) << error.message;
    EXPECT_NE(error.nextStep.find("products own"), std::string::npos) << error.nextStep;
    error = refusal(tiny(), {});
    EXPECT_EQ(error.code, ErrorCode::Unsupported);
    EXPECT_NE(error.message.find("no matrix is in F16 or BF16"), std::string::npos)
        << error.message;
}

TEST(CudaCublas, AProcessorAndTheExactPathKeepTheirOwnProducts) {
    EngineSettings settings = onCublas();
    settings.exact = true;
    EmulatedSource source;
    auto exact = Engine::create(tinyHalf(), settings, &source);
    ASSERT_TRUE(exact.ok()) << exact.error().toString();
    EXPECT_EQ((*exact)->effective().settings.products, Products::Own);
    EXPECT_EQ((*exact)->effective().notes.back(), "products own instead of cublaslt: exact path");
    EXPECT_EQ(source.counts().cublas, 0);
    settings = onCublas();
    settings.backend = BackendKind::Cpu;
    auto cpu = Engine::create(tinyHalf(), settings);
    ASSERT_TRUE(cpu.ok()) << cpu.error().toString();
    EXPECT_EQ((*cpu)->effective().notes.back(), "products own instead of cublaslt: not on a GPU");
}

TEST(CudaCublas, ADeviceThatStopsEndsTheRequest) {
    EmulatedOptions options;
    options.failAfter = 260;
    EmulatedSource source(options);
    auto engine = Engine::create(tinyHalf(), onCublas(), &source);
    ASSERT_TRUE(engine.ok()) << engine.error().toString();
    const CancelToken cancel;
    const auto failed = (*engine)->generate(greedyRequest({1, 2, 3}, 40), {}, cancel);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().code, ErrorCode::NoDevice);
    EXPECT_NE(failed.error().message.find("unspecified launch failure"), std::string::npos)
        << failed.error().toString();
}

TEST(SelfTest, PassesOnADeviceThatComputesAndNamesTheOpThatDoesNot) {
    EmulatedCounts counts;
    EmulatedDevice right({}, counts);
    EXPECT_TRUE(selfTest(right).ok()) << selfTest(right).error().toString();
    EmulatedOptions broken;
    broken.failAfter = 3;  // three copies to the device
    EmulatedDevice wrong(broken, counts);
    const auto failed = selfTest(wrong);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().code, ErrorCode::NoDevice);
    EXPECT_NE(failed.error().message.find("fails its self-test: matmul f32 f32: unspecified launch "
                                          "failure (719)"),
              std::string::npos)
        << failed.error().message;
}

}  // namespace
}  // namespace lanescope::test
