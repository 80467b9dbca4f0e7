// Two published models against transformers in float32 on their dequantised weights: three prompts
// each, logits of the last position and 32 greedy tokens.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

struct RealModel {
    const char* golden;
    const char* file;
};

class RealModelTest : public testing::TestWithParam<RealModel> {
  protected:
    void SetUp() override {
        LANESCOPE_NEEDS_MODEL(path, GetParam().file);
        m_model = loadOrFail(path);
        ASSERT_NE(m_model, nullptr);
        const std::string base = goldenDir() + "/real/" + GetParam().golden;
        m_golden = loadGolden(base + ".safetensors");
        m_index = nlohmann::json::parse(readFile(base + ".json"));
    }

    void compare(const EngineSettings& settings, double leastCosine, float tie) {
        const auto engine = engineFor(m_model, settings);
        ASSERT_NE(engine, nullptr);
        for (std::size_t i = 0; i < m_index["prompts"].size(); ++i) {
            const std::string name = "p" + std::to_string(i);
            const auto ids = tokenIds(m_golden.at(name + ".ids"));
            const CancelToken cancel;
            const auto all = engine->logits(ids, cancel);
            ASSERT_TRUE(all.ok());
            const auto expected = m_golden.at(name + ".lastlogits").asFloats();
            const auto last = std::span(*all).last(static_cast<std::size_t>(m_model->spec().vocab));
            EXPECT_GE(cosine(last.first(expected.size()), expected), leastCosine) << name;
            const auto margins = m_index["prompts"][i]["greedyMargin"].get<std::vector<float>>();
            const auto greedy = tokenIds(m_golden.at(name + ".greedy"));
            const auto request = greedyRequest(ids, static_cast<int>(greedy.size()));
            EXPECT_TRUE(sameGreedy(generateIds(*engine, request), greedy, margins, tie)) << name;
        }
    }

    std::shared_ptr<const Model> m_model;
    std::map<std::string, GoldenTensor> m_golden;
    nlohmann::json m_index;
};

TEST_P(RealModelTest, ExactPathGivesTheReferencesTokens) {
    compare(exactSettings(), 0.99999, 1e-3F);
}

// Only the activations are rounded (int8 per 32): what the fast path costs by itself.
TEST_P(RealModelTest, FastPathPartsOnlyWhereTheReferenceIsUnsure) {
    EngineSettings settings;
    settings.kvKeys = settings.kvValues = kernels::KvFormat::F32;
    compare(settings, 0.998, 0.4F);
}

// The default lane also rounds keys and values. SmolLM2's first prompt amplifies that: 0.9962 with
// an f16 cache, 0.9991 with bf16, and alike on the reference kernels; all others are above 0.999.
TEST_P(RealModelTest, HalfPrecisionCachePartsOnlyWhereTheReferenceIsUnsure) {
    compare({}, 0.995, 0.4F);
}

std::string modelName(const testing::TestParamInfo<RealModel>& entry) {
    return entry.index == 0 ? "SmolLm2" : "Qwen25Coder";
}

INSTANTIATE_TEST_SUITE_P(Published, RealModelTest,
                         testing::Values(RealModel{"smollm2-135m-q4_1",
                                                   "SmolLM2-135M-Instruct.Q4_1.gguf"},
                                         RealModel{"qwen2.5-coder-0.5b-q4_k_m",
                                                   "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"}),
                         modelName);

}  // namespace
}  // namespace lanescope::test
