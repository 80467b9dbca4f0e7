// How the engine behaves around the model: limits, stops, cancel, events, memory, and that results
// depend on neither threads nor chunks. Model: the tiny llama_gqa of the golden checkpoints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>

#include "engine/backend/cpu_backend.h"
#include "engine/base/mapping_guard.h"
#include "engine/base/thread_pool.h"
#include "engine/cache/kv_memory.h"
#include "engine/decode/engine_parts.h"
#include "engine/decode/forward.h"
#include "engine/decode/sequence.h"
#include "engine/decode/settings.h"
#include "engine/model/packed_weights.h"
#include "tests/engine/decode/batch_support.h"
#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

using ::testing::HasSubstr;
using trace::FinishReason;

/// Keeps everything; may cancel after a number of tokens or a span of a layer.
struct Recorder : trace::Sink {
    std::vector<trace::Span> spans;
    std::vector<trace::KvEvent> kvEvents;
    std::vector<trace::TokenRecord> tokens;
    std::vector<std::pair<int, int>> progress;
    CancelToken* cancel = nullptr;
    std::size_t cancelAfterTokens = 0;
    int cancelAtLayer = -1;

    void span(const trace::Span& s) override {
        spans.push_back(s);
        if (cancel != nullptr && cancelAtLayer >= 0 && s.layer == cancelAtLayer) cancel->request();
    }
    void kv(const trace::KvEvent& e) override { kvEvents.push_back(e); }
    void token(const trace::TokenRecord& t) override {
        tokens.push_back(t);
        if (cancel != nullptr && tokens.size() == cancelAfterTokens) cancel->request();
    }
    void prefillProgress(std::int32_t, std::int32_t done, std::int32_t total) override {
        progress.emplace_back(done, total);
    }
};

std::string checkpointFolder(const char* name) {
    return goldenDir() + "/checkpoints/" + name;
}

std::vector<TokenId> somePrompt(std::int64_t n, std::int64_t vocab = 600) {
    std::vector<TokenId> ids;
    for (std::int64_t i = 0; i < n; ++i) ids.push_back(static_cast<TokenId>((i * 37 + 5) % vocab));
    return ids;
}

class EngineTest : public testing::Test {
  protected:
    void SetUp() override {
        static const auto model = loadOrFail(checkpointFolder("llama_gqa"));
        m_model = model;
        ASSERT_NE(m_model, nullptr);
    }
    std::unique_ptr<Engine> engine(EngineSettings settings = exactSettings()) const {
        return engineFor(m_model, settings);
    }
    std::shared_ptr<const Model> m_model;
    CancelToken m_cancel;
};

TEST_F(EngineTest, BitsDependOnNeitherThreadsNorChunks) {
    const std::string folder = goldenDir();
    for (const std::string& path :
         {folder + "/checkpoints/llama_gqa", folder + "/gguf/llama_wide.Q4_0.gguf",
          folder + "/gguf/llama_wide.Q4_K_M.llama_quantize.gguf", folder + "/gguf/qwen2.Q4_0.gguf",
          folder + "/gguf/llama_gqa.F16.gguf", folder + "/checkpoints/mistral",
          folder + "/checkpoints/phi", folder + "/checkpoints/gpt2", folder + "/checkpoints/gemma3",
          folder + "/checkpoints/llama_dynamic_ntk", folder + "/gguf/gemma3.F16.gguf"}) {
        if (!std::filesystem::exists(path)) continue;
        const auto model = loadOrFail(path);
        ASSERT_NE(model, nullptr);
        const auto prompt = somePrompt(70, std::min<std::int64_t>(600, model->spec().vocab));
        for (const bool exact : {true, false}) {
            std::vector<float> first;
            std::vector<TokenId> firstTokens;
            for (const auto& [threads, chunk, block] :
                 {std::tuple{1, 256, 16}, {2, 256, 16}, {3, 1, 16}, {2, 7, 8}, {1, 32, 64}}) {
                EngineSettings settings;
                settings.threads = threads;
                settings.prefillChunk = chunk;
                settings.kvBlockTokens = block;
                settings.contextTokens = 90;  // dynamic NTK: beyond the trained 48
                settings.exact = exact;
                const auto engine = engineFor(model, settings);
                ASSERT_NE(engine, nullptr);
                const auto logits = engine->logits(prompt, m_cancel);
                ASSERT_TRUE(logits.ok());
                const auto tokens = generateIds(*engine, greedyRequest(prompt, 20));
                if (first.empty()) {
                    first = *logits;
                    firstTokens = tokens;
                }
                EXPECT_EQ(std::memcmp(first.data(), logits->data(), first.size() * 4), 0)
                    << path << " exact " << exact << " threads " << threads << " chunk " << chunk;
                EXPECT_EQ(tokens, firstTokens);
            }
        }
    }
}

