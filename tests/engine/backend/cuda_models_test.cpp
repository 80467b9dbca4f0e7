// Whole models through the CUDA backend on the emulated device: the tokens of the CPU backend, in
// full precision and with int8 activations and 16-bit caches, at lengths that cross tiles, pages
// and chunks.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "engine/backend/cpu_backend.h"
#include "engine/backend/cuda/cuda_backend.h"
#include "engine/decode/settings.h"
#include "tests/engine/backend/emulated_device.h"
#include "tests/engine/decode/batch_support.h"
#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

constexpr int kNewTokens = 6;

struct Case {
    std::string file;  ///< under the golden folder
    bool exact;
    kernels::KvFormat kv;
    std::int64_t kvBlock;
    Products products = Products::Own;
};

std::string caseName(const testing::TestParamInfo<Case>& info) {
    std::string name = info.param.file + (info.param.exact ? "_exact" : "") + "_kv_" +
                       std::string(kernels::kvFormatName(info.param.kv)) + "_block" +
                       std::to_string(info.param.kvBlock) +
                       (info.param.products == Products::CublasLt ? "_cublaslt" : "");
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
    settings.kvKeys = settings.kvValues = c.kv;
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
    settings.products = c.products;
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

/// Backend and pages of a lane on a device.
struct OnDevice {
    std::shared_ptr<GpuDevice> device;
    std::unique_ptr<CudaBackend> backend;
    std::unique_ptr<BlockPool> pool;

    OnDevice(const Model& model, const EngineSettings& settings, GpuSource& source) {
        device = *source.open(0);
        auto made = CudaBackend::create(model, backendSettings(settings), device, CancelToken());
        EXPECT_TRUE(made.ok()) << made.error().toString();
        backend = *std::move(made);
        auto pages =
            BlockPool::create(kvLayout(model.spec(), settings), 64, 0, [this](std::uint64_t n) {
                auto* data = static_cast<std::byte*>(device->allocate(n));
                return KvStorage{data, [this, data] { device->release(data); }, {}};
            });
        EXPECT_TRUE(pages.ok());
        pool = *std::move(pages);
    }
};

class CudaBatches : public testing::TestWithParam<Case> {};

TEST_P(CudaBatches, SequencesInOnePoolOfPagesGetWhatTheProcessorGivesThem) {
    const Case& c = GetParam();
    const auto model = loadOrFail(goldenDir() + "/" + c.file);
    ASSERT_NE(model, nullptr);
    EngineSettings wanted = batchSettings(c.exact);
    wanted.kvKeys = wanted.kvValues = c.kv;
    wanted.kvBlockTokens = c.kvBlock;
    wanted.pack = false;
    wanted.backend = BackendKind::Cuda;
    wanted.products = c.products;
    const auto resolved = resolveSettings(model->spec(), wanted);
    ASSERT_TRUE(resolved.ok());
    const EngineSettings& settings = resolved->settings;
    auto cpu = CpuBackend::create(model->spec(), backendSettings(settings));
    ASSERT_TRUE(cpu.ok());
    auto cpuPool = BlockPool::create(kvLayout(model->spec(), settings), 64);
    ASSERT_TRUE(cpuPool.ok());
    EmulatedSource source;
    OnDevice cuda(*model, settings, source);
    const auto vocab = static_cast<std::size_t>(model->spec().vocab);
    for (const int steps : {0, 4}) {
        const auto expected = batchLogits(*model, **cpu, **cpuPool, kBatch, steps);
        const auto together = batchLogits(*model, *cuda.backend, *cuda.pool, kBatch, steps);
        for (const std::size_t i : kBatch) {
            const auto rows = [&](const std::vector<float>& all, std::size_t at) {
                return std::vector<float>(
                    all.begin() + static_cast<std::ptrdiff_t>(at * vocab),
                    all.begin() + static_cast<std::ptrdiff_t>((at + 1) * vocab));
            };
            const auto mine = rows(together, i);
            // In 16 bits and int8 the two round in places of their own.
            EXPECT_GT(cosine(mine, rows(expected, i)), c.exact ? 1.0 - 1e-9 : 1.0 - 2e-3)
                << "sequence " << i << " after " << steps << " steps";
            const std::array<std::size_t, 1> one{i};
            const auto alone = batchLogits(*model, *cuda.backend, *cuda.pool, one, steps);
            EXPECT_GT(cosine(mine, alone), c.exact ? 1.0 - 1e-9 : 1.0 - 1e-4)
                << "sequence " << i << " alone after " << steps << " steps";
        }
    }
    EXPECT_GT(source.counts().launches, 0) << "steps were to be launched as graphs";
    EXPECT_EQ(cuda.pool->nInUse(), 0);
}

/// Two sequences of which the second reads the pages of the first; [2, vocab].
std::vector<float> sharedPrefixLogits(const Model& model, Backend& backend, BlockPool& pool) {
    const auto vocab = static_cast<std::size_t>(model.spec().vocab);
    const std::int64_t page = pool.layout().blockTokens;
    std::vector<float> logits(2 * vocab);
    std::vector<kernels::PagedKv> views(2);
    const CancelToken cancel;
    Sequence first(pool, trace::Cursor());
    Sequence second(pool, trace::Cursor());
    const auto prefix = someIds(2 * page, model.usableVocab());
    EXPECT_TRUE(pool.grow(first.table, 0, 2 * page + 1, {}).ok());
    const std::array prefixSegment{Segment{2 * page, 0, 2 * page}};
    const std::array<const BlockTable*, 1> firstTable{&first.table};
    ForwardPass pass;
    pass.tokens = prefix;
    pass.segments = prefixSegment;
    pass.tables = firstTable;
    pass.views = std::span(views).first(1);
    EXPECT_TRUE(forward(model, backend, pool, pass, {}, cancel).ok());
    EXPECT_TRUE(pool.fork(first.table, 2 * page, second.table, {}).ok());
    EXPECT_TRUE(pool.grow(second.table, 2 * page, 2 * page + 3, {}).ok());
    EXPECT_EQ(pool.references(first.table.blocks().front()), 2);
    const std::vector<TokenId> ids{5, 9, 8, 7};
    const auto at = static_cast<std::int32_t>(2 * page);
    const std::array segments{Segment{1, at, 0}, Segment{3, at, 0}};
    const std::array<const BlockTable*, 2> tables{&first.table, &second.table};
    const std::array<std::int32_t, 2> wanted{0, 3};
    pass.tokens = ids;
    pass.segments = segments;
    pass.tables = tables;
    pass.views = views;
    pass.wanted = wanted;
    pass.logits = logits.data();
    EXPECT_TRUE(forward(model, backend, pool, pass, {}, cancel).ok());
    return logits;
}

TEST(CudaBatch, PagesOfACommonPrefixAreReadByBoth) {
    const auto model = loadOrFail(goldenDir() + "/checkpoints/llama_gqa");
    ASSERT_NE(model, nullptr);
    const auto resolved = resolveSettings(model->spec(), batchSettings(true));
    ASSERT_TRUE(resolved.ok());
    auto cpu = CpuBackend::create(model->spec(), backendSettings(resolved->settings));
    auto pages = BlockPool::create(kvLayout(model->spec(), resolved->settings), 64);
    EmulatedSource source;
    OnDevice cuda(*model, resolved->settings, source);
    EXPECT_GT(cosine(sharedPrefixLogits(*model, *cuda.backend, *cuda.pool),
                     sharedPrefixLogits(*model, **cpu, **pages)),
              1.0 - 1e-9);
}

constexpr auto kF32 = kernels::KvFormat::F32;
constexpr auto kF16 = kernels::KvFormat::F16;
constexpr auto kBf16 = kernels::KvFormat::BF16;

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

INSTANTIATE_TEST_SUITE_P(
    Cublas, CudaModel,
    testing::Values(Case{"checkpoints/llama_gqa_bf16", false, kBf16, 16, Products::CublasLt},
                    Case{"gguf/qwen2.F16.gguf", false, kF16, 8, Products::CublasLt},
                    Case{"gguf/gemma3.F16.gguf", false, kF16, 16, Products::CublasLt},
                    Case{"gguf/phi.F16.gguf", false, kF16, 16, Products::CublasLt}),
    caseName);

INSTANTIATE_TEST_SUITE_P(Some, CudaBatches,
                         testing::Values(Case{"checkpoints/llama_gqa", true, kF32, 16},
                                         Case{"checkpoints/qwen2", true, kF32, 8},
                                         Case{"checkpoints/gemma3", true, kF32, 32},
                                         Case{"checkpoints/phi", true, kF32, 64},
                                         Case{"checkpoints/llama_dynamic_ntk", true, kF32, 16},
                                         Case{"checkpoints/llama_gqa_bf16", false, kBf16, 16},
                                         Case{"checkpoints/llama_gqa_bf16", false, kBf16, 16,
                                              Products::CublasLt},
                                         Case{"gguf/qwen2.Q4_0.gguf", false, kF16, 8}),
                         caseName);

}  // namespace
}  // namespace lanescope::test
