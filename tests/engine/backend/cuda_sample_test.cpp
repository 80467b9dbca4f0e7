// Tokens chosen on the emulated device: those of the host for the same seed, with the same figures,
// out of steps that copy no logits back.

#include <gtest/gtest.h>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/decode/next_token.h"
#include "engine/decode/settings.h"
#include "tests/engine/backend/emulated_device.h"
#include "tests/engine/decode/batch_support.h"
#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

EngineSettings onCuda(SampleOn where) {
    EngineSettings settings;
    settings.backend = BackendKind::Cuda;
    settings.contextTokens = 64;
    settings.prefillChunk = 32;
    settings.sampleOn = where;
    return settings;
}

/// Records of tokens, and the spans beside them.
struct Records : trace::Sink {
    std::vector<trace::TokenRecord> tokens;
    std::vector<trace::Span> samples;
    void token(const trace::TokenRecord& record) override { tokens.push_back(record); }
    void span(const trace::Span& span) override {
        if (span.op == trace::Op::Sample) samples.push_back(span);
    }
};

struct Way {
    const char* name;
    SamplingSettings sampling;
};
const Way kWays[] = {
    {"greedy", {}},
    {"greedy with a penalty", {.repeatPenalty = 1.7F}},
    {"temperature", {.temperature = 1.3F, .seed = 3}},
    {"top-k", {.temperature = 0.9F, .topK = 12, .seed = 4}},
    {"top-p", {.temperature = 1.1F, .topP = 0.8F, .seed = 5}},
    {"min-p", {.temperature = 1.5F, .minP = 0.05F, .seed = 6}},
    {"all with a penalty",
     {.temperature = 0.8F,
      .topK = 40,
      .topP = 0.95F,
      .minP = 0.01F,
      .repeatPenalty = 1.2F,
      .repeatWindow = 5,
      .seed = 7}},
};

class CudaSampling : public testing::TestWithParam<const char*> {};

TEST_P(CudaSampling, GivesTheRecordsOfTheHost) {
    const auto model = loadOrFail(goldenDir() + "/" + GetParam());
    ASSERT_NE(model, nullptr);
    EmulatedSource source;
    auto host = Engine::create(model, onCuda(SampleOn::Host), &source);
    auto device = Engine::create(model, onCuda(SampleOn::Device), &source);
    ASSERT_TRUE(host.ok() && device.ok());
    EXPECT_EQ((*device)->effective().settings.sampleOn, SampleOn::Device);
    EXPECT_TRUE((*device)->effective().notes.empty());
    const CancelToken cancel;
    for (const Way& way : kWays) {
        GenerateRequest request = greedyRequest({1, 2, 3, 2, 1}, 9);
        request.sampling = way.sampling;
        request.topCandidates = 6;
        Records expected;
        Records actual;
        trace::Cursor cursor;
        cursor.sink = &expected;
        ASSERT_TRUE((*host)->generate(request, cursor, cancel).ok());
        cursor.sink = &actual;
        const auto generated = (*device)->generate(request, cursor, cancel);
        ASSERT_TRUE(generated.ok()) << generated.error().toString();
        ASSERT_EQ(actual.tokens.size(), expected.tokens.size()) << way.name;
        EXPECT_EQ(actual.samples.size(), actual.tokens.size()) << "one span a token, the device's";
        for (std::size_t i = 0; i < expected.tokens.size(); ++i) {
            const trace::TokenRecord& mine = actual.tokens[i];
            const trace::TokenRecord& theirs = expected.tokens[i];
            ASSERT_EQ(mine.token, theirs.token) << way.name << ", token " << i;
            EXPECT_NEAR(mine.logProbability, theirs.logProbability, 2e-5) << way.name;
            EXPECT_NEAR(mine.entropy, theirs.entropy, 2e-5) << way.name;
            ASSERT_EQ(mine.top.size(), theirs.top.size()) << way.name;
            for (std::size_t k = 0; k < mine.top.size(); ++k) {
                EXPECT_EQ(mine.top[k].token, theirs.top[k].token) << way.name;
                EXPECT_EQ(mine.top[k].piece, theirs.top[k].piece) << way.name;
                EXPECT_NEAR(mine.top[k].probability, theirs.top[k].probability, 2e-6) << way.name;
            }
        }
        EXPECT_EQ(generateIds(**device, request), generateIds(**host, request))
            << way.name << ": the same without anyone who traces";
    }
}

