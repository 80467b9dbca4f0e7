// Plans as people write them, and the canonical form they are stored in.

#include "engine/lane/plan.h"
#include "engine/lane/attention_option.h"

#include <gtest/gtest.h>

#include "engine/base/json.h"

namespace lanescope {
namespace {

Plan parsed(const std::string& text) {
    auto plan = parsePlan(text, "plan.json");
    EXPECT_TRUE(plan.ok()) << (plan ? "" : plan.error().toString());
    return plan ? *plan : Plan{};
}

constexpr const char* kShort =
    R"({"schema": 1, "prompts": [{"text": "hi"}], "lanes": [{"model": "smollm2"}]})";

TEST(Plan, TheShortestPlanTakesEveryDefault) {
    const Plan plan = parsed(kShort);
    EXPECT_EQ(
        dumpJson(planToJson(plan)),
        R"({"schema":1,"name":"untitled","prompts":[{"text":"hi"}],)"
        R"("sampling":{"temperature":0.0,"topK":0,"topP":1.0,"minP":0.0,"repeatPenalty":1.0,)"
        R"("repeatWindow":64,"seed":1,"maxTokens":128,"stop":[],"ignoreEos":false},)"
        R"("warmup":1,"repetitions":1,"order":"interleaved","baseline":"",)"
        R"("lanes":[{"name":"A","model":"smollm2","backend":"cpu","threads":0,)"
        R"("weights":"as-is","kv":"fp16","attention":"flash","kvBlock":16,"context":0,)"
        R"("exact":false,"acts":"int8","affinity":"none","products":"own","sampling":"host","pack":true,"decode":{"kind":"plain"},"muted":false}],)"
        R"("topCandidates":10,"traceOps":true})");
}

TEST(Plan, EveryValueSurvivesWritingAndReading) {
    const Plan plan = parsed(R"({
        "schema": 1, "name": "kv \"formats\" ✓",
        "prompts": [{"chat": "Name three colours", "system": "Be brief"}, {"text": "def f(x):"},
                    {"file": "notes.txt"}, {"tokens": [1, 2, 2147483647]}],
        "sampling": {"temperature": 0.7, "topK": 40, "topP": 0.95, "minP": 0.05,
                     "repeatPenalty": 1.1, "repeatWindow": 32, "seed": 18446744073709551615,
                     "maxTokens": 7, "stop": ["\n\n", "###"], "ignoreEos": true},
        "warmup": 0, "repetitions": 5, "order": "sequential", "baseline": "fast",
        "lanes": [{"name": "fast", "model": "m.gguf", "backend": "auto", "threads": 2,
                   "weights": "auto", "kv": "bf16", "attention": "naive", "kvBlock": 32,
                   "context": 2048, "exact": true, "products": "cublaslt",
                   "sampling": "device", "decode": {"kind": "plain"},
                   "chatTemplate": "{{ messages[0]['content'] }}\n", "muted": false},
                  {"like": "fast", "kv": "fp32", "muted": true}],
        "topCandidates": 3, "traceOps": false})");
    const std::string written = dumpJson(planToJson(plan));
    EXPECT_EQ(dumpJson(planToJson(parsed(written))), written);
    EXPECT_NE(written.find("\"temperature\":0.7,"), std::string::npos) << written;
    EXPECT_NE(written.find("\"seed\":18446744073709551615"), std::string::npos);

    EXPECT_EQ(plan.lanes[1].chatTemplate, "{{ messages[0]['content'] }}\n");
    ASSERT_EQ(plan.prompts.size(), 4U);
    EXPECT_EQ(plan.prompts[0].kind, PromptKind::Chat);
    EXPECT_EQ(plan.prompts[0].system, "Be brief");
    EXPECT_EQ(plan.prompts[2].kind, PromptKind::File);
    EXPECT_EQ(plan.prompts[3].tokens, (std::vector<TokenId>{1, 2, 2147483647}));
    EXPECT_EQ(plan.order, RunOrder::Sequential);
    EXPECT_EQ(plan.sampling.stop, (std::vector<std::string>{"\n\n", "###"}));
}

TEST(Plan, LikeCopiesEverythingButNameAndMute) {
    const Plan plan = parsed(R"({"schema": 1, "prompts": [{"text": "x"}], "lanes": [
        {"name": "A", "model": "m", "threads": 3, "kv": "bf16", "context": 99, "muted": true},
        {"like": "A", "kv": "fp32"},
        {"like": "B", "threads": 1, "name": "other"}]})");
    ASSERT_EQ(plan.lanes.size(), 3U);
    LaneSpec b = plan.lanes[0];
    b.name = "B";
    b.kv = "fp32";
    b.muted = false;
    EXPECT_EQ(plan.lanes[1], b);
    b.name = "other";
    b.threads = 1;
    EXPECT_EQ(plan.lanes[2], b);
}

