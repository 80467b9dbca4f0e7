// Synthetic checkpoints: shapes from a config, no memory before it is asked for, finite weights of
// the wanted spread in every format, the same for the same seed.

#include "engine/checkpoint/synthetic.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kernels/ops/dispatch.h"

namespace lanescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSmall =
    R"({"model_type": "llama", "hidden_size": 256, "intermediate_size": 512,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "vocab_size": 300, "rms_norm_eps": 1e-5, "max_position_embeddings": 512)";

class Synthetic : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "lanescope-synth-XXXXXX").string();
        m_folder = mkdtemp(pattern.data());
    }
    void TearDown() override {
        std::error_code ignored;
        fs::remove_all(m_folder, ignored);
    }
    std::string config(const std::string& text) const {
        const std::string path = (m_folder / "config.json").string();
        std::ofstream(path) << text;
        return std::string(kSyntheticPrefix) + path;
    }
    fs::path m_folder;
};

std::uint64_t residentKiB() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    in >> total >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

std::vector<float> valuesOf(const TensorView& tensor) {
    std::vector<float> out(static_cast<std::size_t>(tensor.nElements()));
    kernels::opTable(kernels::Isa::Reference)
        .dequantiseRow(tensor.dtype, tensor.data, out.data(), tensor.nElements());
    return out;
}

TEST_F(Synthetic, EveryFormatHasFiniteWeightsOfTheWantedSpread) {
    const std::string model = config(std::string(kSmall) + "}");
    for (int i = 0; i < kernels::kDTypes; ++i) {
        const auto& info = kernels::info(static_cast<kernels::DType>(i));
        if (info.blockSize == 1 && info.name != "f32" && info.name != "f16" && info.name != "bf16")
            continue;
        auto opened = openSynthetic(model + "?format=" + std::string(info.name) + "&seed=3");
        ASSERT_TRUE(opened) << opened.error().toString();
        ASSERT_TRUE((*opened)->materialise());
        const TensorView* up = (*opened)->find("model.layers.1.mlp.up_proj.weight");
        ASSERT_NE(up, nullptr);
        EXPECT_EQ(kernels::info(up->dtype).name, info.name);
        const auto values = valuesOf(*up);
        double sum = 0.0;
        double squares = 0.0;
        for (const float v : values) {
            ASSERT_TRUE(std::isfinite(v)) << info.name;
            sum += v;
            squares += static_cast<double>(v) * v;
        }
        const double n = static_cast<double>(values.size());
        EXPECT_NEAR(std::sqrt(squares / n), 0.02, 0.012) << info.name;
        EXPECT_NEAR(sum / n, 0.0, 0.004) << info.name;
        const auto rowBytes = static_cast<std::size_t>(kernels::rowBytes(up->dtype, 256));
        EXPECT_NE(std::memcmp(up->data, up->data + rowBytes, rowBytes), 0) << "rows differ";
    }
}

TEST_F(Synthetic, TensorsFollowTheConfig) {
    auto opened = openSynthetic(
        config(std::string(kSmall) + R"(, "lanescope": {"format": "q4_0", "seed": 5}})"));
    ASSERT_TRUE(opened) << opened.error().toString();
    EXPECT_EQ((*opened)->format(), CheckpointFormat::HuggingFace);
    EXPECT_TRUE((*opened)->synthetic());
    EXPECT_EQ((*opened)->tensors().size(), 2U * 9 + 3);
    EXPECT_EQ((*opened)->find("model.layers.0.self_attn.k_proj.weight")->shape,
              (std::vector<std::int64_t>{128, 256}));
    EXPECT_EQ((*opened)->find("lm_head.weight")->dtype, kernels::DType::Q4_0);
    const auto norm = valuesOf(*(*opened)->find("model.norm.weight"));
    EXPECT_NEAR(norm[0], 1.0F, 0.2F) << "norms are there before the weights are made";

    auto qwen = openSynthetic(config(
        R"({"model_type": "qwen2", "hidden_size": 64, "intermediate_size": 96,
            "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 50,
            "tie_word_embeddings": true})"));
    ASSERT_TRUE(qwen) << qwen.error().toString();
    EXPECT_NE((*qwen)->find("model.layers.0.self_attn.q_proj.bias"), nullptr);
    EXPECT_EQ((*qwen)->find("lm_head.weight"), nullptr) << "tied";
}

TEST_F(Synthetic, TheSameSeedGivesTheSameBytes) {
    const std::string model = config(std::string(kSmall) + "}");
    const auto bytes = [&](const std::string& query) {
        auto opened = openSynthetic(model + query);
        EXPECT_TRUE(opened && (*opened)->materialise());
        const TensorView* t = (*opened)->find("model.layers.0.mlp.down_proj.weight");
        return std::string(reinterpret_cast<const char*>(t->data), t->sizeBytes);
    };
    EXPECT_EQ(bytes("?format=q4_K&seed=1"), bytes("?seed=1&format=q4_K"));
    EXPECT_NE(bytes("?format=q4_K&seed=1"), bytes("?format=q4_K&seed=2"));
}

TEST_F(Synthetic, ALargeShapeCostsNoMemoryToLookAt) {
    const std::uint64_t before = residentKiB();
    auto opened = openSynthetic(
        config(R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
                   "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8,
                   "vocab_size": 128256})") +
        "?format=f16");
    ASSERT_TRUE(opened) << opened.error().toString();
    EXPECT_GT((*opened)->fileBytes(), std::uint64_t{140'000'000'000});
    EXPECT_LT(residentKiB(), before + 64U * 1024);
}

TEST_F(Synthetic, WhatIsNotUnderstoodIsNamed) {
    const auto refused = [&](const std::string& text, const std::string& query, const char* words) {
        auto opened = openSynthetic(config(text) + query);
        ASSERT_FALSE(opened) << words;
        EXPECT_NE(opened.error().toString().find(words), std::string::npos)
            << opened.error().toString();
    };
    const std::string small = std::string(kSmall) + "}";
    refused(small, "?format=q9_9", "\"q9_9\"");
    refused(small, "?format=i8", "\"i8\"");
    refused(small, "?colour=red", "colour=red");
    refused(small, "?seed=", "seed=");
    refused(std::string(kSmall) + R"(, "lanescope": {"fromat": "q4_0"}})", "", "lanescope.fromat");
    refused(R"({"model_type": "mamba"})", "", "\"mamba\"");
    refused(R"({"model_type": "llama", "hidden_size": 64})", "", "num_hidden_layers is missing");
    refused(R"({"model_type": "llama", "num_hidden_layers": -3})", "", "num_hidden_layers");
    refused("[1]", "", "no object");
    refused("{", "", "config.json");
    EXPECT_FALSE(openSynthetic("synthetic:/no/such/config.json"));
}

}  // namespace
}  // namespace lanescope
