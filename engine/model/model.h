#pragma once
// A loaded model: what its architecture is (ModelSpec), where its weights are (mapped), its
// tokenizer and chat template. Immutable and shared; everything that changes while generating lives
// in decode/ and cache/.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/model/spec.h"
#include "engine/text/tokenizer.h"

namespace lanescope {

class ChatTemplate;

/// One matrix (or vector) of the model in its stored form.
struct Weight {
    kernels::DType dtype = kernels::DType::F32;
    std::int64_t nRows = 0;
    std::int64_t nCols = 0;
    const void* data = nullptr;  ///< [nRows, nCols] dtype; mapped, or a transposed copy
    const float* bias =
        nullptr;  ///< [nRows] f32 or null (small vectors are converted once, at load)
    std::uint64_t sizeBytes = 0;
    std::int32_t index = -1;  ///< place in Model::matrices(); -1: not among them
    [[nodiscard]] bool present() const { return data != nullptr; }
};

/// A norm's vectors as the kernels multiply them (1 + w and the like are folded in).
struct NormWeights {
    const float* weight = nullptr;  ///< [n] f32
    const float* bias = nullptr;    ///< [n] f32, or null
    /// A few gains are far above their neighbours': int8 activations of blocks that share a scale
    /// lose more of the others than usual (norm_gains.h).
    bool uneven = false;
    [[nodiscard]] bool present() const { return weight != nullptr; }
};

/// What a layer has; which parts are there follows from ModelSpec.
struct LayerWeights {
    NormWeights attnNorm, ffnNorm;          ///< [dim]; Parallel blocks have the first only
    NormWeights attnPostNorm, ffnPostNorm;  ///< [dim], with postNorms
    NormWeights qNorm, kNorm;               ///< [headDim], with qkNorm
    Weight q, k, v, o, gate, up, down;      ///< gate: gated MLPs only
};

/// Parameter counts by part, from the tensors themselves.
struct ParameterCounts {
    std::int64_t embedding = 0, attention = 0, mlp = 0, norms = 0, head = 0;
    [[nodiscard]] std::int64_t total() const { return embedding + attention + mlp + norms + head; }
};

/// Bytes of all weights as they are stored, and with the packable ones packed.
struct WeightBytes {
    std::uint64_t stored = 0;
    std::uint64_t packed = 0;
};
/// From the tensors alone. An embedding that is not the head too stays as it is stored.
WeightBytes weightBytes(const Checkpoint& checkpoint);

class PackedWeights;

/// Where a model keeps track of its packed weights.
struct PackedSlot {
    std::mutex mutex;
    std::weak_ptr<const PackedWeights> weights;
};

class Model {
  public:
    /// Opens, checks and binds a checkpoint. Tokenizer or template that cannot be used do not fail
    /// the load: their error is kept (tokenizerError) and shown where they are needed. Errors:
    /// BadInput / Unsupported / OutOfMemory, with tensor names and numbers.
    static Result<std::shared_ptr<const Model>> load(const std::string& path);

    [[nodiscard]] const ModelSpec& spec() const { return m_spec; }
    [[nodiscard]] const Checkpoint& checkpoint() const { return *m_checkpoint; }
    [[nodiscard]] const Weight& embedding() const { return m_embedding; }
    [[nodiscard]] const Weight& head() const { return m_head; }  ///< the embedding again when tied
    /// Rows that are added to the embedding's; absent unless positions are learned.
    [[nodiscard]] const Weight& positions() const { return m_positions; }
    [[nodiscard]] const NormWeights& finalNorm() const { return m_finalNorm; }
    [[nodiscard]] const std::vector<LayerWeights>& layers() const { return m_layers; }

    [[nodiscard]] const std::shared_ptr<const Tokenizer>& tokenizer() const {
        return m_tokenizer;
    }  ///< null: see tokenizerError
    [[nodiscard]] const std::string& tokenizerError() const { return m_tokenizerError; }
    [[nodiscard]] const std::shared_ptr<const ChatTemplate>& chatTemplate() const {
        return m_chatTemplate;
    }  ///< null: none, or see the error
    [[nodiscard]] const std::string& chatTemplateError() const { return m_chatTemplateError; }

    /// The matrices that tokens are multiplied with (all but embeddings and positions), by index.
    [[nodiscard]] std::vector<const Weight*> matrices() const;
    [[nodiscard]] PackedSlot& packedSlot() const { return m_packedSlot; }

    [[nodiscard]] const ParameterCounts& parameters() const { return m_parameters; }
    [[nodiscard]] std::uint64_t weightBytes() const {
        return m_weightBytes;
    }  ///< tensor data used, mapped or copied
    /// The part of it that was copied at load because files store it transposed.
    [[nodiscard]] std::uint64_t copiedBytes() const { return m_copiedBytes; }
    [[nodiscard]] double loadMs() const { return m_loadMs; }
    /// Ids the model may emit: rows of the head that the vocabulary names, less the unused words at
    /// its end; the rest are padding and never sampled.
    [[nodiscard]] std::int32_t usableVocab() const { return m_usableVocab; }

  private:
    friend class ModelBuilder;
    Model() = default;

    ModelSpec m_spec;
    std::shared_ptr<const Checkpoint> m_checkpoint;
    std::vector<std::vector<float>> m_converted;         ///< norms and biases as f32
    std::vector<std::unique_ptr<std::byte[]>> m_copied;  ///< transposed matrices
    Weight m_embedding, m_positions, m_head;
    NormWeights m_finalNorm;
    std::vector<LayerWeights> m_layers;
    std::shared_ptr<const Tokenizer> m_tokenizer;
    std::string m_tokenizerError;
    std::shared_ptr<const ChatTemplate> m_chatTemplate;
    std::string m_chatTemplateError;
    ParameterCounts m_parameters;
    std::uint64_t m_weightBytes = 0;
    std::uint64_t m_copiedBytes = 0;
    double m_loadMs = 0.0;
    std::int32_t m_usableVocab = 0;
    mutable PackedSlot m_packedSlot;
};

}  // namespace lanescope
