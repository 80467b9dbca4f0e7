// Requests served together get the tokens they get alone, whatever the policy, the blocks, the
// budget, what is reused and who is sent away meanwhile.

#include "engine/schedule/batch_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "engine/decode/engine_parts.h"
#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

using trace::FinishReason;

std::shared_ptr<const Model> tiny(const std::string& name = "llama_gqa") {
    return loadOrFail(goldenDir() + "/checkpoints/" + name);
}

EngineSettings settingsFor(std::int64_t blockTokens, std::int64_t nBlocks) {
    EngineSettings s = exactSettings();
    s.contextTokens = 192;
    s.prefillChunk = 64;
    s.maxSequences = 6;
    s.kvBlockTokens = blockTokens;
    s.poolBlocks = nBlocks;
    return s;
}

/// Requests of mixed lengths; half of them begin alike.
std::vector<ServeRequest> someRequests(unsigned seed, std::int64_t vocab, int n = 12) {
    std::mt19937 random(seed);
    std::vector<TokenId> beginning(40);
    for (auto& id : beginning) id = static_cast<TokenId>(random() % vocab);
    std::vector<ServeRequest> requests;
    for (int i = 0; i < n; ++i) {
        std::vector<TokenId> prompt;
        if (i % 2 == 0) prompt = beginning;
        const std::size_t more = 1 + random() % 50;
        for (std::size_t t = 0; t < more; ++t)
            prompt.push_back(static_cast<TokenId>(random() % vocab));
        ServeRequest request;
        request.generate = greedyRequest(std::move(prompt), 1 + static_cast<int>(random() % 24));
        request.arrivalSeconds = i < n / 2 ? 0.0 : 0.002 * (random() % 20);
        request.priority = static_cast<int>(random() % 2);
        request.client = random() % 2 == 0 ? "a" : "b";
        requests.push_back(std::move(request));
    }
    return requests;
}

std::vector<std::vector<TokenId>> alone(const std::shared_ptr<const Model>& model,
                                        const std::vector<ServeRequest>& requests) {
    const auto engine = engineFor(model, settingsFor(16, 0));
    std::vector<std::vector<TokenId>> tokens;
    tokens.reserve(requests.size());
    for (const ServeRequest& request : requests)
        tokens.push_back(generateIds(*engine, request.generate));
    return tokens;
}

ServeResult served(Engine& engine, const std::vector<ServeRequest>& requests,
                   const BatchSettings& settings, const trace::Cursor& cursor = {}) {
    const CancelToken cancel;
    auto result = serve(engine, requests, settings, cursor, cancel);
    EXPECT_TRUE(result.ok()) << result.error().toString();
    return result ? *std::move(result) : ServeResult();
}

void expectTokens(const ServeResult& result, const std::vector<std::vector<TokenId>>& expected,
                  const std::string& what) {
    ASSERT_EQ(result.requests.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(result.requests[i].result.tokens, expected[i]) << what << ", request " << i;
        EXPECT_EQ(result.requests[i].record.finish, FinishReason::MaxTokens);
    }
}

class BatchEngineSeeds : public testing::TestWithParam<unsigned> {};

TEST_P(BatchEngineSeeds, TokensAreThoseOfEachRequestAlone) {
    const auto model = tiny();
    const auto requests = someRequests(GetParam(), model->usableVocab());
    const auto expected = alone(model, requests);
    std::int64_t longest = 0;
    for (const ServeRequest& r : requests)
        longest =
            std::max<std::int64_t>(longest, std::ssize(r.generate.prompt) + r.generate.maxTokens);
    std::mt19937 random(GetParam());
    bool preempted = false, reused = false;
    for (const std::int64_t blockTokens : {8, 16, 24, 32, 48, 64}) {
        for (const bool few : {false, true}) {
            // Few: room for hardly more than the longest.
            const auto engine =
                engineFor(model, settingsFor(blockTokens, few ? longest / blockTokens + 1 : 0));
            ASSERT_NE(engine, nullptr);
            BatchSettings s;
            s.policy = static_cast<BatchPolicy>(random() % 3);
            if (few) s.policy = BatchPolicy::Continuous;
            s.mixing = static_cast<PromptMixing>(random() % 2);
            s.fairness = static_cast<Fairness>(random() % 2);
            s.maxRunning = 1 + random() % 6;
            if (few) s.maxRunning = 6;
            s.tokenBudget = 6 + random() % 58;
            s.reusePrefixes = random() % 3 != 0;
            if (blockTokens == 8 && !few) {  // one after the other: what came before is there
                s.policy = BatchPolicy::Sequential;
                s.reusePrefixes = true;
            }
            const ServeResult result = served(*engine, requests, s);
            expectTokens(result, expected,
                         "block " + std::to_string(blockTokens) + (few ? ", few" : ""));
            for (const ServedRequest& r : result.requests) {
                preempted = preempted || r.record.preemptions > 0;
                reused = reused || r.record.reusedTokens > 0;
            }
            EXPECT_EQ(engine->parts().pool->nInUse(), 0);
            EXPECT_EQ(engine->parts().pool->nKept(), 0);
        }
    }
    EXPECT_TRUE(preempted) << "the few blocks were enough";
    EXPECT_TRUE(reused);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BatchEngineSeeds, testing::Range(0U, 6U));

