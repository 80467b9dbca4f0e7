// Whole models against transformers in float32: every folder of the checkpoints' index (and the
// same weights in other forms), every file of the GGUF index, and the further files of the shared
// data where that is there. An architecture or format that this build does not know is skipped by
// name, so that a larger golden set can be put in place.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

constexpr double kExactTolerance = 3e-4;  // from the goldens' README: f32 noise is up to 3e-5
constexpr float kTie = 1e-3F;

struct Case {
    std::string name;
    std::string model;   ///< folder or file
    std::string golden;  ///< safetensors
};

nlohmann::json readIndex(const std::string& path) {
    if (!std::filesystem::exists(path)) return nlohmann::json::object();
    return nlohmann::json::parse(readFile(path));
}

std::vector<Case> checkpointCases() {
    const std::string folder = goldenDir() + "/checkpoints/";
    std::vector<Case> cases;
    const auto add = [&](const std::string& name, const std::string& golden) {
        if (std::filesystem::exists(folder + name))
            cases.push_back({name, folder + name, folder + golden + "/golden.safetensors"});
    };
    const nlohmann::json index = readIndex(folder + "index.json");
    for (const auto& [name, entry] : index.items()) add(name, name);
    add("llama_gqa_f16", "llama_gqa_f16");
    add("llama_gqa_bf16", "llama_gqa_bf16");
    add("llama_gqa_sharded", "llama_gqa");
    return cases;
}

std::vector<Case> dynamicNtkCases() {
    std::vector<Case> cases = checkpointCases();
    std::erase_if(cases, [](const Case& entry) { return entry.name != "llama_dynamic_ntk"; });
    return cases;
}

std::vector<Case> ggufCasesIn(const std::string& folder) {
    std::vector<Case> cases;
    const nlohmann::json index = readIndex(folder + "index.json");
    for (const auto& [name, entry] : index.items())
        if (std::filesystem::exists(folder + name + ".gguf"))
            cases.push_back({name, folder + name + ".gguf", folder + name + ".golden.safetensors"});
    return cases;
}

std::vector<Case> ggufCases() {
    return ggufCasesIn(goldenDir() + "/gguf/");
}

/// What the shared data has beyond the golden files.
std::vector<Case> sharedGgufCases() {
    const auto shared = sharedDir();
    if (!shared) return {};
    std::vector<Case> cases = ggufCasesIn(*shared + "/reference/gguf/");
    std::erase_if(cases, [](const Case& entry) {
        return std::filesystem::exists(goldenDir() + "/gguf/" + entry.name + ".gguf");
    });
    return cases;
}

/// Names of prompts in a golden file: "len7" of "len7.input_ids".
std::set<std::string> promptNames(const std::map<std::string, GoldenTensor>& golden) {
    std::set<std::string> names;
    for (const auto& [name, tensor] : golden)
        if (name.starts_with("len") && name.ends_with(".input_ids"))
            names.insert(name.substr(0, name.find('.')));
    return names;
}

class GoldenModel : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        auto model = Model::load(GetParam().model);
        if (!model && model.error().code == ErrorCode::Unsupported)
            GTEST_SKIP() << GetParam().name << ": " << model.error().toString();
        ASSERT_TRUE(model.ok()) << model.error().toString();
        m_model = *model;
        m_golden = loadGolden(GetParam().golden);
        ASSERT_FALSE(promptNames(m_golden).empty());
    }

    /// An engine whose context holds every prompt and its 32 tokens (with dynamic NTK they go
    /// beyond the trained context).
    std::unique_ptr<Engine> engine(EngineSettings settings) {
        std::int64_t longest = 0;
        for (const std::string& prompt : promptNames(m_golden))
            longest = std::max(longest, m_golden.at(prompt + ".input_ids").nElements());
        settings.contextTokens = longest + 32;
        return engineFor(m_model, settings);
    }

    /// Logits of the positions the golden has (all, or the last 12), beside the golden's.
    std::pair<std::vector<float>, std::vector<float>> bothLogits(Engine& engine,
                                                                 const std::string& prompt) {
        const CancelToken cancel;
        auto actual = engine.logits(tokenIds(m_golden.at(prompt + ".input_ids")), cancel);
        EXPECT_TRUE(actual.ok()) << actual.error().toString();
        if (!actual) return {};
        const bool all = m_golden.contains(prompt + ".logits");
        auto expected = m_golden.at(prompt + (all ? ".logits" : ".logits_last12")).asFloats();
        EXPECT_GE(actual->size(), expected.size());
        return {std::vector<float>(actual->end() - std::ssize(expected), actual->end()), expected};
    }

    std::shared_ptr<const Model> m_model;
    std::map<std::string, GoldenTensor> m_golden;
};

TEST_P(GoldenModel, ExactLogitsAreWithinFloat32Noise) {
    const auto engine = this->engine(exactSettings());
    ASSERT_NE(engine, nullptr);
    for (const std::string& prompt : promptNames(m_golden)) {
        const auto [actual, expected] = bothLogits(*engine, prompt);
        EXPECT_TRUE(allClose(actual, expected, kExactTolerance)) << prompt;
    }
}

/// The reference samples padded ids too (its weights are random); here they are never sampled, so
/// a free run is compared up to the first of them.
std::vector<TokenId> upToPadding(std::vector<TokenId> ids, std::int32_t usableVocab) {
    ids.erase(std::find_if(ids.begin(), ids.end(), [&](TokenId id) { return id >= usableVocab; }),
              ids.end());
    return ids;
}

