#include "engine/model/model.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/model/norm_gains.h"
#include "engine/model/tensor_names.h"
#include "engine/model/transpose.h"
#include "engine/text/chat_template.h"
#include "kernels/ops/dispatch.h"
#include "kernels/types/packed.h"

namespace lanescope {

namespace {

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

/// Rows [begin, begin + nRows) of a matrix, as a matrix.
Weight rowsOf(const Weight& whole, std::int64_t begin, std::int64_t nRows) {
    if (!whole.present()) return {};
    const std::int64_t bytes = kernels::rowBytes(whole.dtype, whole.nCols);
    return {whole.dtype,
            nRows,
            whole.nCols,
            static_cast<const std::byte*>(whole.data) + begin * bytes,
            whole.bias != nullptr ? whole.bias + begin : nullptr,
            static_cast<std::uint64_t>(nRows * bytes)};
}

/// Words of a GGUF vocabulary up to the last that is a token: files pad the list to the rows of the
/// embedding with words of type "unused".
std::int64_t wordsInUse(const Metadata& metadata, std::int64_t nWords) {
    constexpr std::int64_t kUnused = 5;
    const auto* types = metadata.integers("tokenizer.ggml.token_type");
    if (types == nullptr || static_cast<std::int64_t>(types->size()) != nWords) return nWords;
    const auto last =
        std::find_if(types->rbegin(), types->rend(), [](std::int64_t t) { return t != kUnused; });
    return last == types->rend() ? nWords : types->rend() - last;
}

}  // namespace

/// Binds a checkpoint's tensors to a Model: every one is looked up by name, its type and shape are
/// checked, and its parameters are counted. The first failure is kept.
class ModelBuilder {
  public:
    explicit ModelBuilder(std::shared_ptr<const Checkpoint> checkpoint)
        : m_checkpoint(std::move(checkpoint)) {}

    Result<std::shared_ptr<const Model>> build(std::int64_t tStartNs);

