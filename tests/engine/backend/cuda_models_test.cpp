// Whole models through the CUDA backend on the emulated device: the tokens of the CPU backend, in
// full precision and with int8 activations and 16-bit caches, at lengths that cross tiles, pages
// and chunks.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/backend/emulated_device.h"
#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

constexpr int kNewTokens = 6;

struct Case {
    std::string file;  ///< under the golden folder
    bool exact;
    kernels::DType kv;
    std::int64_t kvBlock;
};

std::string caseName(const testing::TestParamInfo<Case>& info) {
    std::string name = info.param.file + (info.param.exact ? "_exact" : "") + "_kv_" +
                       std::string(kernels::info(info.param.kv).name) + "_block" +
                       std::to_string(info.param.kvBlock);
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
}

std::vector<TokenId> someIds(std::int64_t n, std::int32_t vocab) {
    std::vector<TokenId> ids;
    for (std::int64_t i = 0; i < n; ++i)
        ids.push_back(static_cast<TokenId>((31 * i * i + 7 * i + 3) % vocab));
    return ids;
}

/// Logits after `ids`.
std::vector<float> logitsAfter(Engine& engine, const std::vector<TokenId>& ids) {
    const CancelToken cancel;
    auto all = engine.logits(ids, cancel);
    EXPECT_TRUE(all.ok());
    if (!all) return {};
    return {all->end() - static_cast<std::ptrdiff_t>(engine.model().spec().vocab), all->end()};
}

/// How far the best two are apart.
float margin(std::vector<float> logits) {
    std::nth_element(logits.begin(), logits.begin() + 1, logits.end(), std::greater<>());
    return logits[0] - logits[1];
}

float largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
    float largest = 0.0F;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
    return largest;
}

class CudaModel : public testing::TestWithParam<Case> {};

TEST_P(CudaModel, GivesTheTokensOfTheCpuBackend) {
    const Case& c = GetParam();
    const auto model = loadOrFail(goldenDir() + "/" + c.file);
    ASSERT_NE(model, nullptr);
    EngineSettings settings;
    settings.threads = 2;
    settings.exact = c.exact;
    settings.kvType = c.kv;
    settings.kvBlockTokens = c.kvBlock;
    settings.contextTokens = 96;
    settings.prefillChunk = 48;
    const auto cpu = engineFor(model, settings);
    // Two logits nearer than what rounding does to them may come in either order: what the CPU's
    // own int8 activations and 16-bit caches change, or float32 noise.
    EngineSettings exact = settings;
    exact.exact = true;
    const auto oracle = engineFor(model, exact);
    const auto tie = [&](const std::vector<TokenId>& ids, const std::vector<float>& logits) {
        return std::max(1e-3F, largestDifference(logits, logitsAfter(*oracle, ids)));
    };
    EmulatedSource source;
    settings.backend = BackendKind::Cuda;
    auto made = Engine::create(model, settings, &source);
    ASSERT_TRUE(made.ok()) << made.error().toString();
    Engine& cuda = **made;
    EXPECT_EQ(cuda.measured().kvBytes, cuda.estimate().kvBytes);
    EXPECT_EQ(cuda.measured().weightBytes, (*made)->measured().weightBytes);
    for (const std::int64_t length : {1, 17, 70}) {
        const auto prompt = someIds(length, model->usableVocab());
        const GenerateRequest request = greedyRequest(prompt, kNewTokens);
        const auto expected = generateIds(*cpu, request);
        const auto actual = generateIds(cuda, request);
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (actual[i] == expected[i]) continue;
            std::vector<TokenId> before = prompt;
            before.insert(before.end(), expected.begin(),
                          expected.begin() + static_cast<std::ptrdiff_t>(i));
            const auto logits = logitsAfter(*cpu, before);
            EXPECT_LT(margin(logits), tie(before, logits))
                << "prompt of " << length << ": token " << i << " is " << actual[i] << ", not "
                << expected[i];
            break;
        }
    }
    EXPECT_GT(source.counts().launches, 0) << "steps were to be launched as graphs";
}

constexpr auto kF32 = kernels::DType::F32;
constexpr auto kF16 = kernels::DType::F16;
constexpr auto kBf16 = kernels::DType::BF16;

INSTANTIATE_TEST_SUITE_P(Exact, CudaModel,
                         testing::Values(Case{"checkpoints/llama_gqa", true, kF32, 16},
                                         Case{"checkpoints/qwen2", true, kF32, 8},
                                         Case{"checkpoints/qwen3", true, kF32, 16},
                                         Case{"checkpoints/gemma3", true, kF32, 32},
                                         Case{"checkpoints/phi", true, kF32, 64},
                                         Case{"checkpoints/gpt2", true, kF32, 16},
                                         Case{"checkpoints/mistral", true, kF32, 16},
                                         Case{"checkpoints/llama_dynamic_ntk", true, kF32, 16},
                                         Case{"checkpoints/minicpm", true, kF32, 16}),
                         caseName);

INSTANTIATE_TEST_SUITE_P(Fast, CudaModel,
                         testing::Values(Case{"checkpoints/llama_gqa_bf16", false, kBf16, 16},
                                         Case{"checkpoints/llama_gqa_f16", false, kF16, 16},
                                         Case{"gguf/qwen2.F16.gguf", false, kF16, 8},
                                         Case{"gguf/qwen2.Q4_0.gguf", false, kF16, 32},
                                         Case{"gguf/gemma3.F16.gguf", false, kF16, 16},
                                         Case{"gguf/phi.F16.gguf", false, kF16, 16},
                                         Case{"gguf/llama_gqa.Q8_0.gguf", false, kF16, 64},
                                         Case{"gguf/llama_wide.Q4_1.gguf", false, kF16, 16},
                                         Case{"gguf/llama_wide.Q5_0.gguf", false, kF16, 16},
                                         Case{"gguf/llama_wide.Q4_K_M.llama_quantize.gguf", false,
                                              kF16, 16}),
                         caseName);

}  // namespace
}  // namespace lanescope::test
