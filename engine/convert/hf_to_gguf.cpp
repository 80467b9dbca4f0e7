#include "engine/convert/hf_to_gguf.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/convert/vocabulary_keys.h"
#include "kernels/ops/dispatch.h"

namespace lanescope {

namespace {

using kernels::DType;
using nlohmann::json;

/// The numbers of a config that the keys repeat.
struct Shape {
    std::string architecture;  ///< of GGUF
    std::int64_t layers = 0, dim = 0, ffn = 0, heads = 0, kvHeads = 0, headDim = 0, vocab = 0;
    std::int64_t context = 0;
    double epsilon = 0.0, theta = 10000.0;
    json scaling;  ///< null: none
};

class Converter {
  public:
    Converter(const Checkpoint& checkpoint, std::optional<DType> type)
        : m_checkpoint(checkpoint), m_config(checkpoint.config()), m_type(type) {}

    Result<GgufWriter> convert();

  private:
    std::int64_t count(const char* key, std::int64_t fallback = 0);
    Result<void> readShape();
    void setKeys();
    Result<void> setScaling();
    void addLlama3Factors();
    void add(const std::string& from, const std::string& to, std::int64_t heads = 0);
    void addLinear(const std::string& from, const std::string& to, std::int64_t heads = 0);
    void addAll();
    void fail(Error error) {
        if (!m_error) m_error = std::move(error);
    }
    template <class T>
    void set(const std::string& key, T value) {
        m_writer.set(m_shape.architecture + "." + key, GgufValue::number(value));
    }