TEST(Plan, LaneOptionsBecomeEngineSettings) {
    LaneSpec lane;
    lane.kv = "bf16";
    lane.kvValues = "int8";
    lane.kvRotate = true;
    lane.attention = "naive";
    lane.threads = 3;
    lane.context = 777;
    lane.kvBlock = 64;
    lane.exact = true;
    lane.products = "cublaslt";
    lane.sampling = "device";
    auto s = engineSettings(lane);
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s->kvKeys, kernels::KvFormat::BF16);
    EXPECT_EQ(s->kvValues, kernels::KvFormat::Int8);
    EXPECT_TRUE(s->kvRotate);
    EXPECT_EQ(s->attention, kernels::AttentionKind::Naive);
    EXPECT_EQ(s->threads, 3);
    EXPECT_EQ(s->contextTokens, 777);
    EXPECT_EQ(s->kvBlockTokens, 64);
    EXPECT_TRUE(s->exact);
    EXPECT_EQ(s->products, Products::CublasLt);
    EXPECT_EQ(s->sampleOn, SampleOn::Device);

    lane.kvValues.clear();
    lane.kv = lane.attention = lane.backend = lane.weights = "auto";
    s = engineSettings(lane);
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s->kvKeys, kernels::KvFormat::F16);
    EXPECT_EQ(s->attention, kernels::AttentionKind::Flash);
}

TEST(Plan, AttentionIsReadFromItsWords) {
    using Kind = AttentionPattern::Kind;
    LaneSpec lane;
    lane.attention = "window:1024+4";
    lane.denseLayers = "0-1,5";
    auto s = engineSettings(lane);
    ASSERT_TRUE(s.ok()) << s.error().toString();
    EXPECT_EQ(s->pattern.kind, Kind::Window);
    EXPECT_EQ(s->pattern.window, 1024);
    EXPECT_EQ(s->pattern.sinks, 4);
    EXPECT_EQ(s->pattern.denseLayers, (std::vector<bool>{true, true, false, false, false, true}));
    EXPECT_EQ(attentionName(*s), "window:1024+4");
    lane.denseLayers.clear();
    for (const char* word :
         {"window:7", "block-sparse:16,4,8", "pages:32", "heavy:64+32", "naive", "flash"}) {
        lane.attention = word;
        s = engineSettings(lane);
        ASSERT_TRUE(s.ok()) << word;
        EXPECT_EQ(attentionName(*s), word);
    }
    for (const char* word :
         {"", "fast", "window", "window:", "window:x", "window:4+", "pages:1,2",
          "block-sparse:16,4", "block-sparse:-1,4,8", "pages:99999999999999999999"}) {
        lane.attention = word;
        EXPECT_FALSE(engineSettings(lane).ok()) << word;
    }
    lane.attention = "flash";
    for (const char* layers : {"a", "3-1", "1,", "1--2", "99999"}) {
        lane.denseLayers = layers;
        EXPECT_FALSE(engineSettings(lane).ok()) << layers;
    }
}

TEST(Plan, OptionsThatAreNotPossibleSayWhyAndWhatIs) {
    LaneSpec lane;
    for (const char* backend : {"rocm", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda1"}) {
        lane.backend = backend;
        const auto refused = engineSettings(lane);
        ASSERT_FALSE(refused.ok()) << backend;
        EXPECT_EQ(refused.error().code, ErrorCode::BadInput);
        EXPECT_NE(refused.error().toString().find("cpu, cuda, cuda:N"), std::string::npos);
    }
    lane.backend = "cuda:3";
    auto s = engineSettings(lane);
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s->backend, BackendKind::Cuda);
    EXPECT_EQ(s->device, 3);

    lane.backend = "cpu";
    lane.kv = "int3";
    s = engineSettings(lane);
    ASSERT_FALSE(s.ok());
    EXPECT_EQ(s.error().code, ErrorCode::BadInput);
    EXPECT_NE(s.error().toString().find("fp32, fp16, bf16"), std::string::npos);

    lane.kv = "fp16";
    lane.weights = "nf4";
    s = engineSettings(lane);
    ASSERT_FALSE(s.ok());
    EXPECT_NE(s.error().toString().find("nf4"), std::string::npos);

    lane.weights = "as-is";
    lane.products = "mkl";
    s = engineSettings(lane);
    ASSERT_FALSE(s.ok());
    EXPECT_NE(s.error().toString().find("own, cublaslt"), std::string::npos);
    lane.products = "own";
    lane.sampling = "gpu";
    s = engineSettings(lane);
    ASSERT_FALSE(s.ok());
    EXPECT_NE(s.error().toString().find("host, device"), std::string::npos);
}

}  // namespace
}  // namespace lanescope
