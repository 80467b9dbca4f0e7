// Descriptions and binding: both spellings of config.json, refusals by name and number, frequencies
// of the rope scalings against figures worked out from the papers' formulas in Python.

#include "engine/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/model/rope_scaling.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

/// A golden checkpoint's folder with another config.json (files are linked, not copied).
class Variant {
  public:
    Variant(const std::string& name, const json& config) {
        std::string pattern = (fs::temp_directory_path() / "lanescope-model-XXXXXX").string();
        m_path = mkdtemp(pattern.data());
        for (const auto& entry : fs::directory_iterator(goldenDir() + "/checkpoints/" + name))
            if (entry.path().filename() != "config.json")
                fs::create_symlink(fs::absolute(entry.path()), m_path / entry.path().filename());
        std::ofstream(m_path / "config.json") << config.dump();
    }
    Variant(const Variant&) = delete;
    Variant& operator=(const Variant&) = delete;
    ~Variant() {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    [[nodiscard]] Result<ModelSpec> spec() const {
        auto checkpoint = Checkpoint::open(m_path.string());
        if (!checkpoint) return checkpoint.error();
        return buildSpec(**checkpoint);
    }
    [[nodiscard]] std::string loadError() const {
        const auto model = Model::load(m_path.string());
        return model.ok() ? std::string() : model.error().toString();
    }

  private:
    fs::path m_path;
};

json configOf(const std::string& name, const char* file = "config.json") {
    return json::parse(readFile(goldenDir() + "/checkpoints/" + name + "/" + file));
}

TEST(ModelSpec, BothSpellingsOfConfigGiveTheSameDescription) {
    const std::string folder = goldenDir() + "/checkpoints/";
    const json index = json::parse(readFile(folder + "index.json"));
    int compared = 0;
    for (const auto& [name, entry] : index.items()) {
        if (!fs::exists(folder + name + "/config_v4.json")) continue;
        SCOPED_TRACE(name);
        const auto fresh = Variant(name, configOf(name)).spec();
        const auto published = Variant(name, configOf(name, "config_v4.json")).spec();
        ASSERT_EQ(fresh.ok(), published.ok());
        if (!fresh) {
            EXPECT_EQ(fresh.error().code, ErrorCode::Unsupported);
            continue;
        }
        EXPECT_TRUE(*fresh == *published);
        ++compared;
    }
    EXPECT_GE(compared, 4);
}

TEST(ModelSpec, GgufAndFolderDescribeTheSameModelButForTheRotaryLayout) {
    const auto load = [](const std::string& path) { return Model::load(goldenDir() + path); };
    auto folder = load("/checkpoints/llama_gqa");
    auto file = load("/gguf/llama_gqa.F16.gguf");
    ASSERT_TRUE(folder.ok() && file.ok());
    EXPECT_EQ((*file)->spec().ropeLayout, kernels::RopeLayout::Interleaved);
    EXPECT_EQ((*folder)->spec().ropeLayout, kernels::RopeLayout::HalfSplit);
    EXPECT_EQ((*file)->spec().ropeInvFreq, (*folder)->spec().ropeInvFreq);
    EXPECT_EQ((*file)->parameters().total(), (*folder)->parameters().total());
    // Counted from the shapes: 620·96 twice; per layer q, o 96·96, k, v 32·96, three of 256·96.
    EXPECT_EQ((*folder)->parameters().embedding, 620 * 96);
    EXPECT_EQ((*folder)->parameters().head, 620 * 96);
    EXPECT_EQ((*folder)->parameters().attention, 3 * (2 * 96 * 96 + 2 * 32 * 96));
    EXPECT_EQ((*folder)->parameters().mlp, 3 * 3 * 256 * 96);
    EXPECT_EQ((*folder)->parameters().norms, 7 * 96);
    EXPECT_EQ((*folder)->weightBytes(),
              static_cast<std::uint64_t>((*folder)->parameters().total()) * 4);
    auto qwen = load("/gguf/qwen2.F16.gguf");
    ASSERT_TRUE(qwen.ok());
    EXPECT_EQ((*qwen)->spec().ropeLayout, kernels::RopeLayout::HalfSplit);
    EXPECT_NE((*qwen)->layers()[0].q.bias, nullptr);
    EXPECT_EQ((*qwen)->layers()[0].o.bias, nullptr);
    EXPECT_TRUE((*qwen)->spec().tiedHead);
    EXPECT_EQ((*qwen)->parameters().head, 0);
}

TEST(ModelSpec, RefusalsNameTheKey) {
    const auto refusal = [](const char* key, const json& value) {
        json config = configOf("llama_gqa");
        if (value.is_discarded())
            config.erase(key);
        else
            config[key] = value;
        const auto spec = Variant("llama_gqa", config).spec();
        return spec.ok() ? std::string("accepted") : spec.error().toString();
    };
    const json absent(json::value_t::discarded);
    EXPECT_THAT(refusal("hidden_size", absent), HasSubstr("hidden_size is missing"));
    EXPECT_THAT(refusal("hidden_size", "96"), HasSubstr("hidden_size is not one whole number"));
    EXPECT_THAT(refusal("num_hidden_layers", 1000000000),
                HasSubstr("num_hidden_layers is 1000000000"));
    EXPECT_THAT(refusal("num_attention_heads", 0), HasSubstr("num_attention_heads is 0"));
    EXPECT_THAT(refusal("num_key_value_heads", 4), HasSubstr("6 attention heads cannot share 4"));
    EXPECT_THAT(refusal("vocab_size", -3), HasSubstr("vocab_size is -3"));
    EXPECT_THAT(refusal("vocab_size", 1e300), HasSubstr("vocab_size"));
    EXPECT_THAT(refusal("rms_norm_eps", "tiny"), HasSubstr("rms_norm_eps"));
    EXPECT_THAT(refusal("hidden_act", "gelu"), HasSubstr("activation \"gelu\""));
    EXPECT_THAT(refusal("quantization_config", json::object()), HasSubstr("quantization_config"));
    EXPECT_THAT(refusal("model_type", "mamba"), HasSubstr("architecture \"mamba\""));
    EXPECT_THAT(refusal("model_type", "mamba"), HasSubstr("known are llama, qwen2"));
    EXPECT_THAT(refusal("rope_parameters", {{"rope_type", "dynamic"}, {"factor", 2}}),
                HasSubstr("rope scaling \"dynamic\""));
    EXPECT_THAT(refusal("rope_parameters", {{"rope_type", "linear"}}), HasSubstr("no factor"));
    EXPECT_THAT(refusal("rope_parameters", {{"rope_type", "linear"}, {"factor", 0}}),
                HasSubstr("factor must be"));
    EXPECT_THAT(refusal("rope_theta", 0), HasSubstr("rope_theta"));
    EXPECT_THAT(refusal("head_dim", nullptr), HasSubstr("accepted"));
}

TEST(ModelBinding, ErrorsNameTheTensorAndBothShapes) {
    const auto refusal = [](const char* name, const char* key, const json& value) {
        json config = configOf(name);
        config[key] = value;
        return Variant(name, config).loadError();
    };
    EXPECT_THAT(refusal("llama_gqa", "intermediate_size", 255),
                HasSubstr("model.layers.0.mlp.gate_proj.weight has shape [256, 96], [255, 96]"));
    EXPECT_THAT(refusal("llama_gqa", "vocab_size", 621),
                HasSubstr("model.embed_tokens.weight has shape [620, 96], [621, 96]"));
    EXPECT_THAT(refusal("llama_gqa", "head_dim", 32), HasSubstr("self_attn.q_proj.weight"));
    EXPECT_THAT(refusal("llama_gqa", "num_hidden_layers", 4),
                HasSubstr("model.layers.3.input_layernorm.weight is missing"));
    EXPECT_THAT(refusal("llama_gqa", "attention_bias", true),
                HasSubstr("model.layers.0.self_attn.q_proj.bias is missing"));
    EXPECT_THAT(refusal("llama_tied", "tie_word_embeddings", false),
                HasSubstr("lm_head.weight is missing"));
    EXPECT_EQ(refusal("llama_gqa", "num_hidden_layers", 2), "");  // fewer layers than the file has
}

TEST(ModelBinding, PaddedVocabulariesKeepTheirRowsAndLoseThePadding) {
    const auto model = Model::load(goldenDir() + "/checkpoints/llama_tied");
    ASSERT_TRUE(model.ok());
    EXPECT_EQ((*model)->spec().vocab, 576);
    EXPECT_EQ((*model)->head().data, (*model)->embedding().data);
    if ((*model)->tokenizer() == nullptr) GTEST_SKIP() << (*model)->tokenizerError();
    EXPECT_EQ((*model)->usableVocab(), 520);
}

ModelSpec ropeSpec(double theta, std::int64_t dim) {
    ModelSpec spec;
    spec.headDim = spec.rotaryDim = dim;
    spec.ropeTheta = theta;
    return spec;
}

TEST(RopeScaling, FrequenciesMatchThePublishedFormulas) {
    ModelSpec plain = ropeSpec(10000.0, 8);
    applyRopeScaling({}, plain);
    EXPECT_THAT(plain.ropeInvFreq, ::testing::ElementsAre(1.0F, 0.1F, 0.01F, 0.001F));
    EXPECT_EQ(plain.ropeScaling, "none");

    ModelSpec linear = ropeSpec(10000.0, 8);
    applyRopeScaling({.kind = "linear", .factor = 4.0}, linear);
    EXPECT_THAT(linear.ropeInvFreq, ::testing::ElementsAre(0.25F, 0.025F, 0.0025F, 0.00025F));
    EXPECT_EQ(linear.ropeScaling, "linear x4.00");

    // Llama 3: waves 6.28, 62.8, 628, 6283 against 64 / 4 = 16 and 64 / 1 = 64: kept, blended
    // (smooth = (64 / 62.83 - 1) / 3), slowed, slowed.
    ModelSpec llama3 = ropeSpec(10000.0, 8);
    applyRopeScaling({.kind = "llama3",
                      .factor = 8.0,
                      .originalContext = 64.0,
                      .lowFreqFactor = 1.0,
                      .highFreqFactor = 4.0},
                     llama3);
    const double smooth = (64.0 / (2.0 * M_PI / 0.1) - 1.0) / 3.0;
    EXPECT_FLOAT_EQ(llama3.ropeInvFreq[0], 1.0F);
    EXPECT_FLOAT_EQ(llama3.ropeInvFreq[1],
                    static_cast<float>((1.0 - smooth) * 0.1 / 8.0 + smooth * 0.1));
    EXPECT_FLOAT_EQ(llama3.ropeInvFreq[2], 0.01F / 8.0F);

    // YaRN, dim 8, context 64: dimensions that turn 32 times and once are -0.497 and 1.008, so the
    // ramp runs from 0 to 2 and keeps 1, 0.5, 0, 0 of the frequency.
    ModelSpec yarn = ropeSpec(10000.0, 8);
    applyRopeScaling({.kind = "yarn", .factor = 4.0, .originalContext = 64.0}, yarn);
    EXPECT_FLOAT_EQ(yarn.ropeInvFreq[0], 1.0F);
    EXPECT_FLOAT_EQ(yarn.ropeInvFreq[1], 0.5F * 0.1F + 0.5F * 0.025F);
    EXPECT_FLOAT_EQ(yarn.ropeInvFreq[2], 0.0025F);
    EXPECT_FLOAT_EQ(yarn.ropeInvFreq[3], 0.00025F);
    EXPECT_NEAR(yarn.ropeMscale, 0.1 * std::log(4.0) + 1.0, 1e-6);

    ModelSpec deepseek = ropeSpec(10000.0, 8);
    applyRopeScaling({.kind = "yarn",
                      .factor = 40.0,
                      .originalContext = 4096.0,
                      .mscale = 0.707,
                      .mscaleAllDim = 0.707},
                     deepseek);
    EXPECT_FLOAT_EQ(deepseek.ropeMscale, 1.0F);
}

}  // namespace
}  // namespace lanescope::test
