#pragma once
// What the engine tests share: models from the golden folders, engines in a line, comparisons.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/decode/engine.h"
#include "tests/support/golden.h"

namespace lanescope::test {

inline std::shared_ptr<const Model> loadOrFail(const std::string& path) {
    auto model = Model::load(path);
    EXPECT_TRUE(model.ok()) << model.error().toString();
    return model ? *model : nullptr;
}

inline EngineSettings exactSettings(int threads = 2) {
    EngineSettings settings;
    settings.threads = threads;
    settings.exact = true;
    return settings;
}

inline std::unique_ptr<Engine> engineFor(const std::shared_ptr<const Model>& model,
                                         const EngineSettings& settings) {
    if (model == nullptr) return nullptr;
    auto engine = Engine::create(model, settings);
    EXPECT_TRUE(engine.ok()) << engine.error().toString();
    return engine ? *std::move(engine) : nullptr;
}

inline GenerateRequest greedyRequest(std::vector<TokenId> prompt, int maxTokens) {
    GenerateRequest request;
    request.prompt = std::move(prompt);
    request.maxTokens = maxTokens;
    request.ignoreEos = true;
    return request;
}

inline std::vector<TokenId> tokenIds(const GoldenTensor& tensor) {
    const auto values = tensor.asInts();
    return {values.begin(), values.end()};
}

inline std::vector<TokenId> generateIds(Engine& engine, const GenerateRequest& request) {
    CancelToken cancel;
    auto result = engine.generate(request, {}, cancel);
    EXPECT_TRUE(result.ok()) << result.error().toString();
    return result ? result->tokens : std::vector<TokenId>();
}

/// Equal up to the first step whose two best tokens are nearer than `tie`.
inline testing::AssertionResult sameGreedy(const std::vector<TokenId>& actual,
                                           const std::vector<TokenId>& expected,
                                           const std::vector<float>& margins, float tie) {
    if (actual.size() != expected.size())
        return testing::AssertionFailure()
               << actual.size() << " tokens, " << expected.size() << " expected";
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (actual[i] == expected[i]) continue;
        if (margins[i] < tie) return testing::AssertionSuccess();
        return testing::AssertionFailure() << "token " << i << " is " << actual[i] << ", "
                                           << expected[i] << " expected, margin " << margins[i];
    }
    return testing::AssertionSuccess();
}

inline double cosine(std::span<const float> a, std::span<const float> b) {
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += static_cast<double>(a[i]) * b[i];
        aa += static_cast<double>(a[i]) * a[i];
        bb += static_cast<double>(b[i]) * b[i];
    }
    return ab / std::sqrt(aa * bb);
}

/// A folder that goes away with the test.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lanescope-test-XXXXXX").string();
        m_path = mkdtemp(pattern.data());
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

inline AttentionPattern windowOf(std::int64_t window, std::int64_t sinks) {
    AttentionPattern pattern;
    pattern.kind = AttentionPattern::Kind::Window;
    pattern.window = window;
    pattern.sinks = sinks;
    return pattern;
}

inline AttentionPattern blockSparse(std::int64_t blockTokens, std::int64_t local,
                                    std::int64_t stride) {
    AttentionPattern pattern;
    pattern.kind = AttentionPattern::Kind::BlockSparse;
    pattern.blockTokens = blockTokens;
    pattern.localBlocks = local;
    pattern.strideBlocks = stride;
    return pattern;
}

inline AttentionPattern pagesOf(std::int64_t pages, std::vector<bool> dense = {}) {
    AttentionPattern pattern;
    pattern.kind = AttentionPattern::Kind::Pages;
    pattern.pages = pages;
    pattern.denseLayers = std::move(dense);
    return pattern;
}

inline AttentionPattern heavyHitters(std::int64_t recent, std::int64_t heavy) {
    AttentionPattern pattern;
    pattern.kind = AttentionPattern::Kind::HeavyHitters;
    pattern.window = recent;
    pattern.heavy = heavy;
    return pattern;
}

}  // namespace lanescope::test
