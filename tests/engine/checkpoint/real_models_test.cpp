// Real models from the cache: they open, fast, and their vocabulary is there.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "engine/checkpoint/checkpoint.h"
#include "tests/support/golden.h"

namespace lanescope {
namespace {

/// Opens twice (the second time the file's pages are warm) and gives the second time.
double warmOpenMs(const std::string& path) {
    std::chrono::duration<double, std::milli> ms{};
    for (int i = 0; i < 2; ++i) {
        const auto start = std::chrono::steady_clock::now();
        auto opened = Checkpoint::open(path);
        ms = std::chrono::steady_clock::now() - start;
        if (!opened) {
            ADD_FAILURE() << opened.error().toString();
            return 0;
        }
    }
    std::printf("opened in %.1f ms\n", ms.count());
    return ms.count();
}

TEST(RealModels, SmolLm2OpensFast) {
    LANESCOPE_NEEDS_MODEL(path, "SmolLM2-135M-Instruct.Q4_1.gguf");
    EXPECT_LT(warmOpenMs(path), 50);
    const auto checkpoint = *Checkpoint::open(path);
    ASSERT_NE(checkpoint->metadata().strings("tokenizer.ggml.tokens"), nullptr);
    EXPECT_EQ(checkpoint->metadata().strings("tokenizer.ggml.tokens")->size(), 49152U);
    EXPECT_EQ(checkpoint->metadata().integer("llama.block_count"), 30);
    const TensorView* embedding = checkpoint->find("token_embd.weight");
    ASSERT_NE(embedding, nullptr);
    EXPECT_EQ(embedding->shape, (std::vector<std::int64_t>{49152, 576}));
}

TEST(RealModels, Qwen25CoderOpensFast) {
    LANESCOPE_NEEDS_MODEL(path, "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
    EXPECT_LT(warmOpenMs(path), 150);
    const auto checkpoint = *Checkpoint::open(path);
    EXPECT_EQ(checkpoint->metadata().strings("tokenizer.ggml.tokens")->size(), 151936U);
    EXPECT_EQ(checkpoint->metadata().text("general.architecture"), "qwen2");
}

}  // namespace
}  // namespace lanescope