TEST(BatchEngine, OtherArchitecturesToo) {
    for (const char* name : {"gemma3", "gpt2", "phi", "qwen3", "llama_dynamic_ntk"}) {
        const auto model = tiny(name);
        const auto requests = someRequests(3, model->usableVocab(), 6);
        const auto expected = alone(model, requests);
        const auto engine = engineFor(model, settingsFor(8, 31));
        ASSERT_NE(engine, nullptr);
        expectTokens(served(*engine, requests, {.maxRunning = 5, .tokenBudget = 24}), expected,
                     name);
    }
}

TEST(BatchEngine, SampledTokensAreThoseOfEachRequestAloneToo) {
    const auto model = tiny();
    auto requests = someRequests(7, model->usableVocab(), 6);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        requests[i].generate.sampling.temperature = 0.9F;
        requests[i].generate.sampling.seed = 100 + i;
    }
    const auto expected = alone(model, requests);
    const auto engine = engineFor(model, settingsFor(8, 31));
    expectTokens(served(*engine, requests, {}), expected, "sampled");
}

TEST(BatchEngine, EvictionByWeightDependsOnNothingButTheText) {
    const auto model = tiny();
    const auto requests = someRequests(11, model->usableVocab());
    EngineSettings settings = settingsFor(8, 0);
    settings.pattern = heavyHitters(48, 16);
    const auto one = engineFor(model, settings);
    std::vector<std::vector<TokenId>> expected;
    for (const ServeRequest& request : requests)
        expected.push_back(generateIds(*one, request.generate));
    EXPECT_NE(expected, alone(model, requests));
    bool preempted = false;
    for (const std::int64_t nBlocks : {0, 16}) {
        for (const std::int64_t budget : {9, 64}) {
            settings.poolBlocks = nBlocks;
            const auto engine = engineFor(model, settings);
            const ServeResult result =
                served(*engine, requests, {.maxRunning = 6, .tokenBudget = budget});
            expectTokens(result, expected, "budget " + std::to_string(budget));
            for (const ServedRequest& r : result.requests)
                preempted = preempted || r.record.preemptions > 0;
            EXPECT_EQ(engine->parts().pool->nInUse(), 0);
        }
    }
    EXPECT_TRUE(preempted) << "the few blocks were enough";
}

TEST(BatchEngine, OneThatIsCancelledChangesNoOthersTokens) {
    const auto model = tiny();
    auto requests = someRequests(5, model->usableVocab());
    for (auto& request : requests) request.arrivalSeconds = 0.0;
    const auto expected = alone(model, requests);
    CancelToken gone;
    gone.request();
    requests[1].generate.maxTokens = 24;
    requests[1].cancelAfterSeconds = 1e-6;
    requests[4].cancel = &gone;
    const auto engine = engineFor(model, settingsFor(16, 0));
    const ServeResult result = served(*engine, requests, {.maxRunning = 6, .tokenBudget = 20});
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (i == 1 || i == 4) {
            EXPECT_EQ(result.requests[i].record.finish, FinishReason::Cancelled);
            continue;
        }
        EXPECT_EQ(result.requests[i].result.tokens, expected[i]) << i;
    }
    EXPECT_EQ(engine->parts().pool->nInUse(), 0);
}

TEST(BatchEngine, WhatCannotBeServedIsSaidAndTheOthersGoOn) {
    const auto model = tiny();
    auto requests = someRequests(5, model->usableVocab(), 4);
    requests[0].generate.prompt.clear();
    requests[2].generate.prompt.assign(180, 1);
    requests[2].generate.maxTokens = 40;
    const auto expected = alone(model, {requests[1], requests[3]});
    const auto engine = engineFor(model, settingsFor(16, 0));
    const ServeResult result = served(*engine, requests, {});
    EXPECT_EQ(result.requests[0].record.finish, FinishReason::Error);
    EXPECT_THAT(result.requests[0].error, testing::HasSubstr("empty"));
    EXPECT_EQ(result.requests[2].record.finish, FinishReason::ContextFull);
    EXPECT_EQ(result.requests[1].result.tokens, expected[0]);
    EXPECT_EQ(result.requests[3].result.tokens, expected[1]);
}

