// Caches in every format through the CUDA backend on the emulated device: the tokens and the logits
// of the CPU backend, at lengths that cross blocks, tiles and chunks.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/engine/backend/emulated_device.h"
#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

using kernels::KvFormat;

/// Where two logits of the CPU's are nearer than this, keys, weights and queries that tensor cores
/// round to 16 bits may change their order.
constexpr float kTie = 0.02F;

EngineSettings cacheSettings() {
    EngineSettings settings;
    settings.threads = 2;
    settings.contextTokens = 96;
    settings.prefillChunk = 40;
    settings.pack = false;
    return settings;
}

std::vector<TokenId> someIds(std::int64_t n, std::int32_t vocab) {
    std::vector<TokenId> ids;
    for (std::int64_t i = 0; i < n; ++i)
        ids.push_back(static_cast<TokenId>((29 * i * i + 5 * i + 3) % vocab));
    return ids;
}

/// How far the best two of the logits after `ids` are apart.
float margin(Engine& engine, const std::vector<TokenId>& ids) {
    const CancelToken cancel;
    auto all = engine.logits(ids, cancel);
    EXPECT_TRUE(all.ok());
    if (!all) return 0.0F;
    std::vector<float> last(all->end() - static_cast<std::ptrdiff_t>(engine.model().spec().vocab),
                            all->end());
    std::nth_element(last.begin(), last.begin() + 1, last.end(), std::greater<>());
    return last[0] - last[1];
}

void expectSameTokens(Engine& cpu, Engine& cuda, std::int64_t length) {
    constexpr int kNewTokens = 12;
    const auto prompt = someIds(length, cpu.model().usableVocab());
    const GenerateRequest request = greedyRequest(prompt, kNewTokens);
    const auto expected = generateIds(cpu, request);
    const auto actual = generateIds(cuda, request);
    ASSERT_EQ(actual.size(), expected.size());
    const auto [at, other] = std::mismatch(expected.begin(), expected.end(), actual.begin());
    if (at == expected.end()) return;
    std::vector<TokenId> before = prompt;
    before.insert(before.end(), expected.begin(), at);
    EXPECT_LT(margin(cpu, before), kTie)
        << "prompt of " << length << ": token " << at - expected.begin() << " is " << *other
        << ", not " << *at;
}

enum class Compare : std::uint8_t { Tokens, Logits };

void expectAgrees(const std::string& file, EngineSettings settings, double leastCosine,
                  Compare what = Compare::Tokens) {
    const auto model = loadOrFail(goldenDir() + "/" + file);
    ASSERT_NE(model, nullptr);
    const auto cpu = engineFor(model, settings);
    settings.backend = BackendKind::Cuda;
    EmulatedSource source;
    auto made = Engine::create(model, settings, &source);
    ASSERT_TRUE(made.ok()) << made.error().toString();
    Engine& cuda = **made;
    EXPECT_EQ(cuda.measured().kvBytes, cuda.estimate().kvBytes);
    const CancelToken cancel;
    const auto ids = someIds(71, model->usableVocab());
    const auto expected = cpu->logits(ids, cancel);
    const auto actual = cuda.logits(ids, cancel);
    ASSERT_TRUE(expected.ok() && actual.ok());
    EXPECT_GT(cosine(*actual, *expected), leastCosine);
    if (what == Compare::Logits) return;
    for (const std::int64_t length : {1, 15, 17, 70}) expectSameTokens(*cpu, cuda, length);
    EXPECT_GT(source.counts().launches, 0) << "steps were to be launched as graphs";
}

struct Formats {
    KvFormat keys, values;
    std::int64_t blockTokens = 16;
};

class CudaCache : public testing::TestWithParam<Formats> {};

TEST_P(CudaCache, GivesTheTokensOfTheCpuBackend) {
    const Formats& c = GetParam();
    EngineSettings settings = cacheSettings();
    settings.kvKeys = c.keys;
    settings.kvValues = c.values;
    settings.kvBlockTokens = c.blockTokens;
    const auto has = [&c](KvFormat f) { return c.keys == f || c.values == f; };
    // A number at the edge between two coarse codes falls to either side, in the layers above the
    // first, whose inputs differ by rounding: the codes are then a step apart.
    const bool coarse = has(KvFormat::E4M3) || has(KvFormat::E5M2) || has(KvFormat::Int4);
    const double allowed = coarse ? 3e-4 : has(KvFormat::BF16) ? 1e-4 : 1e-5;
    for (const char* file : {"checkpoints/llama_gqa", "checkpoints/qwen3", "checkpoints/gemma3"}) {
        SCOPED_TRACE(file);
        expectAgrees(file, settings, 1.0 - allowed);
    }
}