// From 512 positions on threads share out the keys of an attention item.
TEST_F(EngineTest, BitsOfLongContextsDoNotDependOnThreads) {
    const auto model = loadOrFail(goldenDir() + "/checkpoints/llama_gqa");
    ASSERT_NE(model, nullptr);
    std::vector<float> first;
    std::vector<TokenId> firstTokens;
    for (const auto& [threads, chunk] : {std::pair{1, 256}, {2, 256}, {3, 1}, {2, 13}}) {
        EngineSettings settings;
        settings.threads = threads;
        settings.prefillChunk = chunk;
        settings.contextTokens = 1200;
        const auto engine = engineFor(model, settings);
        ASSERT_NE(engine, nullptr);
        const auto prompt = somePrompt(1100, 600);
        const auto logits = engine->logits(prompt, m_cancel);
        ASSERT_TRUE(logits.ok());
        const auto tokens = generateIds(*engine, greedyRequest(prompt, 12));
        if (first.empty()) {
            first = *logits;
            firstTokens = tokens;
        }
        EXPECT_EQ(std::memcmp(first.data(), logits->data(), first.size() * 4), 0)
            << threads << " threads, chunk " << chunk;
        EXPECT_EQ(tokens, firstTokens) << threads << " threads, chunk " << chunk;
    }
}

TEST_F(EngineTest, AttentionKindsAndKvFormatsAgreeOnTheTokens) {
    const auto expected = generateIds(*engine(), greedyRequest(somePrompt(40), 24));
    EngineSettings naive = exactSettings();
    naive.attention = kernels::AttentionKind::Naive;
    EXPECT_EQ(generateIds(*engine(naive), greedyRequest(somePrompt(40), 24)), expected);
    const auto exactLogits = engine()->logits(somePrompt(40), m_cancel);
    using kernels::KvFormat;
    const std::pair<KvFormat, double> formats[] = {
        {KvFormat::F16, 0.99999}, {KvFormat::BF16, 0.999}, {KvFormat::E4M3, 0.99},
        {KvFormat::E5M2, 0.98},   {KvFormat::Int8, 0.999}, {KvFormat::Int4, 0.95}};
    for (const auto& [keys, near] : formats) {
        for (const auto& [values, alsoNear] : formats) {
            EngineSettings settings;
            settings.kvKeys = keys;
            settings.kvValues = values;
            const auto logits = engine(settings)->logits(somePrompt(40), m_cancel);
            ASSERT_TRUE(logits.ok());
            EXPECT_GT(cosine(*logits, *exactLogits), std::min(near, alsoNear))
                << kernels::kvFormatName(keys) << " " << kernels::kvFormatName(values);
        }
    }
}

TEST_F(EngineTest, TheCacheTakesWhatTheClosedFormSays) {
    using kernels::KvFormat;
    for (const char* name : {"llama_gqa", "gemma3", "phi", "qwen3"}) {
        const auto model = loadOrFail(checkpointFolder(name));
        for (int format = 0; format < kernels::kKvFormats; ++format) {
            for (const std::int64_t block : {8, 16, 24, 64}) {
                EngineSettings settings;
                settings.kvKeys = static_cast<KvFormat>(format);
                settings.kvValues = static_cast<KvFormat>((format + 3) % kernels::kKvFormats);
                settings.kvBlockTokens = block;
                settings.contextTokens = 200;
                settings.maxSequences = 3;
                const auto e = engineFor(model, settings);
                ASSERT_NE(e, nullptr);
                const EngineSettings& s = e->effective().settings;
                const KvMemory memory =
                    kvMemory(kvLayout(model->spec(), s), 200, 3, s.prefillChunk);
                EXPECT_EQ(e->measured().kvBytes, memory.total) << name << " " << format;
                EXPECT_EQ(e->estimate().kvBytes, memory.total) << name << " " << format;
            }
        }
    }
}

TEST_F(EngineTest, CodedCachesGiveTheSameTokensInAnyChunk) {
    using kernels::KvFormat;
    for (const KvFormat format : {KvFormat::E4M3, KvFormat::Int8, KvFormat::Int4}) {
        std::vector<TokenId> first;
        for (const std::int64_t chunk : {64, 1, 7, 20}) {
            EngineSettings settings;
            settings.kvKeys = settings.kvValues = format;
            settings.prefillChunk = chunk;
            const auto tokens = generateIds(*engine(settings), greedyRequest(somePrompt(50), 30));
            if (first.empty()) first = tokens;
            EXPECT_EQ(tokens, first) << kernels::kvFormatName(format) << " chunk " << chunk;
        }
    }
}

TEST_F(EngineTest, ATurnedCacheChangesLittleButWhatItRounds) {
    EngineSettings settings;
    settings.kvKeys = settings.kvValues = kernels::KvFormat::F32;
    const auto plain = engine(settings)->logits(somePrompt(40), m_cancel);
    settings.kvRotate = true;
    const auto turned = engine(settings)->logits(somePrompt(40), m_cancel);
    ASSERT_TRUE(plain.ok() && turned.ok());
    EXPECT_NE(*plain, *turned);
    EXPECT_GT(cosine(*plain, *turned), 0.99999);
}

