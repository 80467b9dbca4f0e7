// The tensors of decoders by their config.json, as transformers names and shapes them. What they
// compute is model/'s business; this table only has to list what model/ will ask for.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/checkpoint/synthetic_parts.h"

namespace lanescope {

namespace {

using nlohmann::json;

/// How a family differs from llama's table.
struct Family {
    const char* name;
    bool qkvBias = false;
    bool headNorms = false;      ///< q_norm and k_norm
    bool sandwichNorms = false;  ///< a norm after attention and MLP too
};

constexpr Family kLlamaLike[] = {
    {"llama"},
    {"mistral"},
    {"minicpm"},
    {"qwen2", true},
    {"qwen3", false, true},
    {"gemma3", false, true, true},
    {"gemma3_text", false, true, true},
};

/// Numbers of a config with the limits that keep every product of two far from overflow.
class Shape {
  public:
    explicit Shape(const json& config, const std::string& path) : m_config(config), m_path(path) {}

    std::int64_t count(const char* key, std::int64_t maximum, std::int64_t fallback = 0) {
        const auto it = m_config.find(key);
        if (it == m_config.end() || it->is_null()) {
            if (fallback == 0) fail(key, "is missing");
            return fallback == 0 ? 1 : fallback;
        }
        if (!it->is_number_integer() || it->get<std::int64_t>() < 1 ||
            it->get<std::int64_t>() > maximum) {
            fail(key, "is not a whole number from 1 to " + std::to_string(maximum));
            return 1;
        }
        return it->get<std::int64_t>();
    }
    bool flag(const char* key, bool fallback) const {
        const auto it = m_config.find(key);
        return it != m_config.end() && it->is_boolean() ? it->get<bool>() : fallback;
    }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

  private:
    void fail(const char* key, const std::string& what) {
        if (!m_error) m_error = badInput(std::string("key ") + key + " " + what, m_path);
    }
    const json& m_config;
    const std::string& m_path;
    std::optional<Error> m_error;
};

struct Sizes {
    std::int64_t layers, dim, ffn, heads, kvHeads, headDim, vocab;
    bool tied, attentionBias, mlpBias;
};

Sizes sizesOf(Shape& shape, bool tiedByDefault) {
    constexpr std::int64_t kWidth = 1 << 20;
    Sizes s{};
    s.layers = shape.count("num_hidden_layers", 4096);
    s.dim = shape.count("hidden_size", kWidth);
    s.ffn = shape.count("intermediate_size", kWidth);
    s.heads = shape.count("num_attention_heads", kWidth);
    s.kvHeads = shape.count("num_key_value_heads", kWidth, s.heads);
    s.headDim = shape.count("head_dim", kWidth, std::max<std::int64_t>(s.dim / s.heads, 1));
    s.vocab = shape.count("vocab_size", 1 << 24);
    s.tied = shape.flag("tie_word_embeddings", tiedByDefault);
    s.attentionBias = shape.flag("attention_bias", false);
    s.mlpBias = shape.flag("mlp_bias", false);
    return s;
}

using Table = std::vector<SyntheticTensor>;

void linear(Table& out, const std::string& name, std::int64_t rows, std::int64_t cols, bool bias) {
    out.push_back({name + ".weight", {rows, cols}});
    if (bias) out.push_back({name + ".bias", {rows}});
}

void llamaLayer(Table& out, const Family& family, const Sizes& s, const std::string& layer) {
    const bool qkvBias = family.qkvBias || s.attentionBias;
    const auto norm = [&](const char* name, std::int64_t n) {
        out.push_back({layer + name + ".weight", {n}});
    };
    norm("input_layernorm", s.dim);
    linear(out, layer + "self_attn.q_proj", s.heads * s.headDim, s.dim, qkvBias);
    linear(out, layer + "self_attn.k_proj", s.kvHeads * s.headDim, s.dim, qkvBias);
    linear(out, layer + "self_attn.v_proj", s.kvHeads * s.headDim, s.dim, qkvBias);
    linear(out, layer + "self_attn.o_proj", s.dim, s.heads * s.headDim, s.attentionBias);
    if (family.headNorms) {
        norm("self_attn.q_norm", s.headDim);
        norm("self_attn.k_norm", s.headDim);
    }
    norm("post_attention_layernorm", s.dim);
    if (family.sandwichNorms) {
        norm("pre_feedforward_layernorm", s.dim);
        norm("post_feedforward_layernorm", s.dim);
    }
    linear(out, layer + "mlp.gate_proj", s.ffn, s.dim, s.mlpBias);
    linear(out, layer + "mlp.up_proj", s.ffn, s.dim, s.mlpBias);
    linear(out, layer + "mlp.down_proj", s.dim, s.ffn, s.mlpBias);
}

Table llamaTable(const Family& family, const Sizes& s) {
    Table out;
    out.push_back({"model.embed_tokens.weight", {s.vocab, s.dim}});
    for (std::int64_t i = 0; i < s.layers; ++i)
        llamaLayer(out, family, s, "model.layers." + std::to_string(i) + ".");
    out.push_back({"model.norm.weight", {s.dim}});
    if (!s.tied) out.push_back({"lm_head.weight", {s.vocab, s.dim}});
    return out;
}

Table phiTable(const Sizes& s) {
    Table out;
    const auto norm = [&](const std::string& name) {
        out.push_back({name + ".weight", {s.dim}});
        out.push_back({name + ".bias", {s.dim}});
    };
    out.push_back({"model.embed_tokens.weight", {s.vocab, s.dim}});
    for (std::int64_t i = 0; i < s.layers; ++i) {
        const std::string layer = "model.layers." + std::to_string(i) + ".";
        norm(layer + "input_layernorm");
        linear(out, layer + "self_attn.q_proj", s.heads * s.headDim, s.dim, true);
        linear(out, layer + "self_attn.k_proj", s.kvHeads * s.headDim, s.dim, true);
        linear(out, layer + "self_attn.v_proj", s.kvHeads * s.headDim, s.dim, true);
        linear(out, layer + "self_attn.dense", s.dim, s.heads * s.headDim, true);
        linear(out, layer + "mlp.fc1", s.ffn, s.dim, true);
        linear(out, layer + "mlp.fc2", s.dim, s.ffn, true);
    }
    norm("model.final_layernorm");
    linear(out, "lm_head", s.vocab, s.dim, true);
    return out;
}

}  // namespace

Result<std::vector<SyntheticTensor>> syntheticTensors(const json& config, const std::string& path) {
    const auto it = config.find("model_type");
    const std::string type = it != config.end() && it->is_string() ? it->get<std::string>() : "";
    Shape shape(config, path);
    std::string known;
    for (const Family& family : kLlamaLike) {
        known += std::string(family.name) + ", ";
        if (type != family.name) continue;
        const Sizes sizes = sizesOf(shape, family.sandwichNorms);
        if (shape.error()) return *shape.error();
        return llamaTable(family, sizes);
    }
    if (type == "phi") {
        const Sizes sizes = sizesOf(shape, false);
        if (shape.error()) return *shape.error();
        return phiTable(sizes);
    }
    return unsupported("weights cannot be made up for model_type \"" + type + "\"", path,
                       "known are " + known + "phi");
}

}  // namespace lanescope
