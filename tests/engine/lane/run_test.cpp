// Whole runs on tiny real checkpoints: what a plan file leads to, end to end.

#include "engine/lane/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "engine/base/json.h"
#include "tests/support/golden.h"

namespace lanescope {
namespace {

namespace fs = std::filesystem;
using trace::FinishReason;
using trace::RunStatus;

/// Keeps what the tests look at.
class Keeper : public trace::Sink {
  public:
    std::map<std::int32_t, trace::LaneRecord> lanes;
    std::vector<trace::RequestRecord> requests;
    std::map<std::int32_t, std::vector<std::int32_t>> tokens;  ///< by request
    std::vector<std::string> order;
    std::map<std::int32_t, std::int64_t> firstTokenNs;
    int runsFinished = 0;
    std::int64_t spans = 0;
    std::function<void(const trace::TokenRecord&)> onToken;

    void span(const trace::Span&) override { ++spans; }
    void laneReady(const trace::LaneRecord& lane) override { lanes[lane.index] = lane; }
    void requestStarted(const trace::RequestRecord& r) override {
        order.push_back("start " + std::to_string(r.id));
    }
    void token(const trace::TokenRecord& t) override {
        if (tokens[t.request].empty()) firstTokenNs[t.request] = t.tNs;
        tokens[t.request].push_back(t.token);
        if (onToken) onToken(t);
    }
    void requestFinished(const trace::RequestRecord& r) override {
        requests.push_back(r);
        order.push_back("end " + std::to_string(r.id));
    }
    void runFinished(RunStatus, const std::string&) override { ++runsFinished; }
};

std::string golden(const std::string& name) {
    return test::goldenDir() + "/gguf/" + name;
}

LaneSpec lane(const std::string& name, const std::string& file) {
    LaneSpec spec;
    spec.name = name;
    spec.model = golden(file);
    spec.context = 128;
    return spec;
}

Plan tokenPlan(std::vector<LaneSpec> lanes) {
    Plan plan;
    PromptSpec prompt;
    prompt.kind = PromptKind::Tokens;
    prompt.tokens = {1, 5, 9, 20, 33, 7};
    plan.prompts = {prompt};
    plan.lanes = std::move(lanes);
    plan.sampling.maxTokens = 12;
    plan.sampling.ignoreEos = true;
    return plan;
}

Result<RunStatus> run(const Plan& plan, Keeper& keeper, const CancelToken& cancel = {},
                      const std::string& baseDir = ".") {
    ModelStore models;
    RunOptions options;
    options.baseDir = baseDir;
    return executePlan(plan, models, keeper, cancel, options);
}

TEST(Run, TheSamePlanGivesTheSameTokensAgain) {
    LaneSpec exact = lane("B", "llama_gqa.F16.gguf");
    exact.kv = "fp32";
    const Plan plan = tokenPlan({lane("A", "llama_gqa.F16.gguf"), exact});
    Keeper first, second;
    auto status = run(plan, first);
    ASSERT_TRUE(status.ok()) << status.error().toString();
    ASSERT_TRUE(run(plan, second).ok());
    ASSERT_EQ(first.tokens.size(), 4U) << "a warm-up and a request for each lane";
    EXPECT_EQ(first.tokens, second.tokens);
    EXPECT_EQ(first.tokens[2].size(), 12U);
    EXPECT_EQ(first.runsFinished, 1);
}

TEST(Run, MatrixProductsThatRanInInt8AreNamed) {
    const auto int8Of = [](const char* model, bool exact) {
        Keeper keeper;
        LaneSpec spec = lane("A", model);
        spec.exact = exact;
        EXPECT_TRUE(run(tokenPlan({spec}), keeper).ok());
        return (*parseJson(keeper.lanes[0].settingsJson, "settings"))["int8"].dump();
    };
    EXPECT_EQ(int8Of("llama_wide.Q4_0.gguf", false),
              R"(["qkv","out projection","gate+up","down","head"])");
    EXPECT_EQ(int8Of("llama_wide.Q4_0.gguf", true), "[]");
    EXPECT_EQ(int8Of("llama_gqa.F16.gguf", false), "[]");
}

TEST(Run, RecordsOfARealLaneAreComplete) {
    Keeper keeper;
    ASSERT_TRUE(run(tokenPlan({lane("A", "llama_gqa.F16.gguf")}), keeper).ok());
    const trace::LaneRecord& record = keeper.lanes[0];
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.nLayers, 3);
    EXPECT_GT(record.nParameters, 100'000);
    EXPECT_GT(record.kvBytesPerToken, 0U);
    EXPECT_GE(record.memory.kvBytes, 128 * record.kvBytesPerToken);
    EXPECT_EQ(record.memory.kvBytes, record.memory.kvBytesEstimated);
    EXPECT_GT(record.memory.weightBytes, 0U);
    EXPECT_GT(keeper.spans, 0);
    for (const trace::RequestRecord& r : keeper.requests) {
        EXPECT_EQ(r.finish, FinishReason::MaxTokens);
        EXPECT_GT(r.tPrefillEndNs, r.tStartNs);
        EXPECT_GE(r.tEndNs, r.tPrefillEndNs);
        EXPECT_GE(keeper.firstTokenNs[r.id], r.tPrefillEndNs);
    }
}

TEST(Run, LanesOfOneModelShareItsWeights) {
    ModelStore models;
    auto a = models.get(golden("llama_gqa.F16.gguf"));
    auto b = models.get(test::goldenDir() + "/gguf/../gguf/llama_gqa.F16.gguf");
    ASSERT_TRUE(a.ok()) << a.error().toString();
    ASSERT_TRUE(b.ok());
    EXPECT_EQ(a->get(), b->get());
    models.trim();
    auto again = models.get(golden("llama_gqa.F16.gguf"));
    EXPECT_EQ(again->get(), a->get()) << "still held, so still loaded";
}

TEST(Run, AModelThatChangedOnDiskIsLoadedAgain) {
    const fs::path copy = fs::temp_directory_path() / "lanescope-changing.gguf";
    fs::copy_file(golden("llama_gqa.F16.gguf"), copy, fs::copy_options::overwrite_existing);
    ModelStore models;
    auto a = models.get(copy.string());
    ASSERT_TRUE(a.ok());
    fs::remove(copy);
    fs::copy_file(golden("llama_tied.F16.gguf"), copy);
    auto b = models.get(copy.string());
    ASSERT_TRUE(b.ok());
    EXPECT_NE(a->get(), b->get());
    fs::remove(copy);
}

TEST(Run, ABadModelLeavesTheOtherLaneRunning) {
    Keeper keeper;
    auto status =
        run(tokenPlan({lane("A", "kvtypes.gguf"), lane("B", "llama_tied.F16.gguf")}), keeper);
    ASSERT_TRUE(status.ok()) << status.error().toString();
    EXPECT_NE(keeper.lanes[0].error, "");
    EXPECT_EQ(keeper.lanes[1].error, "");
    EXPECT_EQ(keeper.requests.back().lane, 1);
    EXPECT_EQ(keeper.requests.back().finish, FinishReason::MaxTokens);
}

TEST(Run, AContextThatCannotFitIsRefusedWithNumbers) {
    LaneSpec huge = lane("A", "llama_gqa.F16.gguf");
    huge.context = 1'000'000'000;
    Keeper keeper;
    auto status = run(tokenPlan({huge}), keeper);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::OutOfMemory);
    EXPECT_NE(keeper.lanes[0].error.find("GiB"), std::string::npos) << keeper.lanes[0].error;
    EXPECT_EQ(keeper.runsFinished, 1);
}

TEST(Run, CancelKeepsTheTokensSoFar) {
    Plan plan = tokenPlan({lane("A", "llama_gqa.F16.gguf"), lane("B", "llama_gqa.F16.gguf")});
    plan.warmup = 0;
    plan.sampling.maxTokens = 100;
    CancelToken cancel;
    Keeper keeper;
    keeper.onToken = [&](const trace::TokenRecord& t) {
        if (t.index == 4) cancel.request();
    };
    auto status = run(plan, keeper, cancel);
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(*status, RunStatus::Cancelled);
    ASSERT_EQ(keeper.requests.size(), 1U);
    EXPECT_EQ(keeper.requests[0].finish, FinishReason::Cancelled);
    EXPECT_EQ(keeper.tokens[0].size(), 5U);
    EXPECT_EQ(keeper.runsFinished, 1);
}

TEST(Run, PromptFilesAndModelsAreFoundBesideThePlan) {
    const fs::path dir = fs::temp_directory_path() / "lanescope-run-test";
    fs::create_directories(dir);
    fs::copy_file(golden("qwen2.F16.gguf"), dir / "m.gguf", fs::copy_options::overwrite_existing);
    std::ofstream(dir / "notes.txt") << "hello world";
    std::ofstream(dir / "broken.txt") << "caf\xE9 au lait";
    Plan plan = tokenPlan({lane("A", "")});
    plan.lanes[0].model = "m.gguf";
    plan.prompts = {{PromptKind::File, "notes.txt", "", {}},
                    {PromptKind::File, "broken.txt", "", {}},
                    {PromptKind::File, "absent.txt", "", {}}};
    Keeper keeper;
    auto status = run(plan, keeper, {}, dir.string());
    ASSERT_TRUE(status.ok()) << status.error().toString();
    ASSERT_EQ(keeper.requests.size(), 4U);
    EXPECT_EQ(keeper.requests[1].promptText, "hello world");
    EXPECT_EQ(keeper.requests[1].finish, FinishReason::MaxTokens);
    EXPECT_NE(keeper.requests[2].error.find("is not UTF-8 text: byte 3"), std::string::npos)
        << keeper.requests[2].error;
    EXPECT_NE(keeper.requests[3].error.find("absent.txt"), std::string::npos);
    fs::remove_all(dir);
}

TEST(Run, TokensOutsideTheVocabularyAreNamed) {
    Plan plan = tokenPlan({lane("A", "llama_gqa.F16.gguf")});
    plan.prompts[0].tokens = {1, 620};
    Keeper keeper;
    auto status = run(plan, keeper);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(keeper.lanes[0].error.find("token 620 at position 1 is outside the vocabulary (0 to "
                                         "619)"),
              std::string::npos)
        << keeper.lanes[0].error;
}

TEST(Run, AChatGoesThroughTheModelsTemplate) {
    LANESCOPE_NEEDS_MODEL(path, "SmolLM2-135M-Instruct.Q4_1.gguf");
    ModelStore models;
    auto model = models.get(path);
    ASSERT_TRUE(model.ok()) << model.error().toString();
    auto prompt = preparePrompt({PromptKind::Chat, "Hi <|im_end|>", "Be brief", {}}, **model, ".");
    ASSERT_TRUE(prompt.ok()) << prompt.error().toString();
    EXPECT_EQ(prompt->text,
              "<|im_start|>system\nBe brief<|im_end|>\n<|im_start|>user\nHi <|im_end|><|im_end|>\n"
              "<|im_start|>assistant\n");
    // <|im_end|> is token 2: two closed turns, not the one the user typed.
    EXPECT_EQ(std::count(prompt->tokens.begin(), prompt->tokens.end(), 2), 2);
}

}  // namespace
}  // namespace lanescope