/// A window that no text outgrows, blocks of all positions, pages enough for all: the dense tokens.
TEST_F(EngineTest, PatternsThatLeaveNothingOutChangeNothing) {
    const auto expected = generateIds(*engine(), greedyRequest(somePrompt(60), 30));
    const auto tokensOf = [&](AttentionPattern pattern) {
        EngineSettings settings = exactSettings();
        settings.pattern = std::move(pattern);
        return generateIds(*engine(settings), greedyRequest(somePrompt(60), 30));
    };
    EXPECT_EQ(tokensOf(windowOf(200, 4)), expected);
    EXPECT_EQ(tokensOf(blockSparse(16, 1, 1)), expected);
    EXPECT_EQ(tokensOf(pagesOf(10)), expected);
    EXPECT_EQ(tokensOf(heavyHitters(64, 64)), expected);
    EXPECT_NE(tokensOf(heavyHitters(8, 8)), expected);
    AttentionPattern narrow = windowOf(8, 2);
    EXPECT_NE(tokensOf(narrow), expected);
    narrow.denseLayers = {true, true, true, true};
    EXPECT_EQ(tokensOf(narrow), expected);
}

TEST_F(EngineTest, PatternsGiveTheSameLogitsInAnyChunk) {
    const AttentionPattern patterns[] = {windowOf(20, 3), windowOf(33, 0), blockSparse(8, 2, 3),
                                         pagesOf(2), heavyHitters(20, 30)};
    const auto ids = somePrompt(120);
    for (const AttentionPattern& pattern : patterns) {
        for (const auto format : {kernels::KvFormat::F16, kernels::KvFormat::Int4}) {
            std::vector<float> first;
            for (const std::int64_t chunk : {64, 1, 16, 23}) {
                EngineSettings settings;
                settings.pattern = pattern;
                settings.kvKeys = settings.kvValues = format;
                settings.prefillChunk = chunk;
                const auto logits = engine(settings)->logits(ids, m_cancel);
                ASSERT_TRUE(logits.ok()) << logits.error().toString();
                if (first.empty()) first = *logits;
                EXPECT_EQ(*logits, first) << "chunk " << chunk;
            }
        }
    }
}

TEST_F(EngineTest, EvictionByWeightKeepsItsBudgetOfBlocks) {
    EngineSettings settings = exactSettings();
    settings.pattern = heavyHitters(40, 33);
    settings.prefillChunk = 32;
    const auto e = engine(settings);
    Recorder sink;
    const auto result =
        e->generate(greedyRequest(somePrompt(150), 100), {&sink, 0, 0, 0}, m_cancel);
    ASSERT_TRUE(result.ok()) << result.error().toString();
    // 3 blocks of the last 40 tokens, one that is not full yet, 3 of the 33 with the most weight.
    EXPECT_EQ(result->kvBlocks, 7);
    for (const auto& token : sink.tokens) EXPECT_LE(token.kvBytes, 10 * 16 * e->kvBytesPerToken());
    EXPECT_LT(result->attended.seen, result->attended.all);
    EXPECT_EQ(e->parts().pool->nInUse(), 0);
    settings.pattern.denseLayers = {true};
    const auto dense = Engine::create(m_model, settings);
    ASSERT_FALSE(dense.ok());
    EXPECT_EQ(dense.error().code, ErrorCode::Usage);
    settings.pattern.denseLayers.clear();
    settings.backend = BackendKind::Cuda;
    const auto gpu = Engine::create(m_model, settings);
    ASSERT_FALSE(gpu.ok());
    EXPECT_EQ(gpu.error().code, ErrorCode::Unsupported);
}

TEST(EvictLight, TheLeastWeightGoesOfTheOlderBlocks) {
    KvLayout layout{.nLayers = 1,
                    .nKvHeads = 1,
                    .headDim = 8,
                    .blockTokens = 8,
                    .keys = kernels::KvFormat::F32,
                    .values = kernels::KvFormat::F32};
    const auto pool = BlockPool::create(layout, 12);
    ASSERT_TRUE(pool.ok());
    BlockTable table;
    ASSERT_TRUE((*pool)->grow(table, 0, 80, {}).ok());
    HeavyHitters heavy{.nPrompt = 76,
                       .mass = {{4.0, 1.0, 3.0, 3.0, 9.0, 0.5, 6.0, 0.1, 0.1, 0.1},
                                {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}}};
    const auto held = [&table] {
        std::vector<std::int64_t> out;
        for (std::int64_t b = 0; b < table.nBlocks(); ++b)
            if (table.blocks()[static_cast<std::size_t>(b)] >= 0) out.push_back(b);
        return out;
    };
    const auto all = held();
    evictLight(**pool, table, 75, heavyHitters(17, 20), heavy, {});  // inside the prompt
    EXPECT_EQ(held(), all);
    evictLight(**pool, table, 77, heavyHitters(17, 20), heavy, {});  // no block is full
    EXPECT_EQ(held(), all);
    evictLight(**pool, table, 76, heavyHitters(17, 20), heavy, {});  // the prompt's end
    EXPECT_EQ(held(), (std::vector<std::int64_t>{0, 4, 6, 7, 8, 9}));
    evictLight(**pool, table, 80, heavyHitters(8, 16), heavy, {});
    EXPECT_EQ(held(), (std::vector<std::int64_t>{4, 6, 9}));
    evictLight(**pool, table, 80, heavyHitters(8, 0), heavy, {});
    EXPECT_EQ(held(), (std::vector<std::int64_t>{9}));
    (*pool)->shrink(table, 0, {});
    EXPECT_EQ((*pool)->nInUse(), 0);
    EXPECT_EQ(tokensUntilEviction(0, 76, 8), 76);
    EXPECT_EQ(tokensUntilEviction(76, 76, 8), 4);
    EXPECT_EQ(tokensUntilEviction(80, 76, 8), 8);
}

