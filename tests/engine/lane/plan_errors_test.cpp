// What is wrong in a plan is named by its place; each row is a mistake and the message it must
// give.

#include <gtest/gtest.h>

#include "engine/lane/plan.h"

namespace lanescope {
namespace {

struct Mistake {
    const char* name;
    const char* json;
    const char* message;
    ErrorCode code = ErrorCode::BadInput;
};

void PrintTo(const Mistake& m, std::ostream* out) {
    *out << m.name;
}

class PlanMistake : public testing::TestWithParam<Mistake> {};

TEST_P(PlanMistake, IsNamedByItsPlace) {
    const Mistake& m = GetParam();
    const auto plan = parsePlan(m.json, "p.json");
    ASSERT_FALSE(plan.ok()) << "accepted: " << m.json;
    EXPECT_EQ(plan.error().code, m.code);
    EXPECT_EQ(plan.error().toString(), std::string("p.json: ") + m.message);
}

#define LANES(lane) R"({"schema":1,"prompts":[{"text":"x"}],"lanes":[)" lane "]}"
#define PROMPTS(prompt) R"({"schema":1,"prompts":[)" prompt R"(],"lanes":[{"model":"m"}]})"
#define WITH(more) R"({"schema":1,"prompts":[{"text":"x"}],"lanes":[{"model":"m"}],)" more "}"
constexpr const char* kKnownLaneKeys =
    "lanes[1].kvv: unknown key; known: name, like, model, backend, threads, weights, kv, "
    "kvValues, kvRotate, attention, denseLayers, kvBlock, context, exact, acts, affinity, "
    "products, sampling, pack, decode, "
    "chatTemplate, muted";

const Mistake kMistakes[] = {
    {"NotAnObject", "[1]", "a plan must be an object, is a list"},
    {"NoSchema", R"({"prompts":[]})", "schema: is missing; write \"schema\": 1"},
    {"NewerSchema", R"({"schema":2})", "schema: is 2; this version reads schema 1",
     ErrorCode::Unsupported},
    {"SchemaText", R"({"schema":"1"})", "schema: must be 1, is a string"},
    {"UnknownTopKey", WITH(R"("promts":1)"),
     "promts: unknown key; known: schema, name, prompts, sampling, warmup, repetitions, order, "
     "baseline, lanes, topCandidates, traceOps"},
    {"UnknownLaneKey", LANES(R"({"model":"m"},{"model":"m","kvv":"fp16"})"), kKnownLaneKeys},
    {"UnknownPromptKey", PROMPTS(R"({"text":"x"},{"chat":"x","user":"y"})"),
     "prompts[1].user: unknown key; known: chat, system, text, file, tokens"},
    {"UnknownSamplingKey", WITH(R"("sampling":{"temp":1})"),
     "sampling.temp: unknown key; known: temperature, topK, topP, minP, repeatPenalty, "
     "repeatWindow, seed, maxTokens, stop, ignoreEos"},
    {"NoLanes", R"({"schema":1,"prompts":[{"text":"x"}]})",
     "lanes: is empty; give at least one with a model"},
    {"NoPrompts", R"({"schema":1,"lanes":[{"model":"m"}]})",
     "prompts: is empty; give at least one, such as {\"chat\": \"Hello\"}"},
    {"LanesNotAList", WITH(R"("baseline":[])"), "baseline: must be a string, is a list"},
    {"LaneNotAnObject", LANES("3"), "lanes[0]: must be an object, is a number"},
    {"TemplateNotText", LANES(R"({"model":"m","chatTemplate":3})"),
     "lanes[0].chatTemplate: must be a string, is a number"},
    {"NoModel", LANES("{}"), "lanes[0].model: is missing; give a file, a folder or a known name"},
    {"ModelNotText", LANES(R"({"model":null})"), "lanes[0].model: must be a string, is null"},
    {"SameNameTwice", LANES(R"({"model":"m","name":"B"},{"model":"m"})"),
     "lanes[1].name: \"B\" is used twice"},
    {"EmptyName", LANES(R"({"model":"m","name":""})"), "lanes[0].name: is empty"},
    {"LikeNobody", LANES(R"({"like":"Z"})"),
     "lanes[0].like: no earlier lane is called \"Z\"; earlier lanes: none"},
    {"LikeLater", LANES(R"({"model":"m","name":"X"},{"like":"C"},{"model":"m"})"),
     "lanes[1].like: no earlier lane is called \"C\"; earlier lanes: X"},
    {"BadKv", LANES(R"({"model":"m","kv":"fp17"})"),
     "lanes[0].kv: \"fp17\" is not possible; possible: auto, fp32, fp16, bf16, fp8-e4m3, "
     "fp8-e5m2, int8, int4"},
    {"BadAttention", LANES(R"({"model":"m","attention":"fast"})"),
     "lanes[0].attention: \"fast\" is not possible; possible: flash, naive, window:W, window:W+S, "
     "block-sparse:B,L,S, pages:K, heavy:R+H"},
    {"BadProducts", LANES(R"({"model":"m","products":"mkl"})"),
     "lanes[0].products: \"mkl\" is not possible; possible: own, cublaslt"},
    {"BadSampling", LANES(R"({"model":"m","sampling":"gpu"})"),
     "lanes[0].sampling: \"gpu\" is not possible; possible: host, device"},
    {"BadBackend", LANES(R"({"model":"m","backend":"tpu"})"),
     "lanes[0].backend: \"tpu\" is not possible; possible: auto, cpu, cuda, cuda:N"},
    {"BadWeights", LANES(R"({"model":"m","weights":"q4"})"),
     "lanes[0].weights: \"q4\" is not possible; possible: auto, as-is, int8, int4, nf4, fp8-e4m3, "
     "fp8-e5m2"},
    {"ThreadsText", LANES(R"({"model":"m","threads":"2"})"),
     "lanes[0].threads: must be a whole number, is a string"},
    {"ThreadsFraction", LANES(R"({"model":"m","threads":1.5})"),
     "lanes[0].threads: must be a whole number, is 1.5"},
    {"ThreadsNegative", LANES(R"({"model":"m","threads":-1})"),
     "lanes[0].threads: must be 0 to 1024, is -1"},
    {"KvBlockSmall", LANES(R"({"model":"m","kvBlock":4})"),
     "lanes[0].kvBlock: must be 8 to 64, is 4"},
    {"ContextHuge", LANES(R"({"model":"m","context":18446744073709551615})"),
     "lanes[0].context: must be 0 to 2147483647, is 18446744073709551615"},
    {"ExactText", LANES(R"({"model":"m","exact":"yes"})"),
     "lanes[0].exact: must be true or false, is a string"},
    {"Speculative", LANES(R"({"model":"m","decode":{"kind":"speculative"}})"),
     "lanes[0].decode.kind: \"speculative\" is not in this version; use \"plain\"",
     ErrorCode::Unsupported},
    {"SpeculativeSource", LANES(R"({"model":"m","decode":{"kind":"speculative","k":4}})"),
     "lanes[0].decode.k: is not in this version", ErrorCode::Unsupported},
    {"BadDecode", LANES(R"({"model":"m","decode":{"kind":"beam"}})"),
     "lanes[0].decode.kind: \"beam\" is not possible; possible: plain"},
    {"DecodeKey", LANES(R"({"model":"m","decode":{"knd":"plain"}})"),
     "lanes[0].decode.knd: unknown key; known: kind"},
    {"Reasoning", LANES(R"({"model":"m","reasoning":{}})"),
     "lanes[0].reasoning: is not in this version", ErrorCode::Unsupported},
    {"Endpoint", LANES(R"({"endpoint":"http://x"})"), "lanes[0].endpoint: is not in this version",
     ErrorCode::Unsupported},
    {"AllMuted", LANES(R"({"model":"m","muted":true})"),
     "lanes: all are muted; at least one must run"},
    {"TwoKinds", PROMPTS(R"({"chat":"x","text":"y"})"),
     "prompts[0]: must have exactly one of chat, text, file, tokens, has 2"},
    {"NoKind", PROMPTS("{}"),
     "prompts[0]: must have exactly one of chat, text, file, tokens, has 0"},
    {"SystemWithText", PROMPTS(R"({"text":"x","system":"y"})"),
     "prompts[0].system: only goes with chat"},
    {"EmptyText", PROMPTS(R"({"text":""})"), "prompts[0]: is empty"},
    {"EmptyTokens", PROMPTS(R"({"tokens":[]})"), "prompts[0].tokens: is empty"},
    {"TokenNegative", PROMPTS(R"({"tokens":[1,-2]})"),
     "prompts[0].tokens[1]: must be 0 to 2147483647, is -2"},
    {"TokenText", PROMPTS(R"({"tokens":["a"]})"),
     "prompts[0].tokens[0]: must be a whole number, is a string"},
    {"HotterThanAllowed", WITH(R"("sampling":{"temperature":-0.5})"),
     "sampling.temperature: must be 0.0 to 100.0, is -0.5"},
    {"TopPOver", WITH(R"("sampling":{"topP":1.5})"), "sampling.topP: must be 0.0 to 1.0, is 1.5"},
    {"TopKNegative", WITH(R"("sampling":{"topK":-1})"),
     "sampling.topK: must be 0 to 10000000, is -1"},
    {"TemperatureText", WITH(R"("sampling":{"temperature":"hot"})"),
     "sampling.temperature: must be a number, is a string"},
    {"SeedNegative", WITH(R"("sampling":{"seed":-1})"),
     "sampling.seed: must be a whole number from 0 to 18446744073709551615, is -1"},
    {"MaxTokensZero", WITH(R"("sampling":{"maxTokens":0})"),
     "sampling.maxTokens: must be 1 to 10000000, is 0"},
    {"StopEmpty", WITH(R"("sampling":{"stop":["a",""]})"),
     "sampling.stop[1]: must be a string that is not empty"},
    {"StopNotAList", WITH(R"("sampling":{"stop":"a"})"),
     "sampling.stop: must be a list, is a string"},
    {"NoRepetitions", WITH(R"("repetitions":0)"), "repetitions: must be 1 to 10000, is 0"},
    {"WarmupNegative", WITH(R"("warmup":-1)"), "warmup: must be 0 to 100, is -1"},
    {"BadOrder", WITH(R"("order":"random")"),
     "order: \"random\" is not possible; possible: interleaved, sequential"},
    {"NoSuchBaseline", WITH(R"("baseline":"Q")"), "baseline: no lane is called \"Q\"; lanes: A"},
    {"TooManyCandidates", WITH(R"("topCandidates":1000)"),
     "topCandidates: must be 0 to 100, is 1000"},
    {"TraceText", WITH(R"("traceOps":1)"), "traceOps: must be true or false, is a number"},
};

INSTANTIATE_TEST_SUITE_P(Messages, PlanMistake, testing::ValuesIn(kMistakes),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(PlanErrors, BrokenJsonNamesFileAndPlace) {
    const auto plan = parsePlan("{\"schema\": 1,", "p.json");
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().code, ErrorCode::BadInput);
    EXPECT_EQ(plan.error().toString().rfind("p.json: is not valid JSON", 0), 0U)
        << plan.error().toString();
}

TEST(PlanErrors, SixteenLanesAreEnough) {
    std::string lanes;
    for (int i = 0; i < 17; ++i) lanes += std::string(i ? "," : "") + R"({"model":"m"})";
    const auto plan =
        parsePlan(R"({"schema":1,"prompts":[{"text":"x"}],"lanes":[)" + lanes + "]}", "p.json");
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().toString(), "p.json: lanes: has 17 entries, at most 16 are possible");
}

TEST(PlanErrors, ABuiltPlanIsCheckedLikeAReadOne) {
    Plan plan;
    plan.prompts.push_back({PromptKind::Text, "x", "", {}});
    plan.lanes.push_back({});
    plan.lanes[0].name = "A";
    EXPECT_FALSE(validatePlan(plan).ok()) << "no model";
    plan.lanes[0].model = "m";
    EXPECT_TRUE(validatePlan(plan).ok());
    plan.sampling.settings.topP = 2.0F;
    auto bad = validatePlan(plan);
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().code, ErrorCode::BadInput);
}

}  // namespace
}  // namespace lanescope
