#include "engine/model/model.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/model/tensor_names.h"
#include "engine/text/chat_template.h"
#include "kernels/ops/dispatch.h"

namespace lanescope {

namespace {

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

}  // namespace

/// Binds a checkpoint's tensors to a Model: every one is looked up by name, its type and shape are
/// checked, and its parameters are counted. The first failure is kept.
class ModelBuilder {
  public:
    explicit ModelBuilder(std::shared_ptr<const Checkpoint> checkpoint)
        : m_checkpoint(std::move(checkpoint)), m_names(tensorNames(*m_checkpoint)) {}

    Result<std::shared_ptr<const Model>> build(std::int64_t tStartNs);

  private:
    const TensorView* require(const std::string& name, const std::vector<std::int64_t>& shape);
    Weight matrix(const std::string& name, std::int64_t nRows, std::int64_t nCols, BiasRule bias,
                  std::int64_t& parameters);
    const float* vector(const std::string& name, std::int64_t n, std::int64_t& parameters);
    void bindEnds(const ModelSpec& spec);
    void bindLayer(const ModelSpec& spec, std::int64_t index);
    void bindText();
    void fail(Error error) {
        if (!m_error) m_error = std::move(error);
    }

    std::shared_ptr<const Checkpoint> m_checkpoint;
    TensorNames m_names;
    std::shared_ptr<Model> m_model{new Model()};
    std::optional<Error> m_error;
};

const TensorView* ModelBuilder::require(const std::string& name,
                                        const std::vector<std::int64_t>& shape) {
    const TensorView* tensor = m_checkpoint->find(name);
    if (tensor == nullptr) {
        fail(badInput("tensor " + name + " is missing", m_checkpoint->path()));
        return nullptr;
    }
    if (tensor->shape != shape) {
        fail(badInput("tensor " + name + " has shape " + shapeText(tensor->shape) + ", " +
                          shapeText(shape) + " is expected",
                      m_checkpoint->path()));
        return nullptr;
    }
    if (!kernels::info(tensor->dtype).computable) {
        fail(unsupported("tensor " + name + " is stored as dtype " +
                             std::string(kernels::info(tensor->dtype).name) +
                             ", which weights cannot be computed with",
                         m_checkpoint->path()));
        return nullptr;
    }
    m_model->m_weightBytes += tensor->sizeBytes;
    return tensor;
}

Weight ModelBuilder::matrix(const std::string& name, std::int64_t nRows, std::int64_t nCols,
                            BiasRule bias, std::int64_t& parameters) {
    Weight weight;
    const TensorView* tensor = require(name + ".weight", {nRows, nCols});
    if (tensor == nullptr) return weight;
    weight.dtype = tensor->dtype;
    weight.nRows = nRows;
    weight.nCols = nCols;
    weight.data = tensor->data;
    weight.sizeBytes = tensor->sizeBytes;
    parameters += nRows * nCols;
    const std::string biasName = name + ".bias";
    if (bias == BiasRule::Always ||
        (bias == BiasRule::IfPresent && m_checkpoint->find(biasName) != nullptr))
        weight.bias = vector(biasName, nRows, parameters);
    return weight;
}

const float* ModelBuilder::vector(const std::string& name, std::int64_t n,
                                  std::int64_t& parameters) {
    const TensorView* tensor = require(name, {n});
    if (tensor == nullptr) return nullptr;
    parameters += n;
    // Copied even when stored as f32: a mapped file need not be aligned.
    auto& values = m_model->m_converted.emplace_back(static_cast<std::size_t>(n));
    kernels::opTable(kernels::Isa::Reference)
        .dequantiseRow(tensor->dtype, tensor->data, values.data(), n);
    return values.data();
}

void ModelBuilder::bindEnds(const ModelSpec& spec) {
    ParameterCounts& counts = m_model->m_parameters;
    m_model->m_embedding = matrix(m_names.prefix + m_names.embedding, spec.vocab, spec.dim,
                                  BiasRule::Never, counts.embedding);
    m_model->m_finalNorm =
        vector(m_names.prefix + m_names.finalNorm + ".weight", spec.dim, counts.norms);
    if (spec.tiedHead) {
        m_model->m_head = m_model->m_embedding;
        return;
    }
    const std::string head = std::string(m_names.head) + ".weight";
    if (m_checkpoint->find(head) == nullptr) {
        fail(badInput(
            "tensor " + head + " is missing, and the config does not set tie_word_embeddings",
            m_checkpoint->path(), "set it if the embedding is the head"));
        return;
    }
    m_model->m_head = matrix(m_names.head, spec.vocab, spec.dim, BiasRule::Never, counts.head);
}

void ModelBuilder::bindLayer(const ModelSpec& spec, std::int64_t index) {
    ParameterCounts& counts = m_model->m_parameters;
    const auto name = [&](const char* part) { return m_names.layer(index, part); };
    const std::int64_t qWidth = spec.nHeads * spec.headDim;
    const std::int64_t kvWidth = spec.nKvHeads * spec.headDim;
    LayerWeights& layer = m_model->m_layers.emplace_back();
    layer.attnNorm = vector(name(m_names.attnNorm) + ".weight", spec.dim, counts.norms);
    layer.q = matrix(name(m_names.q), qWidth, spec.dim, spec.qkvBias, counts.attention);
    layer.k = matrix(name(m_names.k), kvWidth, spec.dim, spec.qkvBias, counts.attention);
    layer.v = matrix(name(m_names.v), kvWidth, spec.dim, spec.qkvBias, counts.attention);
    layer.o = matrix(name(m_names.o), spec.dim, qWidth, spec.outBias, counts.attention);
    layer.ffnNorm = vector(name(m_names.ffnNorm) + ".weight", spec.dim, counts.norms);
    layer.gate = matrix(name(m_names.gate), spec.ffnDim, spec.dim, spec.mlpBias, counts.mlp);
    layer.up = matrix(name(m_names.up), spec.ffnDim, spec.dim, spec.mlpBias, counts.mlp);
    layer.down = matrix(name(m_names.down), spec.dim, spec.ffnDim, spec.mlpBias, counts.mlp);
}

/// Tokenizer and template: what is wrong with them is kept, for the places that need them.
void ModelBuilder::bindText() {
    const std::int64_t rows = m_model->m_spec.vocab;
    m_model->m_usableVocab = static_cast<std::int32_t>(rows);
    // A table of words longer than the embedding is a wrong pair of files, tokenizer or not.
    std::int64_t words = 0;
    if (const auto* tokens = m_checkpoint->metadata().strings("tokenizer.ggml.tokens"))
        words = static_cast<std::int64_t>(tokens->size());
    if (auto tokenizer = Tokenizer::fromCheckpoint(*m_checkpoint)) {
        m_model->m_tokenizer = *tokenizer;
        words = m_model->m_tokenizer->vocabSize();
    } else {
        m_model->m_tokenizerError = tokenizer.error().toString();
    }
    if (words > rows)
        fail(badInput("the vocabulary has " + std::to_string(words) +
                          " tokens, but the embedding " + "only " + std::to_string(rows) + " rows",
                      m_checkpoint->path(), "use the tokenizer that belongs to the weights"));
    else if (words > 0)
        m_model->m_usableVocab = static_cast<std::int32_t>(words);
    if (auto chat = ChatTemplate::fromCheckpoint(*m_checkpoint))
        m_model->m_chatTemplate = *chat;
    else
        m_model->m_chatTemplateError = chat.error().toString();
}

Result<std::shared_ptr<const Model>> ModelBuilder::build(std::int64_t tStartNs) {
    auto spec = buildSpec(*m_checkpoint);
    if (!spec) return spec.error();
    m_model->m_spec = *spec;
    m_model->m_checkpoint = m_checkpoint;
    bindEnds(*spec);
    // A file that claims more layers than it has tensors fails at the first one that is missing.
    for (std::int64_t i = 0; i < spec->nLayers && !m_error; ++i) bindLayer(*spec, i);
    if (m_error) return *m_error;
    bindText();
    if (m_error) return *m_error;
    m_model->m_loadMs = static_cast<double>(nowNs() - tStartNs) / 1e6;
    return std::shared_ptr<const Model>(m_model);
}

Result<std::shared_ptr<const Model>> Model::load(const std::string& path) {
    const std::int64_t tStartNs = nowNs();
    auto checkpoint = Checkpoint::open(path);
    if (!checkpoint) return checkpoint.error();
    return ModelBuilder(*checkpoint).build(tStartNs);
}

}  // namespace lanescope