std::string formatsName(const testing::TestParamInfo<Formats>& info) {
    std::string name = std::string(kernels::kvFormatName(info.param.keys)) + "_" +
                       std::string(kernels::kvFormatName(info.param.values)) + "_block" +
                       std::to_string(info.param.blockTokens);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Formats, CudaCache,
                         testing::Values(Formats{KvFormat::E4M3, KvFormat::E4M3},
                                         Formats{KvFormat::E5M2, KvFormat::E5M2, 9},
                                         Formats{KvFormat::Int8, KvFormat::Int8},
                                         Formats{KvFormat::Int8, KvFormat::F16, 11},
                                         Formats{KvFormat::BF16, KvFormat::Int8, 32},
                                         Formats{KvFormat::Int4, KvFormat::Int4},
                                         Formats{KvFormat::Int4, KvFormat::F32, 8},
                                         Formats{KvFormat::Int4, KvFormat::E4M3, 33},
                                         Formats{KvFormat::F32, KvFormat::Int4}),
                         formatsName);

struct Option {
    const char* name;
    std::function<void(EngineSettings&)> set;
};

class CudaCacheOptions : public testing::TestWithParam<Option> {};

TEST_P(CudaCacheOptions, GiveTheTokensOfTheCpuBackend) {
    EngineSettings settings = cacheSettings();
    settings.kvBlockTokens = 8;
    GetParam().set(settings);
    const bool coarse = settings.kvKeys == KvFormat::Int4;
    for (const char* file : {"checkpoints/llama_gqa", "checkpoints/qwen3", "checkpoints/gemma3"}) {
        SCOPED_TRACE(file);
        expectAgrees(file, settings, coarse ? 1.0 - 3e-4 : 1.0 - 1e-5);
    }
}

std::string optionName(const testing::TestParamInfo<Option>& info) {
    return info.param.name;
}

/// Which of two blocks that promise nearly the same is picked hangs on the last bits of queries and
/// bounds: with keys that are rounded, in the layers above the first, either may be.
TEST(CudaCachePages, AreNearlyThoseOfTheCpuBackendWhereKeysAreRounded) {
    for (const KvFormat format : {KvFormat::F16, KvFormat::Int4}) {
        EngineSettings settings = cacheSettings();
        settings.kvBlockTokens = 8;
        settings.pattern = pagesOf(3);
        settings.kvKeys = settings.kvValues = format;
        for (const char* file :
             {"checkpoints/llama_gqa", "checkpoints/qwen3", "checkpoints/gemma3"}) {
            SCOPED_TRACE(file);
            expectAgrees(file, settings, 0.998, Compare::Logits);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Options, CudaCacheOptions,
    testing::Values(
        Option{"Turned", [](EngineSettings& s) { s.kvRotate = true; }},
        Option{"TurnedInt4",
               [](EngineSettings& s) {
                   s.kvRotate = true;
                   s.kvKeys = s.kvValues = KvFormat::Int4;
               }},
        Option{"Window", [](EngineSettings& s) { s.pattern = windowOf(20, 0); }},
        Option{"Sinks", [](EngineSettings& s) { s.pattern = windowOf(20, 4); }},
        Option{"SinksTurnedInt4",
               [](EngineSettings& s) {
                   s.pattern = windowOf(20, 9);
                   s.kvRotate = true;
                   s.kvKeys = s.kvValues = KvFormat::Int4;
               }},
        Option{"BlockSparse", [](EngineSettings& s) { s.pattern = blockSparse(8, 2, 3); }},
        Option{"BlockSparseOdd", [](EngineSettings& s) { s.pattern = blockSparse(11, 1, 4); }},
        Option{"Pages",
               [](EngineSettings& s) {
                   s.pattern = pagesOf(2);
                   s.kvKeys = s.kvValues = KvFormat::F32;
               }},
        Option{"PagesFirstLayerDense",
               [](EngineSettings& s) {
                   s.pattern = pagesOf(1, {true});
                   s.kvKeys = s.kvValues = KvFormat::F32;
               }}),
    optionName);

}  // namespace
}  // namespace lanescope::test