TEST_F(EngineTest, AWindowForgetsBlocksAndRunsOnInConstantMemory) {
    EngineSettings settings = exactSettings();
    settings.pattern.kind = AttentionPattern::Kind::Window;
    settings.pattern.window = 40;
    settings.pattern.sinks = 4;
    settings.prefillChunk = 32;
    settings.contextTokens = 4000;  // the model was trained on 512
    const auto e = engine(settings);
    EXPECT_LE(e->effective().settings.poolBlocks, 12);
    Recorder sink;
    const auto result =
        e->generate(greedyRequest(somePrompt(100), 600), {&sink, 0, 0, 0}, m_cancel);
    ASSERT_TRUE(result.ok()) << result.error().toString();
    EXPECT_EQ(result->tokens.size(), 600U);
    EXPECT_LE(result->kvBlocks, 5);
    for (const auto& token : sink.tokens) EXPECT_LE(token.kvBytes, 5 * 16 * e->kvBytesPerToken());
    EXPECT_LT(result->attended.seen, result->attended.all / 5);
    EXPECT_EQ(e->parts().pool->nInUse(), 0);
}

TEST_F(EngineTest, ContextEndsAreRefusedOrReported) {  // case C51
    EngineSettings settings = exactSettings();
    settings.contextTokens = 32;
    const auto small = engine(settings);
    const auto run = [&](std::int64_t prompt, int maxTokens) {
        return small->generate(greedyRequest(somePrompt(prompt), maxTokens), {}, m_cancel);
    };
    const auto tooLong = run(33, 4);
    ASSERT_FALSE(tooLong.ok());
    EXPECT_EQ(tooLong.error().code, ErrorCode::Usage);
    EXPECT_THAT(tooLong.error().message, HasSubstr("33 tokens"));
    EXPECT_THAT(tooLong.error().message, HasSubstr("holds 32"));
    const auto full = run(30, 40);
    ASSERT_TRUE(full.ok());
    EXPECT_EQ(full->finish, FinishReason::ContextFull);
    EXPECT_EQ(full->tokens.size(), 3U);  // two enter the cache, the third needs no place in it
    EXPECT_EQ(full->kvBlocks, 2);
    const auto exactly = run(32, 40);
    ASSERT_TRUE(exactly.ok());
    EXPECT_EQ(exactly->finish, FinishReason::ContextFull);
    EXPECT_EQ(exactly->tokens.size(), 1U);
    EXPECT_EQ(run(30, 2)->finish, FinishReason::MaxTokens);
    const auto logits = small->logits(somePrompt(33), m_cancel);
    ASSERT_FALSE(logits.ok());
    EXPECT_THAT(logits.error().message, HasSubstr("holds 32"));
}

TEST_F(EngineTest, RequestsThatMakeNoSenseAreRefused) {
    const auto e = engine();
    const auto message = [&](const GenerateRequest& request) {
        const auto result = e->generate(request, {}, m_cancel);
        return result.ok() ? std::string() : result.error().message;
    };
    EXPECT_THAT(message(greedyRequest({}, 3)), HasSubstr("empty"));
    EXPECT_THAT(message(greedyRequest({5, 620}, 3)), HasSubstr("token 1 has id 620"));
    EXPECT_THAT(message(greedyRequest({5, 620}, 3)), HasSubstr("0 to 619"));
    EXPECT_THAT(message(greedyRequest({-1}, 3)), HasSubstr("id -1"));
    EXPECT_THAT(message(greedyRequest({5}, -1)), HasSubstr("-1"));
    GenerateRequest bad = greedyRequest({5}, 3);
    bad.sampling.topP = 2.0F;
    EXPECT_THAT(message(bad), HasSubstr("top-p"));
    const auto none = e->generate(greedyRequest({5}, 0), {}, m_cancel);
    ASSERT_TRUE(none.ok());
    EXPECT_TRUE(none->tokens.empty());
    EXPECT_EQ(none->finish, FinishReason::MaxTokens);
}

TEST_F(EngineTest, SettingsOutOfRangeAreRefusedByName) {
    const auto message = [&](auto change) {
        EngineSettings settings;
        change(settings);
        const auto created = Engine::create(m_model, settings);
        return created.ok() ? std::string() : created.error().message;
    };
    EXPECT_THAT(message([](auto& s) { s.threads = -1; }), HasSubstr("threads is -1"));
    EXPECT_THAT(message([](auto& s) { s.kvBlockTokens = 4; }), HasSubstr("KV block is 4"));
    EXPECT_THAT(message([](auto& s) { s.contextTokens = -5; }), HasSubstr("context is -5"));
    EXPECT_THAT(message([](auto& s) { s.prefillChunk = 0; }), HasSubstr("prefill chunk is 0"));
    EXPECT_THAT(message([](auto& s) { s.poolBlocks = -1; }), HasSubstr("KV blocks is -1"));
}