struct Recorder : trace::Sink {
    std::vector<trace::TokenRecord> tokens;
    std::vector<trace::BatchStep> steps;
    std::vector<trace::ServedRecord> requests;
    std::vector<trace::BlockEvent> blocks;
    [[nodiscard]] bool wantsBlocks() const override { return true; }
    void token(const trace::TokenRecord& t) override { tokens.push_back(t); }
    void batchStep(const trace::BatchStep& s) override { steps.push_back(s); }
    void served(const trace::ServedRecord& r) override { requests.push_back(r); }
    void block(const trace::BlockEvent& e) override { blocks.push_back(e); }
};

TEST(BatchEngine, RecordsTellEveryPassAndRequest) {
    const auto model = tiny();
    const auto requests = someRequests(2, model->usableVocab());
    const auto engine = engineFor(model, settingsFor(8, 31));
    Recorder sink;
    const ServeResult result =
        served(*engine, requests, {.maxRunning = 6, .tokenBudget = 24}, {&sink, 2, 10, 0});
    EXPECT_EQ(sink.steps.size(), result.steps.size());
    ASSERT_EQ(sink.requests.size(), requests.size());
    std::map<std::int32_t, std::vector<TokenId>> byRequest;
    for (const auto& token : sink.tokens) byRequest[token.request].push_back(token.token);
    std::int64_t tokens = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const trace::ServedRecord& r = result.requests[i].record;
        EXPECT_EQ(r.request, 10 + static_cast<std::int32_t>(i));
        EXPECT_EQ(r.lane, 2);
        EXPECT_EQ(byRequest[r.request], result.requests[i].result.tokens);
        EXPECT_LE(r.tArrivalNs, r.tAdmittedNs);
        EXPECT_LT(r.tAdmittedNs, r.tFirstTokenNs);
        EXPECT_LE(r.tFirstTokenNs, r.tEndNs);
        tokens += r.outputTokens;
    }
    std::int64_t decided = 0;
    for (const auto& step : sink.steps) {
        EXPECT_GT(step.promptTokens + step.decodeTokens, 0);
        EXPECT_LE(step.promptTokens + step.decodeTokens, 24);
        EXPECT_LE(step.sequences, step.maxRunning);
        EXPECT_EQ(step.blocks, 31);
        EXPECT_GE(step.blocksRead, step.blocksInUse + step.blocksShared);
        EXPECT_GE(step.blocksRead * 8, step.tokensHeld);
        decided += step.decodeTokens;
    }
    EXPECT_LE(decided, tokens);
    // Replayed, the events of blocks give the pool as it is: nothing held.
    std::vector<trace::BlockState> states(31, trace::BlockState::Free);
    for (const auto& e : sink.blocks) {
        EXPECT_EQ(e.references > 0, e.state == trace::BlockState::Held);
        states[static_cast<std::size_t>(e.block)] = e.state;
    }
    for (const trace::BlockState state : states) EXPECT_EQ(state, trace::BlockState::Free);
}

TEST(BatchEngine, CancelEndsAllWithWhatTheyHave) {
    const auto model = tiny();
    const auto requests = someRequests(2, model->usableVocab());
    const auto engine = engineFor(model, settingsFor(16, 0));
    struct Stop : trace::Sink {
        CancelToken* cancel = nullptr;
        int left = 10;
        void token(const trace::TokenRecord&) override {
            if (--left == 0) cancel->request();
        }
    } sink;
    CancelToken cancel;
    sink.cancel = &cancel;
    auto result = serve(*engine, requests, {}, {&sink, 0, 0, 0}, cancel);
    ASSERT_TRUE(result.ok()) << result.error().toString();
    std::size_t tokens = 0, cancelled = 0;
    for (const ServedRequest& r : result->requests) {
        tokens += r.result.tokens.size();
        cancelled += r.record.finish == FinishReason::Cancelled ? 1U : 0U;
    }
    EXPECT_GE(tokens, 10U);
    EXPECT_GT(cancelled, 0U);
    EXPECT_EQ(engine->parts().pool->nInUse(), 0);
}

}  // namespace
}  // namespace lanescope::test
