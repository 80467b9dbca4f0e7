// Every tensor type of GGUF as weights: one small model (llama_wide) in each of them against
// transformers on the dequantised tensors. Files come from tests/golden and, where it is there,
// from the shared reference folder, so none of the types goes untested without it.

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

constexpr double kExactTolerance = 3e-4;  // as in golden_models_test.cpp
constexpr float kTie = 1e-3F;

struct Case {
    std::string name;
    std::string folder;
};

std::string sharedFolder() {
    const char* given = std::getenv("LANESCOPE_SHARED");
    const std::string shared =
        given != nullptr ? given : std::string(LANESCOPE_SOURCE_DIR) + "/../shared";
    return shared + "/reference/gguf";
}

std::vector<Case> formatCases() {
    std::vector<Case> cases;
    std::set<std::string> seen;
    for (const std::string& folder : {goldenDir() + "/gguf", sharedFolder()}) {
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
            const std::string name = entry.path().stem().string();
            if (entry.path().extension() == ".gguf" && name.starts_with("llama_wide.") &&
                seen.insert(name).second)
                cases.push_back({name, folder});
        }
    }
    std::sort(cases.begin(), cases.end(),
              [](const Case& a, const Case& b) { return a.name < b.name; });
    return cases;
}

class GoldenFormat : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        const std::string base = GetParam().folder + "/" + GetParam().name;
        m_model = loadOrFail(base + ".gguf");
        ASSERT_NE(m_model, nullptr);
        m_golden = loadGolden(base + ".golden.safetensors");
    }

    std::vector<float> logitsOf(Engine& engine, const std::string& prompt) {
        const CancelToken cancel;
        auto logits = engine.logits(tokenIds(m_golden.at(prompt + ".input_ids")), cancel);
        EXPECT_TRUE(logits.ok()) << logits.error().toString();
        return logits ? *logits : std::vector<float>();
    }

    /// All positions or the last 12, as the golden has them.
    std::vector<float> expectedLogits(const std::string& prompt) {
        const bool all = m_golden.contains(prompt + ".logits");
        return m_golden.at(prompt + (all ? ".logits" : ".logits_last12")).asFloats();
    }

    std::shared_ptr<const Model> m_model;
    std::map<std::string, GoldenTensor> m_golden;
};

TEST_P(GoldenFormat, ExactLogitsAndGreedyTokensAreTheReferences) {
    const auto engine = engineFor(m_model, exactSettings());
    ASSERT_NE(engine, nullptr);
    for (const std::string prompt : {"len7", "len65"}) {
        const auto actual = logitsOf(*engine, prompt);
        const auto expected = expectedLogits(prompt);
        ASSERT_GE(actual.size(), expected.size());
        EXPECT_TRUE(allClose(std::vector<float>(actual.end() - std::ssize(expected), actual.end()),
                             expected, kExactTolerance))
            << prompt;
        const auto greedy = tokenIds(m_golden.at(prompt + ".greedy"));
        const auto request = greedyRequest(tokenIds(m_golden.at(prompt + ".input_ids")),
                                           static_cast<int>(greedy.size()));
        EXPECT_TRUE(sameGreedy(generateIds(*engine, request), greedy,
                               m_golden.at(prompt + ".greedy_margin").asFloats(), kTie))
            << prompt;
    }
}

TEST_P(GoldenFormat, FastPathStaysNear) {
    EngineSettings settings;
    settings.threads = 2;
    const auto engine = engineFor(m_model, settings);
    ASSERT_NE(engine, nullptr);
    for (const std::string prompt : {"len7", "len65"}) {
        const auto actual = logitsOf(*engine, prompt);
        const auto expected = expectedLogits(prompt);
        ASSERT_GE(actual.size(), expected.size());
        EXPECT_GE(cosine(std::span(actual).last(expected.size()), expected), 0.98) << prompt;
    }
}

TEST_P(GoldenFormat, PackingChangesNoBitAndItsBytesAreForeseen) {
    EngineSettings settings;
    settings.threads = 2;
    const auto packed = engineFor(m_model, settings);
    settings.pack = false;
    const auto stored = engineFor(m_model, settings);
    ASSERT_NE(packed, nullptr);
    ASSERT_NE(stored, nullptr);
    EXPECT_EQ(stored->estimate().weightBytes, stored->measured().weightBytes);
    EXPECT_EQ(packed->estimate().weightBytes, packed->measured().weightBytes);
    EXPECT_EQ(logitsOf(*packed, "len65"), logitsOf(*stored, "len65"));
}

std::string caseName(const testing::TestParamInfo<Case>& info) {
    std::string name = info.param.name;
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(LlamaWide, GoldenFormat, testing::ValuesIn(formatCases()), caseName);

TEST(GoldenFormats, EveryWeightTypeHasAModel) {
    std::set<std::string> covered;
    for (const Case& c : formatCases()) {
        auto checkpoint = Checkpoint::open(c.folder + "/" + c.name + ".gguf");
        ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().toString();
        for (const TensorView& tensor : (*checkpoint)->tensors())
            covered.insert(std::string(kernels::info(tensor.dtype).name));
    }
    for (int i = 0; i < kernels::kDTypes; ++i) {
        const auto& info = kernels::info(static_cast<kernels::DType>(i));
        if (info.blockSize > 1) {
            EXPECT_TRUE(covered.contains(std::string(info.name))) << info.name;
        }
    }
}

}  // namespace
}  // namespace lanescope::test