INSTANTIATE_TEST_SUITE_P(Models, CudaSampling,
                         testing::Values("checkpoints/llama_gqa", "gguf/qwen2.F16.gguf",
                                         "gguf/gemma3.F16.gguf"));

TEST(CudaSampling, StepsAreRecordedOnceForEachNumberOfCandidates) {
    EmulatedSource source;
    const auto model = loadOrFail(goldenDir() + "/checkpoints/llama_gqa");
    auto engine = Engine::create(model, onCuda(SampleOn::Device), &source);
    ASSERT_TRUE(engine.ok()) << engine.error().toString();
    GenerateRequest request = greedyRequest({1, 2, 3}, 8);
    const auto first = generateIds(**engine, request);
    EXPECT_EQ(source.counts().graphs, 1);
    EXPECT_EQ(source.counts().launches, 6);
    request.sampling.temperature = 1.0F;  // numbers that a graph is fed with
    generateIds(**engine, request);
    EXPECT_EQ(source.counts().graphs, 1);
    Records records;
    trace::Cursor cursor;
    cursor.sink = &records;
    const CancelToken cancel;
    request.topCandidates = 3;
    ASSERT_TRUE((*engine)->generate(request, cursor, cancel).ok());
    EXPECT_EQ(source.counts().graphs, 2);
    EmulatedOptions options;
    options.capture = false;
    EmulatedSource pieces(options);
    auto other = Engine::create(model, onCuda(SampleOn::Device), &pieces);
    ASSERT_TRUE(other.ok()) << other.error().toString();
    EXPECT_EQ(generateIds(**other, greedyRequest({1, 2, 3}, 8)), first);
}

TEST(CudaSampling, WhatTheDeviceCannotDoTheHostDoes) {
    EmulatedSource source;
    const auto model = loadOrFail(goldenDir() + "/checkpoints/llama_gqa");
    auto host = Engine::create(model, onCuda(SampleOn::Host), &source);
    auto device = Engine::create(model, onCuda(SampleOn::Device), &source);
    ASSERT_TRUE(host.ok() && device.ok());
    GenerateRequest request = greedyRequest({1, 2, 3}, 6);
    request.sampling.repeatPenalty = 1.5F;
    request.sampling.repeatWindow = static_cast<std::int32_t>(kMaxSampleHistory) + 1;
    EXPECT_FALSE(whyOnHost(request.sampling, 0).empty());
    EXPECT_EQ(generateIds(**device, request), generateIds(**host, request));
    request.sampling.repeatPenalty = 1.0F;
    EXPECT_TRUE(whyOnHost(request.sampling, 0).empty());
    request.topCandidates = static_cast<int>(kMaxSampleTop) + 1;
    EXPECT_FALSE(whyOnHost(request.sampling, request.topCandidates).empty());
    Records records;
    trace::Cursor cursor;
    cursor.sink = &records;
    const CancelToken cancel;
    ASSERT_TRUE((*device)->generate(request, cursor, cancel).ok());
    EXPECT_EQ(records.tokens.front().top.size(), 65U);
    EXPECT_EQ(generateIds(**device, request), generateIds(**host, request));
}

TEST(CudaSampling, AProcessorChoosesItself) {
    EngineSettings settings = onCuda(SampleOn::Device);
    settings.backend = BackendKind::Cpu;
    const auto engine = engineFor(loadOrFail(goldenDir() + "/checkpoints/llama_gqa"), settings);
    ASSERT_NE(engine, nullptr);
    EXPECT_EQ(engine->effective().settings.sampleOn, SampleOn::Host);
    EXPECT_EQ(engine->effective().notes.back(), "sampling host instead of device: not on a GPU");
}