TEST_F(EngineTest, LearnedPositionsEndTheContext) {
    const auto model = loadOrFail(checkpointFolder("gpt2"));
    EngineSettings settings = exactSettings();
    settings.contextTokens = 257;
    const auto refused = Engine::create(model, settings);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::Usage);
    EXPECT_NE(refused.error().message.find("257"), std::string::npos);
    EXPECT_NE(refused.error().message.find("256"), std::string::npos);
    settings.contextTokens = 0;
    const auto e = engineFor(model, settings);
    ASSERT_NE(e, nullptr);
    EXPECT_EQ(e->effective().settings.contextTokens, 256);
    // The last position can be used.
    EXPECT_EQ(generateIds(*e, greedyRequest(somePrompt(250, 512), 20)).size(), 7U);
}

TEST_F(EngineTest, EffectiveSettingsSayWhatDiffersAndWhy) {
    EngineSettings settings;
    settings.exact = true;
    settings.contextTokens = 600;
    const auto e = engine(settings);
    EXPECT_EQ(e->effective().settings.kvKeys, kernels::KvFormat::F32);
    EXPECT_EQ(e->effective().settings.kvValues, kernels::KvFormat::F32);
    EXPECT_GE(e->effective().settings.threads, 1);
    EXPECT_FALSE(e->effective().isa.empty());
    EXPECT_THAT(e->effective().notes,
                ::testing::UnorderedElementsAre(HasSubstr("kv fp32 instead of fp16"),
                                                HasSubstr("beyond the trained 512")));
    EXPECT_EQ(e->kvBytesPerToken(), 2U * 3 * 2 * 16 * 4);
    ::setenv("LANESCOPE_EXACT", "1", 1);
    EXPECT_TRUE(engine({})->effective().settings.exact);
    ::unsetenv("LANESCOPE_EXACT");
    EXPECT_FALSE(engine({})->effective().settings.exact);
    EXPECT_EQ(engine({})->effective().settings.contextTokens, 512);
}

TEST_F(EngineTest, EventsTellTheWholeRequest) {
    Recorder sink;
    EngineSettings settings = exactSettings();
    settings.prefillChunk = 16;
    const auto e = engine(settings);
    GenerateRequest request = greedyRequest(somePrompt(40), 12);
    request.topCandidates = 3;
    const auto result = e->generate(request, {&sink, 2, 9, -1}, m_cancel);
    ASSERT_TRUE(result.ok());
    ASSERT_EQ(sink.tokens.size(), 12U);
    std::string text;
    for (std::size_t i = 0; i < sink.tokens.size(); ++i) {
        const trace::TokenRecord& token = sink.tokens[i];
        EXPECT_EQ(token.request, 9);
        EXPECT_EQ(token.index, static_cast<std::int32_t>(i));
        EXPECT_EQ(token.token, result->tokens[i]);
        EXPECT_EQ(token.tNs, result->tokenNs[i]);
        EXPECT_EQ(token.contextTokens, static_cast<std::int32_t>(40 + i));
        EXPECT_EQ(token.kvBytes, ((40 + i + 15) / 16) * 16 * e->kvBytesPerToken());
        EXPECT_LT(token.logProbability, 0.0F);
        EXPECT_GT(token.entropy, 0.0F);
        ASSERT_EQ(token.top.size(), 3U);
        EXPECT_EQ(token.top[0].token, token.token);
        EXPECT_NEAR(token.top[0].probability, std::exp(token.logProbability), 1e-5);
        text += token.piece;
    }
    EXPECT_EQ(text, result->text);
    EXPECT_EQ(result->kvBytes, sink.tokens.back().kvBytes);
    EXPECT_THAT(sink.progress,
                ::testing::ElementsAre(std::pair{16, 40}, std::pair{32, 40}, std::pair{40, 40}));
    ASSERT_FALSE(sink.kvEvents.empty());
    EXPECT_EQ(sink.kvEvents.back().action, trace::KvAction::Free);
    EXPECT_EQ(sink.kvEvents.back().blocksInUse, 0);
    EXPECT_EQ(sink.kvEvents.back().request, 9);
}

TEST_F(EngineTest, SpansCoverEveryOpOfEveryLayerInOrder) {
    Recorder sink;
    const auto e = engineFor(loadOrFail(goldenDir() + "/gguf/llama_wide.Q4_0.gguf"), {});
    ASSERT_NE(e, nullptr);
    ASSERT_TRUE(e->generate(greedyRequest(somePrompt(20), 3), {&sink, 1, 4, -1}, m_cancel).ok());
    std::map<std::pair<trace::Op, int>, int> counts;  // (op, step)
    std::int64_t last = 0;
    for (const trace::Span& span : sink.spans) {
        ++counts[{span.op, span.step}];
        EXPECT_LE(span.tStartNs, span.tEndNs);
        EXPECT_GE(span.tEndNs, last);
        last = span.tEndNs;
        EXPECT_EQ(span.lane, 1);
        EXPECT_EQ(span.request, 4);
        if (span.op == trace::Op::Qkv) {
            EXPECT_EQ(span.layer, 0);
            const std::uint64_t n = span.step == 0 ? 20 : 1;
            EXPECT_EQ(span.flops, 2 * n * 256 * (4 + 2 + 2) * 64);
            // weights (4.5 bits each) + rows in and out
            EXPECT_EQ(span.bytes, 256 * 512 * 18 / 32 + n * 4 * (256 + 512));
        }
    }
    using trace::Op;
    for (const Op op : {Op::Embed, Op::Rope, Op::KvWrite, Op::Qkv, Op::Attention, Op::OutProj,
                        Op::GateUp, Op::Activation, Op::Down, Op::Head, Op::Sample, Op::Detokenise})
        for (const int step : {0, 1, 2})
            EXPECT_EQ((counts[{op, step}]), 1) << trace::opName(op) << " step " << step;
    EXPECT_EQ((counts[{Op::Norm, 1}]), 3);
    EXPECT_EQ((counts[{Op::Residual, 1}]), 2);
    EXPECT_EQ((counts[{Op::QuantiseActs, 1}]), 5);
    EXPECT_EQ((counts[{Op::Prefill, 0}]), 1);
    EXPECT_EQ((counts[{Op::DecodeStep, 1}]), 1);
}