    const Checkpoint& m_checkpoint;
    const json& m_config;
    std::optional<DType> m_type;
    Shape m_shape;
    GgufWriter m_writer;
    std::string m_prefix;
    std::optional<Error> m_error;
};

/// Stored row → GGUF row: rotary pairs lie side by side there, in halves here.
std::int64_t sourceRow(std::int64_t row, std::int64_t headDim) {
    const std::int64_t within = row % headDim;
    return row - within + within % 2 * (headDim / 2) + within / 2;
}

/// Hands a tensor's rows over in another type and, for heads > 0, another order.
Result<void> convertRows(const TensorView& tensor, DType type, std::int64_t headDim,
                         const GgufSink& sink) {
    const std::int64_t nCols =
        tensor.shape.size() < 2 || tensor.shape.back() == 0 ? 1 : tensor.shape.back();
    const std::int64_t nRows = tensor.nElements() / std::max<std::int64_t>(nCols, 1);
    const std::int64_t from = kernels::rowBytes(tensor.dtype, nCols);
    const std::int64_t to = kernels::rowBytes(type, nCols);
    const auto& ops = kernels::opTable(kernels::preferredIsa());
    std::vector<float> wide(static_cast<std::size_t>(nCols));
    // About a megabyte at a time.
    const std::int64_t batch = std::clamp<std::int64_t>((1 << 20) / std::max<std::int64_t>(to, 1),
                                                        1, std::max<std::int64_t>(nRows, 1));
    std::vector<std::byte> out(static_cast<std::size_t>(batch * to));
    for (std::int64_t row = 0; row < nRows; row += batch) {
        const std::int64_t n = std::min(batch, nRows - row);
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t source = headDim > 0 ? sourceRow(row + i, headDim) : row + i;
            std::byte* target = out.data() + i * to;
            if (type == tensor.dtype) {
                std::memcpy(target, tensor.data + source * from, static_cast<std::size_t>(to));
                continue;
            }
            ops.dequantiseRow(tensor.dtype, tensor.data + source * from, wide.data(), nCols);
            ops.fromF32(type, wide.data(), target, nCols);
        }
        if (auto ok = sink({out.data(), static_cast<std::size_t>(n * to)}); !ok) return ok;
    }
    return {};
}

bool isFloat(DType type) {
    return type == DType::F32 || type == DType::F16 || type == DType::BF16;
}

std::int64_t Converter::count(const char* key, std::int64_t fallback) {
    const auto it = m_config.find(key);
    if ((it == m_config.end() || it->is_null()) && fallback > 0) return fallback;
    if (it == m_config.end() || !it->is_number_integer() || it->get<std::int64_t>() < 1 ||
        it->get<std::int64_t>() > (1 << 30)) {
        fail(badInput("config.json: key " + std::string(key) + " is missing or not a size",
                      m_checkpoint.path()));
        return 1;
    }
    return it->get<std::int64_t>();
}

Result<void> Converter::readShape() {
    if (!m_config.is_object()) return badInput("has no config.json", m_checkpoint.path());
    const std::string family = m_config.value("model_type", "");
    if (family != "llama" && family != "mistral" && family != "qwen2")
        return unsupported("model_type \"" + family + "\" is not converted in this version",
                           m_checkpoint.path(), "llama, mistral and qwen2 are");
    m_shape.architecture = family == "qwen2" ? "qwen2" : "llama";
    m_shape.layers = count("num_hidden_layers");
    m_shape.dim = count("hidden_size");
    m_shape.ffn = count("intermediate_size");
    m_shape.heads = count("num_attention_heads");
    m_shape.kvHeads = count("num_key_value_heads", m_shape.heads);
    m_shape.headDim = count("head_dim", std::max<std::int64_t>(m_shape.dim / m_shape.heads, 1));
    m_shape.vocab = count("vocab_size");
    m_shape.context = count("max_position_embeddings", 2048);
    const auto number = [](const json& object, const char* key, double fallback) {
        return object.is_object() && object.contains(key) && object[key].is_number()
                   ? object[key].get<double>()
                   : fallback;
    };
    m_shape.epsilon = number(m_config, "rms_norm_eps", 1e-6);
    // transformers 5 keeps both in rope_parameters, 4 the theta beside rope_scaling.
    const json parameters = m_config.value("rope_parameters", json());
    m_shape.theta = number(parameters, "rope_theta", number(m_config, "rope_theta", 10000.0));
    m_shape.scaling = parameters.is_object() ? parameters : m_config.value("rope_scaling", json());
    return m_error ? Result<void>(*m_error) : Result<void>();
}

void Converter::setKeys() {
    const auto u32 = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
    std::string name = m_checkpoint.path();
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    m_writer.set("general.architecture", GgufValue::text(m_shape.architecture));
    m_writer.set("general.type", GgufValue::text("model"));
    m_writer.set("general.name", GgufValue::text(name.substr(name.rfind('/') + 1)));
    set("vocab_size", u32(m_shape.vocab));
    set("context_length", u32(m_shape.context));
    set("embedding_length", u32(m_shape.dim));
    set("block_count", u32(m_shape.layers));
    set("feed_forward_length", u32(m_shape.ffn));
    set("attention.head_count", u32(m_shape.heads));
    set("attention.head_count_kv", u32(m_shape.kvHeads));
    set("rope.freq_base", static_cast<float>(m_shape.theta));
    set("attention.layer_norm_rms_epsilon", static_cast<float>(m_shape.epsilon));
    set("attention.key_length", u32(m_shape.headDim));
    set("attention.value_length", u32(m_shape.headDim));
    set("rope.dimension_count", u32(m_shape.headDim));
    const DType type = m_type.value_or(DType::F32);
    const std::uint32_t fileType = type == DType::F16 ? 1 : type == DType::BF16 ? 32 : 0;
    m_writer.set("general.file_type", GgufValue::number(fileType));
}

/// Divisors of the rotary frequencies, as transformers' "llama3" computes them.
void Converter::addLlama3Factors() {
    const json& s = m_shape.scaling;
    const double factor = s.value("factor", 8.0);
    const double low = s.value("low_freq_factor", 1.0);
    const double high = s.value("high_freq_factor", 4.0);
    const double context = s.value("original_max_position_embeddings", 8192.0);
    std::vector<float> factors;
    for (std::int64_t i = 0; i < m_shape.headDim / 2; ++i) {
        const double frequency = std::pow(
            m_shape.theta, -2.0 * static_cast<double>(i) / static_cast<double>(m_shape.headDim));
        const double wavelength = 2.0 * M_PI / frequency;
        double divisor = 1.0;
        if (wavelength > context / low) {
            divisor = factor;
        } else if (wavelength > context / high) {
            const double smooth = (context / wavelength - low) / (high - low);
            divisor = 1.0 / ((1.0 - smooth) / factor + smooth);
        }
        factors.push_back(static_cast<float>(divisor));
    }
    GgufTensor tensor{"rope_freqs.weight", DType::F32, {m_shape.headDim / 2}, nullptr, {}};
    tensor.produce = [factors](const GgufSink& sink) {
        return sink(std::as_bytes(std::span(factors)));
    };
    m_writer.addTensor(std::move(tensor));
}

Result<void> Converter::setScaling() {
    const json& s = m_shape.scaling;
    if (!s.is_object()) return {};
    const std::string type = s.value("rope_type", s.value("type", "default"));
    if (type == "default") return {};
    if (type == "llama3") {
        addLlama3Factors();
        return {};
    }
    if (type != "linear")
        return unsupported("rope scaling \"" + type + "\" is not converted in this version",
                           m_checkpoint.path(), "linear and llama3 are");
    m_writer.set(m_shape.architecture + ".rope.scaling.type", GgufValue::text("linear"));
    set("rope.scaling.factor", static_cast<float>(s.value("factor", 1.0)));
    return {};
}

void Converter::add(const std::string& from, const std::string& to, std::int64_t heads) {
    const TensorView* tensor = m_checkpoint.find(from);
    if (tensor == nullptr)
        return fail(badInput("tensor " + from + " is missing", m_checkpoint.path()));
    if (!isFloat(tensor->dtype))
        return fail(unsupported("tensor " + from + " is stored as " +
                                    std::string(kernels::info(tensor->dtype).name) +
                                    "; only f32, f16 and bf16 are converted",
                                m_checkpoint.path()));
    const DType type = tensor->shape.size() < 2 ? DType::F32 : m_type.value_or(tensor->dtype);
    if (heads > 0 && tensor->shape.front() != heads * m_shape.headDim)
        return fail(badInput("tensor " + from + " has " + std::to_string(tensor->shape.front()) +
                                 " rows, " + std::to_string(heads * m_shape.headDim) +
                                 " are expected",
                             m_checkpoint.path()));
    const std::int64_t headDim = heads > 0 && m_shape.architecture == "llama" ? m_shape.headDim : 0;
    GgufTensor out{to, type, tensor->shape, nullptr, {}};
    out.produce = [tensor, type, headDim](const GgufSink& sink) {
        return convertRows(*tensor, type, headDim, sink);
    };
    m_writer.addTensor(std::move(out));
}

/// A matrix and the bias it may have.
void Converter::addLinear(const std::string& from, const std::string& to, std::int64_t heads) {
    add(from + ".weight", to + ".weight", heads);
    if (m_checkpoint.find(from + ".bias") != nullptr) add(from + ".bias", to + ".bias", heads);
}

void Converter::addAll() {
    m_prefix = m_checkpoint.find("model.embed_tokens.weight") == nullptr &&
                       m_checkpoint.find("embed_tokens.weight") != nullptr
                   ? ""
                   : "model.";
    add(m_prefix + "embed_tokens.weight", "token_embd.weight");
    add(m_prefix + "norm.weight", "output_norm.weight");
    const bool tied = m_config.value("tie_word_embeddings", false);
    if (!tied) add("lm_head.weight", "output.weight");
    for (std::int64_t i = 0; i < m_shape.layers && !m_error; ++i) {
        const std::string from = m_prefix + "layers." + std::to_string(i) + ".";
        const std::string to = "blk." + std::to_string(i) + ".";
        addLinear(from + "self_attn.q_proj", to + "attn_q", m_shape.heads);
        addLinear(from + "self_attn.k_proj", to + "attn_k", m_shape.kvHeads);
        addLinear(from + "self_attn.v_proj", to + "attn_v");
        addLinear(from + "self_attn.o_proj", to + "attn_output");
        addLinear(from + "mlp.gate_proj", to + "ffn_gate");
        addLinear(from + "mlp.up_proj", to + "ffn_up");
        addLinear(from + "mlp.down_proj", to + "ffn_down");
        add(from + "input_layernorm.weight", to + "attn_norm.weight");
        add(from + "post_attention_layernorm.weight", to + "ffn_norm.weight");
    }
}

Result<GgufWriter> Converter::convert() {
    if (auto read = readShape(); !read) return read.error();
    setKeys();
    if (auto scaled = setScaling(); !scaled) return scaled.error();
    if (auto words = setVocabularyKeys(m_writer, m_checkpoint, m_shape.vocab); !words)
        return words.error();
    addAll();
    if (m_error) return *m_error;
    return std::move(m_writer);
}

}  // namespace

Result<GgufWriter> ggufFromHuggingFace(const Checkpoint& checkpoint,
                                       std::optional<kernels::DType> type) {
    return Converter(checkpoint, type).convert();
}

}  // namespace lanescope
