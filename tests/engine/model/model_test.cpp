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
#include "kernels/ops/dispatch.h"
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
    EXPECT_GE(compared, 14);
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
    EXPECT_THAT(refusal("hidden_act", "relu2"), HasSubstr("activation \"relu2\""));
    EXPECT_THAT(refusal("hidden_act", "relu2"), HasSubstr("known are silu"));
    EXPECT_THAT(refusal("quantization_config", json::object()), HasSubstr("quantization_config"));
    EXPECT_THAT(refusal("model_type", "mamba"), HasSubstr("architecture \"mamba\""));
    EXPECT_THAT(refusal("model_type", "mamba"),
                HasSubstr("known are llama, mistral, qwen2, qwen3, phi, phi-msft, minicpm, gemma3, "
                          "gemma3_text, gpt2"));
    EXPECT_THAT(refusal("rope_parameters", {{"rope_type", "longrope"}, {"factor", 2}}),
                HasSubstr("rope scaling \"longrope\" is not supported"));
    EXPECT_THAT(refusal("rope_parameters", {{"rope_type", "dynamic"}}), HasSubstr("no factor"));
    EXPECT_THAT(refusal("rope_parameters", {{"rope_type", "linear"}}), HasSubstr("no factor"));
    EXPECT_THAT(refusal("rope_parameters", {{"rope_type", "linear"}, {"factor", 0}}),
                HasSubstr("factor must be"));
    EXPECT_THAT(refusal("rope_theta", 0), HasSubstr("rope_theta"));
    EXPECT_THAT(refusal("partial_rotary_factor", 1.5), HasSubstr("partial_rotary_factor is 1.5"));
    EXPECT_THAT(refusal("num_local_experts", 8), HasSubstr("mixture-of-experts"));
    EXPECT_THAT(refusal("head_dim", nullptr), HasSubstr("accepted"));
}

/// What a changed key of a golden config is answered with.
std::string changed(const std::string& name, const json& changes) {
    json config = configOf(name);
    config.merge_patch(changes);  // null takes a key away
    const auto spec = Variant(name, config).spec();
    return spec.ok() ? std::string("accepted") : spec.error().toString();
}

TEST(ModelSpec, ImpossibleShapesAreRefusedWithKeyAndNumbers) {
    EXPECT_THAT(changed("mistral", {{"sliding_window", 0}}),
                HasSubstr("sliding_window is 0, it must be between 1"));
    EXPECT_THAT(changed("mistral", {{"sliding_window", -4}}), HasSubstr("sliding_window is -4"));
    EXPECT_THAT(changed("phi", {{"num_attention_heads", 7}}),
                HasSubstr("hidden_size is 64 and does not divide among num_attention_heads 7"));
    EXPECT_THAT(changed("gpt2", {{"n_head", 5}}),
                HasSubstr("n_embd is 64 and does not divide among n_head 5"));
    EXPECT_THAT(changed("gpt2", {{"scale_attn_by_inverse_layer_idx", true}}),
                HasSubstr("scale_attn_by_inverse_layer_idx"));
    EXPECT_THAT(changed("minicpm", {{"scale_depth", 0}}), HasSubstr("scale_depth is 0.000000"));
    EXPECT_THAT(changed("minicpm", {{"dim_model_base", -1}}), HasSubstr("dim_model_base"));
    EXPECT_THAT(changed("gemma3", {{"query_pre_attn_scalar", 0}}),
                HasSubstr("query_pre_attn_scalar"));
    EXPECT_THAT(changed("gemma3", {{"layer_types", {"full_attention"}}}),
                HasSubstr("layer_types names 1 layers, the model has 4"));
    EXPECT_THAT(changed("gemma3", {{"layer_types", json::array({"full_attention", "chunked", "x",
                                                                "sliding_attention"})}}),
                HasSubstr("\"chunked\" is not supported"));
    EXPECT_THAT(changed("qwen3",
                        {{"layer_types", {"full_attention", "sliding_attention", "full_attention"}},
                         {"use_sliding_window", true}}),
                HasSubstr("sliding_window is missing"));
    EXPECT_THAT(changed("llama_dynamic_ntk", {{"head_dim", 2}}),
                HasSubstr("over 2 elements is not supported"));
    EXPECT_THAT(changed("gemma3", {{"use_bidirectional_attention", true}}),
                HasSubstr("use_bidirectional_attention"));
}

TEST(ModelSpec, GemmaReadsItsPatternScalesAndTwoBases) {
    const auto spec = Variant("gemma3", configOf("gemma3")).spec();
    ASSERT_TRUE(spec.ok()) << spec.error().toString();
    EXPECT_EQ(spec->slidingWindow, 16);
    EXPECT_THAT(spec->windowedLayers, ::testing::ElementsAre(true, true, false, true));
    EXPECT_EQ(spec->window(1), 16);
    EXPECT_EQ(spec->window(2), 0);
    EXPECT_DOUBLE_EQ(spec->ropeTheta, 1e6);
    EXPECT_DOUBLE_EQ(spec->localRopeTheta, 1e4);
    EXPECT_EQ(spec->ropeFrequencies(2)[1], spec->ropeInvFreq[1]);
    EXPECT_EQ(spec->ropeFrequencies(0)[1], spec->localRopeInvFreq[1]);
    EXPECT_NE(spec->localRopeInvFreq, spec->ropeInvFreq);
    EXPECT_FLOAT_EQ(spec->embeddingScale, 8.0F);
    EXPECT_FLOAT_EQ(spec->attentionScale(), 1.0F / std::sqrt(32.0F));
    EXPECT_TRUE(spec->tiedHead && spec->qkNorm && spec->postNorms);
}