TEST_F(EngineTest, CancelKeepsWhatThereIsAndFreesTheBlocks) {
    Recorder sink;
    CancelToken cancel;
    sink.cancel = &cancel;
    sink.cancelAfterTokens = 3;
    const auto e = engine();
    const auto partial = e->generate(greedyRequest(somePrompt(8), 50), {&sink}, cancel);
    ASSERT_TRUE(partial.ok());
    EXPECT_EQ(partial->finish, FinishReason::Cancelled);
    EXPECT_EQ(partial->tokens.size(), 3U);
    EXPECT_EQ(sink.kvEvents.back().blocksInUse, 0);

    Recorder during;  // in the middle of a prefill: at most one more layer runs
    CancelToken layer;
    during.cancel = &layer;
    during.cancelAtLayer = 0;
    const auto none = e->generate(greedyRequest(somePrompt(200), 50), {&during}, layer);
    ASSERT_TRUE(none.ok());
    EXPECT_EQ(none->finish, FinishReason::Cancelled);
    EXPECT_TRUE(none->tokens.empty());
    for (const trace::Span& span : during.spans) EXPECT_LE(span.layer, 0);
    EXPECT_EQ(e->logits(somePrompt(8), layer).error().code, ErrorCode::Cancelled);
    EXPECT_EQ(e->timePrefill(8, layer).error().code, ErrorCode::Cancelled);
    EXPECT_EQ(e->timeBatch(1, 4, 0, layer).error().code, ErrorCode::Cancelled);
    EXPECT_TRUE(e->logits(somePrompt(8), m_cancel).ok());
}

TEST_F(EngineTest, SameSeedGivesTheSameTokens) {
    GenerateRequest request = greedyRequest(somePrompt(8), 30);
    request.sampling.temperature = 1.0F;
    request.sampling.topP = 0.95F;
    request.sampling.seed = 42;
    EngineSettings one = exactSettings(1);
    const auto first = generateIds(*engine(), request);
    EXPECT_EQ(generateIds(*engine(), request), first);
    EXPECT_EQ(generateIds(*engine(one), request), first);
    request.sampling.seed = 43;
    EXPECT_NE(generateIds(*engine(), request), first);
}

TEST_F(EngineTest, MeasuredMemoryIsWhatWasEstimated) {
    for (const std::int64_t context : {64, 512}) {
        EngineSettings settings;
        settings.contextTokens = context;
        const auto e = engine(settings);
        ASSERT_TRUE(e->generate(greedyRequest(somePrompt(8), 4), {}, m_cancel).ok());
        const auto near = [](std::uint64_t a, std::uint64_t b) {
            return static_cast<double>(a) <= 1.1 * static_cast<double>(b) &&
                   static_cast<double>(b) <= 1.1 * static_cast<double>(a);
        };
        EXPECT_TRUE(near(e->measured().kvBytes, e->estimate().kvBytes));
        EXPECT_TRUE(near(e->measured().scratchBytes, e->estimate().scratchBytes));
        EXPECT_EQ(e->measured().weightBytes, e->estimate().weightBytes);
        EXPECT_EQ(e->estimate().kvBytes,
                  static_cast<std::uint64_t>(context) * e->kvBytesPerToken());
    }
}

TEST(Memory, ARefusalNamesBothNumbersAndANextStep) {
    const MemoryEstimate need{5ULL << 30U, 1ULL << 30U, 1ULL << 20U};
    EXPECT_TRUE(checkFits(need, 8ULL << 30U).ok());
    EXPECT_TRUE(checkFits(need, 0).ok());  // unknown: the system decides
    const auto refused = checkFits(need, 2ULL << 30U);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
    EXPECT_THAT(refused.error().message, HasSubstr("needs 6.0 GiB"));
    EXPECT_THAT(refused.error().message, HasSubstr("2.0 GiB free"));
    EXPECT_THAT(refused.error().nextStep, HasSubstr("context"));
    EXPECT_GT(availableMemoryBytes(), 0U);
}

TEST_F(EngineTest, BenchmarkPrimitivesTimeWhatTheySay) {
    EngineSettings settings = exactSettings();
    settings.contextTokens = 128;
    const auto e = engine(settings);
    const auto prefill = e->timePrefill(64, m_cancel);
    ASSERT_TRUE(prefill.ok());
    EXPECT_GT(*prefill, 0);
    EXPECT_TRUE(e->timeDecode(8, 0, m_cancel).ok());
    EXPECT_TRUE(e->timeDecode(8, 120, m_cancel).ok());
    EXPECT_THAT(e->timeDecode(9, 120, m_cancel).error().message, HasSubstr("holds 128"));
    EXPECT_FALSE(e->timePrefill(129, m_cancel).ok());
    EXPECT_FALSE(e->timePrefill(0, m_cancel).ok());
}