TEST_P(GoldenModel, ExactGreedyTokensAreEqual) {
    const auto engine = this->engine(exactSettings());
    ASSERT_NE(engine, nullptr);
    for (const std::string& prompt : promptNames(m_golden)) {
        const auto expected =
            upToPadding(tokenIds(m_golden.at(prompt + ".greedy")), m_model->usableVocab());
        const auto request = greedyRequest(tokenIds(m_golden.at(prompt + ".input_ids")),
                                           static_cast<int>(expected.size()));
        EXPECT_TRUE(sameGreedy(generateIds(*engine, request), expected,
                               m_golden.at(prompt + ".greedy_margin").asFloats(), kTie))
            << prompt;
    }
}

TEST_P(GoldenModel, EveryGreedyStepOfTheReferenceIsTheBestHereToo) {
    // There the reference's steps have the frequencies of their own lengths, one call has one.
    if (m_model->spec().dynamicNtk.factor > 0.0) GTEST_SKIP() << "frequencies follow the length";
    const auto engine = this->engine(exactSettings());
    ASSERT_NE(engine, nullptr);
    const auto vocab = m_model->spec().vocab;
    for (const std::string& prompt : promptNames(m_golden)) {
        const auto greedy = tokenIds(m_golden.at(prompt + ".greedy"));
        const auto margins = m_golden.at(prompt + ".greedy_margin").asFloats();
        auto ids = tokenIds(m_golden.at(prompt + ".input_ids"));
        const std::int64_t first = std::ssize(ids) - 1;
        ids.insert(ids.end(), greedy.begin(), greedy.end());
        const CancelToken cancel;
        const auto logits = engine->logits(ids, cancel);
        ASSERT_TRUE(logits.ok());
        for (std::int64_t i = 0; i < std::ssize(greedy); ++i) {
            const auto row = logits->begin() + (first + i) * vocab;
            const auto step = static_cast<std::size_t>(i);
            if (margins[step] >= kTie) {
                EXPECT_EQ(std::max_element(row, row + vocab) - row, greedy[step])
                    << prompt << " step " << i;
            }
        }
    }
}

TEST_P(GoldenModel, FastPathStaysNear) {
    EngineSettings settings;
    settings.threads = 2;
    const auto engine = this->engine(settings);
    ASSERT_NE(engine, nullptr);
    const auto vocab = static_cast<std::size_t>(m_model->spec().vocab);
    for (const std::string& prompt : promptNames(m_golden)) {
        const auto [actual, expected] = bothLogits(*engine, prompt);
        ASSERT_EQ(actual.size(), expected.size());
        EXPECT_GE(cosine(actual, expected), 0.98) << prompt;
        // The token it would choose is one the exact model finds nearly as good (logits have a
        // standard deviation of 3).
        for (std::size_t row = 0; row < expected.size(); row += vocab) {
            const auto mine = actual.begin() + static_cast<std::ptrdiff_t>(row);
            const auto theirs = expected.begin() + static_cast<std::ptrdiff_t>(row);
            const auto width = static_cast<std::ptrdiff_t>(vocab);
            const auto choice = std::max_element(mine, mine + width) - mine;
            EXPECT_GT(theirs[choice], *std::max_element(theirs, theirs + width) - 2.0F)
                << prompt << " row " << row / vocab;
        }
    }
}

class DynamicNtkModel : public GoldenModel {};

/// Dynamic NTK: the whole sequence anew for each token, so that every key has the frequencies of
/// the present length. The tokens part from those with a cache beyond the original context.
TEST_P(DynamicNtkModel, GreedyTokensWithoutACacheAreEqual) {
    const auto engine = this->engine(exactSettings());
    ASSERT_NE(engine, nullptr);
    const auto vocab = m_model->spec().vocab;
    bool differs = false;
    for (const std::string& prompt : promptNames(m_golden)) {
        auto ids = tokenIds(m_golden.at(prompt + ".input_ids"));
        const auto expected = tokenIds(m_golden.at(prompt + ".greedy_recompute"));
        differs |= expected != tokenIds(m_golden.at(prompt + ".greedy"));
        for (const TokenId token : expected) {
            const CancelToken cancel;
            const auto logits = engine->logits(ids, cancel);
            ASSERT_TRUE(logits.ok());
            const auto last = logits->end() - vocab;
            ASSERT_EQ(std::max_element(last, logits->end()) - last, token)
                << prompt << " after " << ids.size();
            ids.push_back(token);
        }
    }
    EXPECT_TRUE(differs);
}

std::string caseName(const testing::TestParamInfo<Case>& info) {
    std::string name = info.param.name;
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, GoldenModel, testing::ValuesIn(checkpointCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Gguf, GoldenModel, testing::ValuesIn(ggufCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Checkpoints, DynamicNtkModel, testing::ValuesIn(dynamicNtkCases()),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Shared, GoldenModel, testing::ValuesIn(sharedGgufCases()), caseName);

TEST(SharedGoldenModels, AreThere) {
    LANESCOPE_NEEDS_SHARED(shared);
    EXPECT_FALSE(sharedGgufCases().empty()) << shared;
}

/// Every family and spelling this build claims to know has a golden model that was really run.
TEST(GoldenModels, CoverEveryFamily) {
    std::set<std::string> seen;
    for (const auto& cases : {checkpointCases(), ggufCases()})
        for (const Case& entry : cases)
            if (const auto model = Model::load(entry.model))
                seen.insert((entry.model.ends_with(".gguf") ? "gguf " : "folder ") +
                            (*model)->spec().architecture);
    for (const char* family :
         {"folder llama", "folder mistral", "folder qwen2", "folder qwen3", "folder phi",
          "folder minicpm", "folder gemma3", "folder gpt2", "gguf llama", "gguf qwen2",
          "gguf qwen3", "gguf phi2", "gguf minicpm", "gguf gemma3", "gguf gpt2"})
        EXPECT_TRUE(seen.contains(family)) << family;
}

}  // namespace
}  // namespace lanescope::test