// Published configs of models with several parts: text_config, and what the class has as defaults
// left out. Of six layers the sixth sees everything; the scaling is for those layers alone.
TEST(ModelSpec, GemmaOfSeveralPartsFillsInWhatItsConfigLeavesOut) {
    const json config = {{"model_type", "gemma3"},
                         {"text_config",
                          {{"hidden_size", 2560},
                           {"intermediate_size", 10240},
                           {"model_type", "gemma3_text"},
                           {"num_hidden_layers", 7},
                           {"rope_scaling", {{"factor", 8.0}, {"rope_type", "linear"}}},
                           {"sliding_window", 1024}}}};
    const auto spec = Variant("gemma3", config).spec();
    ASSERT_TRUE(spec.ok()) << spec.error().toString();
    EXPECT_EQ(spec->nHeads, 8);
    EXPECT_EQ(spec->nKvHeads, 4);
    EXPECT_EQ(spec->headDim, 256);
    EXPECT_EQ(spec->vocab, 262208);
    EXPECT_EQ(spec->contextLength, 131072);
    EXPECT_TRUE(spec->tiedHead);
    EXPECT_EQ(spec->activation, kernels::Activation::GeluTanh);
    EXPECT_THAT(spec->windowedLayers,
                ::testing::ElementsAre(true, true, true, true, true, false, true));
    EXPECT_EQ(spec->ropeScaling, "linear x8.00");
    EXPECT_EQ(spec->localRopeScaling, "none");
    EXPECT_FLOAT_EQ(spec->ropeInvFreq[0], 1.0F / 8.0F);
    EXPECT_FLOAT_EQ(spec->localRopeInvFreq[0], 1.0F);
    json broken = config;
    broken["text_config"]["num_hidden_layers"] = 0;
    EXPECT_THAT(Variant("gemma3", broken).spec().error().toString(),
                HasSubstr("text_config.num_hidden_layers is 0"));
}

TEST(ModelSpec, QwensWindowStartsAtALayer) {
    json config = configOf("qwen2");
    config.erase("layer_types");
    config.update({{"use_sliding_window", true}, {"sliding_window", 32}, {"max_window_layers", 1}});
    const auto spec = Variant("qwen2", config).spec();
    ASSERT_TRUE(spec.ok()) << spec.error().toString();
    EXPECT_THAT(spec->windowedLayers, ::testing::ElementsAre(false, true, true));
    config["use_sliding_window"] = false;
    EXPECT_EQ(Variant("qwen2", config).spec()->slidingWindow, 0);
}

TEST(ModelSpec, ClassNamesStandInForAMissingModelType) {
    for (const char* name : {"llama_gqa", "mistral", "qwen3", "phi", "gpt2", "gemma3", "minicpm"}) {
        json config = configOf(name);
        config.erase("model_type");
        EXPECT_EQ(changed(name, {{"model_type", nullptr}}), "accepted") << name;
    }
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

TEST(ModelBinding, TransposedMatricesAreCopiedAndCounted) {
    const auto folder = Model::load(goldenDir() + "/checkpoints/gpt2");
    const auto file = Model::load(goldenDir() + "/gguf/gpt2.F16.gguf");
    ASSERT_TRUE(folder.ok() && file.ok());
    // Per layer c_attn 64 · 192, c_proj 64 · 64, c_fc and c_proj 64 · 256, all f32.
    EXPECT_EQ((*folder)->copiedBytes(), 3U * 4U * 64U * (192U + 64U + 2U * 256U));
    EXPECT_EQ((*file)->copiedBytes(), 0U);
    EXPECT_EQ((*folder)->weightBytes(),
              static_cast<std::uint64_t>((*folder)->parameters().total()) * 4);
    EXPECT_EQ((*folder)->parameters().total(), (*file)->parameters().total());
    // The same matrix in both forms, to half precision; q, k and v lie behind each other.
    const auto& mine = (*folder)->layers()[1];
    const auto& theirs = (*file)->layers()[1];
    ASSERT_EQ(theirs.k.dtype, kernels::DType::F16);
    std::vector<float> row(64);
    kernels::opTable(kernels::Isa::Reference)
        .dequantiseRow(theirs.k.dtype, theirs.k.data, row.data(), 64);
    for (std::size_t i = 0; i < row.size(); ++i)
        EXPECT_NEAR(static_cast<const float*>(mine.k.data)[i], row[i], 1e-3F);
    EXPECT_EQ(mine.k.data, static_cast<const float*>(mine.q.data) + 64 * 64);
    EXPECT_FLOAT_EQ(mine.v.bias[0], theirs.v.bias[0]);
    EXPECT_EQ((*folder)->spec().learnedPositions, 256);
    EXPECT_EQ((*folder)->spec().rotaryDim, 0);
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

    // Dynamic NTK: up to the original context as trained; at twice it with factor 2 the base grows
    // by 3^(8/6).
    ModelSpec dynamic = ropeSpec(10000.0, 8);
    applyRopeScaling({.kind = "dynamic", .factor = 2.0, .originalContext = 64.0}, dynamic);
    std::vector<float> frequencies(4);
    dynamicRopeFrequencies(dynamic, 64, frequencies);
    EXPECT_EQ(frequencies, plain.ropeInvFreq);
    dynamicRopeFrequencies(dynamic, 128, frequencies);
    EXPECT_FLOAT_EQ(frequencies[0], 1.0F);
    EXPECT_FLOAT_EQ(frequencies[3], static_cast<float>(0.001 / std::pow(3.0, 8.0 / 6.0 * 0.75)));

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