/// Copies a golden checkpoint's files whose names `keep` accepts.
template <class Keep>
void copyCheckpoint(const char* name, const TemporaryFolder& folder, Keep keep) {
    for (const auto& entry : std::filesystem::directory_iterator(checkpointFolder(name)))
        if (keep(entry.path().filename().string()))
            std::filesystem::copy(entry.path(), folder.path() / entry.path().filename());
}

TEST_F(EngineTest, RunsOnIdsAloneWithoutATokenizer) {
    const TemporaryFolder folder;
    copyCheckpoint("llama_gqa", folder, [](const std::string& file) {
        return file == "config.json" || file == "model.safetensors";
    });
    const auto bare = loadOrFail(folder.path().string());
    ASSERT_NE(bare, nullptr);
    EXPECT_EQ(bare->tokenizer(), nullptr);
    EXPECT_FALSE(bare->tokenizerError().empty());
    const auto e = engineFor(bare, exactSettings());
    Recorder sink;
    const auto result = e->generate(greedyRequest(somePrompt(8), 6), {&sink}, m_cancel);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->tokens, generateIds(*engine(), greedyRequest(somePrompt(8), 6)));
    EXPECT_TRUE(result->text.empty());
    EXPECT_EQ(sink.tokens.size(), 6U);
    GenerateRequest stop = greedyRequest(somePrompt(8), 6);
    stop.stop = {"x"};
    EXPECT_THAT(e->generate(stop, {}, m_cancel).error().message, HasSubstr("tokenizer"));
}

TEST_F(EngineTest, WeightsThatGiveNoNumbersAreAnError) {
    const TemporaryFolder folder;
    copyCheckpoint("llama_gqa", folder, [](const std::string&) { return true; });
    // Fill the last quarter of the weights with NaN: whatever they are, the logits see them.
    const auto file = folder.path() / "model.safetensors";
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file));
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(size - size / 16 * 4);
    const std::uint32_t nan = 0x7FC00000U;
    for (std::streamoff i = 0; i < size / 16; ++i)
        stream.write(reinterpret_cast<const char*>(&nan), sizeof(nan));
    stream.close();
    const auto broken = loadOrFail(folder.path().string());
    ASSERT_NE(broken, nullptr);
    const auto result =
        engineFor(broken, exactSettings())->generate(greedyRequest(somePrompt(8), 6), {}, m_cancel);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::BadInput);
    EXPECT_THAT(result.error().message, HasSubstr("620 logits"));
}

TEST(PackedWeights, GiveTheSameAnswersAndAreSharedByALanesModel) {
    const auto model = loadOrFail(goldenDir() + "/gguf/llama_wide.Q4_K_M.llama_quantize.gguf");
    ASSERT_NE(model, nullptr);
    EngineSettings settings;
    settings.threads = 2;
    settings.pack = false;
    const auto stored = engineFor(model, settings);
    settings.pack = true;
    const auto packed = engineFor(model, settings);
    if (!packed->effective().settings.pack) GTEST_SKIP() << "this processor reads stored formats";
    CancelToken cancel;
    for (const std::int64_t nTokens : {1, 7, 40}) {
        const auto ids = somePrompt(nTokens, model->usableVocab());
        EXPECT_EQ(*packed->logits(ids, cancel), *stored->logits(ids, cancel)) << nTokens;
    }
    EXPECT_EQ(generateIds(*packed, greedyRequest(somePrompt(9, 256), 12)),
              generateIds(*stored, greedyRequest(somePrompt(9, 256), 12)));
    EXPECT_FALSE(stored->effective().settings.pack);

    const auto& ops = kernels::opTable(kernels::preferredIsa());
    ThreadPool pool(2);
    auto first = PackedWeights::of(*model, ops, pool, cancel);
    ASSERT_TRUE(first.ok());
    auto second = PackedWeights::of(*model, ops, pool, cancel);
    EXPECT_EQ(first->get(), second->get());
    EXPECT_GE((*first)->bytes(), (*first)->replacedBytes());
    for (const Weight* weight : model->matrices())
        EXPECT_EQ((*first)->find(*weight) != nullptr, kernels::canPack(weight->dtype));
    EXPECT_EQ((*first)->find(model->embedding()), nullptr);

    settings.exact = true;
    EXPECT_FALSE(engineFor(model, settings)->effective().settings.pack);
}