  private:
    const TensorView* require(const std::string& name, const std::vector<std::int64_t>& shape);
    Weight matrix(const std::string& name, std::int64_t nRows, std::int64_t nCols, BiasRule bias,
                  std::int64_t& parameters);
    /// The same, from a file that may store it [in, out].
    Weight layerMatrix(const std::string& name, std::int64_t nRows, std::int64_t nCols,
                       BiasRule bias, std::int64_t& parameters);
    const void* copyTransposed(const TensorView& tensor);
    float* vector(const std::string& name, std::int64_t n, std::int64_t& parameters);
    NormWeights norm(const std::string& name, std::int64_t n, NormKind kind, float scale = 1.0F);
    void checkCopiesFit();
    void bindEnds(const ModelSpec& spec);
    void bindHead(const ModelSpec& spec);
    void bindQkv(const ModelSpec& spec, std::int64_t index, LayerWeights& layer);
    void bindLayer(const ModelSpec& spec, std::int64_t index);
    void numberMatrices();
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
    weight = {tensor->dtype, nRows, nCols, tensor->data, nullptr, tensor->sizeBytes};
    parameters += nRows * nCols;
    const std::string biasName = name + ".bias";
    if (bias == BiasRule::Always ||
        (bias == BiasRule::IfPresent && m_checkpoint->find(biasName) != nullptr))
        weight.bias = vector(biasName, nRows, parameters);
    return weight;
}

Weight ModelBuilder::layerMatrix(const std::string& name, std::int64_t nRows, std::int64_t nCols,
                                 BiasRule bias, std::int64_t& parameters) {
    if (!m_names.transposed) return matrix(name, nRows, nCols, bias, parameters);
    const TensorView* tensor = require(name + ".weight", {nCols, nRows});
    if (tensor == nullptr) return {};
    parameters += nRows * nCols;
    return {tensor->dtype,
            nRows,
            nCols,
            copyTransposed(*tensor),
            bias == BiasRule::Never ? nullptr : vector(name + ".bias", nRows, parameters),
            tensor->sizeBytes};
}

const void* ModelBuilder::copyTransposed(const TensorView& tensor) {
    auto copy = transposed(tensor);
    if (!copy) {
        fail(copy.error());
        return nullptr;
    }
    m_model->m_copiedBytes += tensor.sizeBytes;
    return m_model->m_copied.emplace_back(*std::move(copy)).get();
}

float* ModelBuilder::vector(const std::string& name, std::int64_t n, std::int64_t& parameters) {
    const TensorView* tensor = require(name, {n});
    if (tensor == nullptr) return nullptr;
    parameters += n;
    // Copied even when stored as f32: a mapped file need not be aligned.
    auto& values = m_model->m_converted.emplace_back(static_cast<std::size_t>(n));
    kernels::opTable(kernels::Isa::Reference)
        .dequantiseRow(tensor->dtype, tensor->data, values.data(), n);
    return values.data();
}

NormWeights ModelBuilder::norm(const std::string& name, std::int64_t n, NormKind kind,
                               float scale) {
    std::int64_t& parameters = m_model->m_parameters.norms;
    const float offset = m_model->m_spec.normWeightOffset;
    float* weight = vector(name + ".weight", n, parameters);
    float* bias = kind == NormKind::Layer ? vector(name + ".bias", n, parameters) : nullptr;
    for (std::int64_t i = 0; i < n; ++i) {
        if (weight != nullptr) weight[i] = (weight[i] + offset) * scale;
        if (bias != nullptr) bias[i] *= scale;
    }
    return {weight, bias, weight != nullptr && unevenGains({weight, static_cast<std::size_t>(n)})};
}

/// All copies together, before the first is made.
void ModelBuilder::checkCopiesFit() {
    if (!m_names.transposed) return;
    std::uint64_t bytes = 0;
    for (const TensorView& tensor : m_checkpoint->tensors())
        if (tensor.name.starts_with(m_names.layerPrefix) && tensor.shape.size() == 2)
            bytes += tensor.sizeBytes;
    if (const std::uint64_t available = availableMemoryBytes(); available > 0 && bytes > available)
        fail(transposeNeeds(bytes, available));
}

void ModelBuilder::bindEnds(const ModelSpec& spec) {
    Model& model = *m_model;
    model.m_embedding = matrix(m_names.embedding, spec.vocab, spec.dim, BiasRule::Never,
                               model.m_parameters.embedding);
    if (spec.learnedPositions > 0)
        model.m_positions = matrix(m_names.positions, spec.learnedPositions, spec.dim,
                                   BiasRule::Never, model.m_parameters.embedding);
    // The head is linear in its input (and no family has both a logit scale and a head bias).
    model.m_finalNorm = norm(m_names.finalNorm, spec.dim, spec.normKind, spec.logitScale);
    bindHead(spec);
}

void ModelBuilder::bindHead(const ModelSpec& spec) {
    if (spec.tiedHead) {
        m_model->m_head = m_model->m_embedding;
        return;
    }
    const std::string head = m_names.head + ".weight";
    if (m_checkpoint->find(head) == nullptr) {
        fail(badInput(
            "tensor " + head + " is missing, and the config does not set tie_word_embeddings",
            m_checkpoint->path(), "set it if the embedding is the head"));
        return;
    }
    m_model->m_head =
        matrix(m_names.head, spec.vocab, spec.dim, spec.headBias, m_model->m_parameters.head);
}

void ModelBuilder::bindQkv(const ModelSpec& spec, std::int64_t index, LayerWeights& layer) {
    std::int64_t& parameters = m_model->m_parameters.attention;
    const std::int64_t qWidth = spec.nHeads * spec.headDim;
    const std::int64_t kvWidth = spec.nKvHeads * spec.headDim;
    const auto name = [&](const char* part) { return m_names.layer(index, part); };
    const bool fused =
        m_names.qkv != nullptr &&
        (m_names.q == nullptr || m_checkpoint->find(name(m_names.qkv) + ".weight") != nullptr);
    if (fused) {
        const Weight all = layerMatrix(name(m_names.qkv), qWidth + 2 * kvWidth, spec.dim,
                                       spec.qkvBias, parameters);
        layer.q = rowsOf(all, 0, qWidth);
        layer.k = rowsOf(all, qWidth, kvWidth);
        layer.v = rowsOf(all, qWidth + kvWidth, kvWidth);
        return;
    }
    layer.q = layerMatrix(name(m_names.q), qWidth, spec.dim, spec.qkvBias, parameters);
    layer.k = layerMatrix(name(m_names.k), kvWidth, spec.dim, spec.qkvBias, parameters);
    layer.v = layerMatrix(name(m_names.v), kvWidth, spec.dim, spec.qkvBias, parameters);
}

void ModelBuilder::bindLayer(const ModelSpec& spec, std::int64_t index) {
    ParameterCounts& counts = m_model->m_parameters;
    const auto name = [&](const char* part) { return m_names.layer(index, part); };
    const auto layerNorm = [&](const char* part) {
        return norm(name(part), spec.dim, spec.normKind);
    };
    const auto mlpMatrix = [&](const char* part, std::int64_t nRows, std::int64_t nCols) {
        return layerMatrix(name(part), nRows, nCols, spec.mlpBias, counts.mlp);
    };
    LayerWeights& layer = m_model->m_layers.emplace_back();
    layer.attnNorm = layerNorm(m_names.attnNorm);
    bindQkv(spec, index, layer);
    if (spec.qkNorm) {
        layer.qNorm = norm(name(m_names.qNorm), spec.headDim, NormKind::Rms);
        layer.kNorm = norm(name(m_names.kNorm), spec.headDim, NormKind::Rms);
    }
    layer.o = layerMatrix(name(m_names.o), spec.dim, spec.nHeads * spec.headDim, spec.outBias,
                          counts.attention);
    if (spec.postNorms) layer.attnPostNorm = layerNorm(m_names.attnPostNorm);
    if (spec.block == BlockKind::Sequential) layer.ffnNorm = layerNorm(m_names.ffnNorm);
    if (spec.mlp == MlpKind::Gated) layer.gate = mlpMatrix(m_names.gate, spec.ffnDim, spec.dim);
    layer.up = mlpMatrix(m_names.up, spec.ffnDim, spec.dim);
    layer.down = mlpMatrix(m_names.down, spec.dim, spec.ffnDim);
    if (spec.postNorms) layer.ffnPostNorm = layerNorm(m_names.ffnPostNorm);
}

void ModelBuilder::numberMatrices() {
    std::int32_t index = 0;
    for (LayerWeights& layer : m_model->m_layers)
        for (Weight* weight :
             {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
            if (weight->present()) weight->index = index++;
    m_model->m_head.index = index;
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
        m_model->m_usableVocab =
            static_cast<std::int32_t>(wordsInUse(m_checkpoint->metadata(), words));
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
    m_names = tensorNames(*m_checkpoint, *spec);
    checkCopiesFit();
    if (!m_error) bindEnds(*spec);
    // A file that claims more layers than it has tensors fails at the first one that is missing.
    for (std::int64_t i = 0; i < spec->nLayers && !m_error; ++i) bindLayer(*spec, i);
    if (m_error) return *m_error;
    numberMatrices();
    bindText();
    if (m_error) return *m_error;
    m_model->m_loadMs = static_cast<double>(nowNs() - tStartNs) / 1e6;
    return std::shared_ptr<const Model>(m_model);
}

std::vector<const Weight*> Model::matrices() const {
    std::vector<const Weight*> all;
    for (const LayerWeights& layer : m_layers)
        for (const Weight* weight :
             {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
            if (weight->present()) all.push_back(weight);
    all.push_back(&m_head);
    return all;
}

WeightBytes weightBytes(const Checkpoint& checkpoint) {
    WeightBytes sum;
    const bool ownHead = checkpoint.find("output.weight") != nullptr;
    for (const TensorView& tensor : checkpoint.tensors()) {
        const bool read = ownHead && tensor.name == "token_embd.weight";
        sum.stored += tensor.sizeBytes;
        sum.packed += tensor.shape.size() == 2 && !read && kernels::canPack(tensor.dtype)
                          ? static_cast<std::uint64_t>(kernels::packedBytes(
                                tensor.dtype, tensor.shape[0], tensor.shape[1]))
                          : tensor.sizeBytes;
    }
    return sum;
}

Result<std::shared_ptr<const Model>> Model::load(const std::string& path) {
    const std::int64_t tStartNs = nowNs();
    auto checkpoint = Checkpoint::open(path);
    if (!checkpoint) return checkpoint.error();
    return ModelBuilder(*checkpoint).build(tStartNs);
}

}  // namespace lanescope