/// Greedy and sampled rows of several sequences in one pass: each gets its own settings, history
/// and random number.
TEST(CudaSampling, RowsOfABatchAreChosenEachByItsOwnSettings) {
    const auto model = loadOrFail(goldenDir() + "/checkpoints/llama_gqa");
    ASSERT_NE(model, nullptr);
    EngineSettings wanted = batchSettings(true);
    wanted.backend = BackendKind::Cuda;
    wanted.sampleOn = SampleOn::Device;
    const auto resolved = resolveSettings(model->spec(), wanted);
    ASSERT_TRUE(resolved.ok());
    EmulatedSource source;
    const std::shared_ptr<GpuDevice> device = *source.open(0);
    auto backend =
        CudaBackend::create(*model, backendSettings(resolved->settings), device, CancelToken());
    ASSERT_TRUE(backend.ok()) << backend.error().toString();
    auto pool =
        BlockPool::create(kvLayout(model->spec(), resolved->settings), 64, 0, [&](std::uint64_t n) {
            auto* data = static_cast<std::byte*>(device->allocate(n));
            return KvStorage{data, [device, data] { device->release(data); }, {}};
        });
    ASSERT_TRUE(pool.ok());
    const std::vector<TokenId> history{5, 9, 8, 7};
    const std::int32_t vocab = model->usableVocab();
    std::deque<Sequence> sequences;
    std::vector<const BlockTable*> tables;
    std::vector<Segment> segments;
    std::vector<std::int32_t> rows;
    for (std::size_t i = 0; i < kBatch.size(); ++i) {
        Sequence& sequence = sequences.emplace_back(**pool, trace::Cursor());
        ASSERT_TRUE((*pool)->grow(sequence.table, 0, 1, {}).ok());
        tables.push_back(&sequence.table);
        segments.push_back({1, 0, 0});
        rows.push_back(static_cast<std::int32_t>(i));
    }
    std::vector<float> logits(kBatch.size() * static_cast<std::size_t>(model->spec().vocab));
    std::vector<kernels::PagedKv> views(kBatch.size());
    ForwardPass pass;
    pass.tokens = history;
    pass.segments = segments;
    pass.tables = tables;
    pass.views = views;
    pass.wanted = rows;
    pass.logits = logits.data();
    const CancelToken cancel;
    ASSERT_TRUE(forward(*model, **backend, **pool, pass, {}, cancel).ok());
    const SampleRow asked[] = {
        {},
        {.temperature = 1.2F, .history = {}, .uniform = RandomStream(11).uniform()},
        {.repeatPenalty = 3.0F, .history = history},
        {.temperature = 0.7F,
         .topK = 9,
         .repeatPenalty = 1.4F,
         .history = history,
         .uniform = RandomStream(12).uniform()}};
    std::vector<ChosenToken> chosen(kBatch.size());
    std::vector<ProbableToken> top(2 * kBatch.size());
    SampleJob job{asked, vocab, 2, chosen, top};
    pass.sample = &job;
    for (int time = 0; time < 4; ++time)  // warmed up, recorded, launched
        ASSERT_TRUE(forward(*model, **backend, **pool, pass, {}, cancel).ok());
    for (std::size_t i = 0; i < kBatch.size(); ++i) {
        SamplingSettings settings;
        settings.temperature = asked[i].temperature;
        settings.topK = asked[i].topK;
        settings.repeatPenalty = asked[i].repeatPenalty;
        settings.seed = i == 1 ? 11 : 12;
        const auto row = std::span(logits).subspan(
            i * static_cast<std::size_t>(model->spec().vocab), static_cast<std::size_t>(vocab));
        const auto expected = Sampler(settings, vocab).sample(row, asked[i].history);
        ASSERT_TRUE(expected.ok());
        EXPECT_EQ(chosen[i].token, expected->token) << "row " << i;
        EXPECT_NEAR(chosen[i].entropy, expected->entropy, 2e-5);
        EXPECT_EQ(top[2 * i].token, topCandidates(row, vocab, 1).front().token);
    }
}

}  // namespace
}  // namespace lanescope::test