TEST(Activations, ASecondTermComesNearerToTheExactPath) {
    const auto model = loadOrFail(goldenDir() + "/gguf/llama_wide.Q4_K_M.llama_quantize.gguf");
    ASSERT_NE(model, nullptr);
    CancelToken cancel;
    const auto ids = somePrompt(40, model->usableVocab());
    const auto logitsOf = [&](bool exact, ActsFormat acts, bool pack, int threads) {
        EngineSettings settings;
        settings.threads = threads;
        settings.kvKeys = settings.kvValues = kernels::KvFormat::F32;
        settings.exact = exact;
        settings.acts = acts;
        settings.pack = pack;
        return *engineFor(model, settings)->logits(ids, cancel);
    };
    const auto exact = logitsOf(true, ActsFormat::Int8, false, 2);
    const auto one = logitsOf(false, ActsFormat::Int8, true, 2);
    const auto two = logitsOf(false, ActsFormat::Int8x2, true, 2);
    const double apartOne = 1.0 - cosine(one, exact);
    const double apartTwo = 1.0 - cosine(two, exact);
    EXPECT_GT(apartOne, 1e-7);
    EXPECT_LT(apartTwo, apartOne / 1000.0) << apartOne;
    EXPECT_EQ(logitsOf(false, ActsFormat::Int8x2, false, 1), two);
}

TEST(Activations, Bf16ComesNearToTheExactPathInAnyFormat) {
    for (const char* file :
         {"/gguf/llama_wide.Q4_K_M.llama_quantize.gguf", "/gguf/llama_gqa.F16.gguf"}) {
        SCOPED_TRACE(file);
        const auto model = loadOrFail(goldenDir() + file);
        ASSERT_NE(model, nullptr);
        CancelToken cancel;
        const auto ids = somePrompt(40, model->usableVocab());
        const auto logitsOf = [&](bool exact, int threads) {
            EngineSettings settings;
            settings.threads = threads;
            settings.kvKeys = settings.kvValues = kernels::KvFormat::F32;
            settings.exact = exact;
            settings.acts = ActsFormat::Bf16;
            return *engineFor(model, settings)->logits(ids, cancel);
        };
        const auto exact = logitsOf(true, 2);
        const auto rounded = logitsOf(false, 2);
        const double apart = 1.0 - cosine(rounded, exact);
        EXPECT_GT(apart, 1e-9);
        EXPECT_LT(apart, 1e-3);
        EXPECT_EQ(logitsOf(false, 1), rounded);
    }
}

/// The pass under the engine: several sequences of different lengths in one, chunks and single
/// tokens mixed, give each the logits it gets alone.
void expectBatchesLikeAlone(const std::string& path, bool exact) {
    SCOPED_TRACE(path);
    const auto model = loadOrFail(path);
    ASSERT_NE(model, nullptr);
    const auto resolved = resolveSettings(model->spec(), batchSettings(exact));
    ASSERT_TRUE(resolved.ok());
    auto backend = CpuBackend::create(model->spec(), backendSettings(resolved->settings));
    ASSERT_TRUE(backend.ok());
    auto pool = BlockPool::create(kvLayout(model->spec(), resolved->settings), 64);
    ASSERT_TRUE(pool.ok());
    const auto vocab = static_cast<std::size_t>(model->spec().vocab);
    for (const int steps : {0, 3}) {
        const auto together = batchLogits(*model, **backend, **pool, kBatch, steps);
        for (const std::size_t i : kBatch) {
            const std::array<std::size_t, 1> one{i};
            const auto alone = batchLogits(*model, **backend, **pool, one, steps);
            EXPECT_EQ(std::memcmp(alone.data(), together.data() + i * vocab, vocab * sizeof(float)),
                      0)
                << "sequence " << i << " after " << steps << " steps";
        }
    }
}

TEST(Batch, EverySequenceGetsTheBitsItGetsAlone) {
    for (const char* name : {"llama_gqa", "mistral", "gemma3", "gpt2", "llama_dynamic_ntk"})
        expectBatchesLikeAlone(checkpointFolder(name), true);
    expectBatchesLikeAlone(goldenDir() + "/gguf/llama_wide.Q4_K_M.llama_quantize.gguf", false);
}

TEST(PackedWeights, CanBeCancelled) {
    const auto model = loadOrFail(goldenDir() + "/gguf/llama_wide.Q4_K_M.llama_quantize.gguf");
    ASSERT_NE(model, nullptr);
    const auto& ops = kernels::opTable(kernels::preferredIsa());
    if (ops.pack == nullptr) GTEST_SKIP() << "this processor reads stored formats";
    ThreadPool pool(1);
    CancelToken cancel;
    cancel.request();
    EXPECT_EQ(PackedWeights::of(*model, ops, pool, cancel).error().code, ErrorCode::Cancelled);
}

/// Cuts the model's file when the second token comes.
struct Shortener : trace::Sink {
    std::filesystem::path file;
    int tokens = 0;
    void span(const trace::Span&) override {}
    void kv(const trace::KvEvent&) override {}
    void token(const trace::TokenRecord&) override {
        if (++tokens == 2) std::filesystem::resize_file(file, 10'000);
    }
};

TEST_F(EngineTest, AModelFileShortenedWhileItRunsEndsTheRequestWithAnError) {
    installMappingGuard();
    const TemporaryFolder folder;
    copyCheckpoint("llama_gqa", folder, [](const std::string&) { return true; });
    const auto model = loadOrFail(folder.path().string());
    ASSERT_NE(model, nullptr);
    Shortener sink;
    sink.file = folder.path() / "model.safetensors";
    const auto result = engineFor(model, exactSettings())
                            ->generate(greedyRequest(somePrompt(8), 6), {&sink}, m_cancel);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::BadInput);
    EXPECT_THAT(result.error().toString(), HasSubstr("changed on disk"));
}

}  // namespace
}  // namespace lanescope::test
