#pragma once
// What an architecture is, as data. One builder per family fills it (spec_llama.cpp,
// spec_gemma3.cpp …); the forward pass reads it and nothing else. Grow it by fields with neutral
// defaults. Read next: spec_llama.cpp, then model.h for the weights.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "kernels/ops/elementwise.h"

namespace lanescope {

/// Whether a matrix comes with a bias vector.
enum class BiasRule : std::uint8_t { Never, Always, IfPresent };

/// RMS norm has a weight; layer norm takes the mean off too and has a weight and a bias.
enum class NormKind : std::uint8_t { Rms, Layer };

/// Gated: down(act(gate(x)) · up(x)). Plain: down(act(up(x))).
enum class MlpKind : std::uint8_t { Gated, Plain };

/// How a layer's two halves follow each other. Sequential: x += attn(norm(x)); x += mlp(norm(x)).
/// Parallel: one norm feeds both, x += attn(norm(x)) + mlp(norm(x)).
enum class BlockKind : std::uint8_t { Sequential, Parallel };

/// Frequencies that follow the sequence: beyond the original context the rotary base grows with the
/// length (dynamic NTK). factor 0: off.
struct DynamicNtk {
    double factor = 0.0;
    std::int64_t originalContext = 0;
    friend bool operator==(const DynamicNtk&, const DynamicNtk&) = default;
};

struct ModelSpec {
    std::string architecture;  ///< "llama", "gemma3"; in GGUF also the prefix of the keys
    std::int64_t nLayers = 0;
    std::int64_t dim = 0;
    std::int64_t ffnDim = 0;
    std::int64_t nHeads = 0;
    std::int64_t nKvHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t vocab = 0;          ///< rows of the embedding
    std::int64_t contextLength = 0;  ///< trained

    NormKind normKind = NormKind::Rms;
    float normEps = 1e-5F;
    float normWeightOffset = 0.0F;  ///< 1 where files store w and the norm multiplies by 1 + w
    bool postNorms = false;         ///< also a norm after attention and MLP, before the residual
    bool qkNorm = false;            ///< RMS norm over each head of q and k, before the rotation
    BlockKind block = BlockKind::Sequential;

    MlpKind mlp = MlpKind::Gated;
    kernels::Activation activation = kernels::Activation::Silu;

    kernels::RopeLayout ropeLayout = kernels::RopeLayout::HalfSplit;
    std::int64_t rotaryDim = 0;
    double ropeTheta = 10000.0;
    std::vector<float> ropeInvFreq;  ///< [rotaryDim / 2], scaling already applied
    float ropeMscale = 1.0F;
    std::string ropeScaling = "none";  ///< for display
    DynamicNtk dynamicNtk;
    double localRopeTheta = 0.0;            ///< of windowed layers; 0: the same as the others
    std::vector<float> localRopeInvFreq;    ///< [rotaryDim / 2]; empty: the same as the others
    std::string localRopeScaling = "none";  ///< for display
    /// Rows of a table of learned positions, which no position may pass; 0: there is none.
    std::int64_t learnedPositions = 0;

    std::int64_t slidingWindow = 0;    ///< keys a windowed layer sees, itself included; 0: none
    std::vector<bool> windowedLayers;  ///< [nLayers]; empty: all of them if there is a window

    BiasRule qkvBias = BiasRule::Never;
    BiasRule outBias = BiasRule::Never;
    BiasRule mlpBias = BiasRule::Never;
    BiasRule headBias = BiasRule::Never;

    float embeddingScale = 1.0F;  ///< embedding rows are multiplied by it
    float residualScale = 1.0F;   ///< what a sub-layer adds is multiplied by it
    float logitScale = 1.0F;      ///< logits are; folded into the final norm when weights are bound
    float queryScale = 0.0F;      ///< scores are; 0: 1 / sqrt(headDim)
    float attentionSoftcap = 0.0F;  ///< scores become cap · tanh(score / cap); 0: off
    float logitSoftcap = 0.0F;      ///< the same for logits

    bool tiedHead = false;

    friend bool operator==(const ModelSpec&, const ModelSpec&) = default;

    /// What scores are multiplied by before the soft-max.
    [[nodiscard]] float attentionScale() const {
        return queryScale > 0.0F ? queryScale : 1.0F / std::sqrt(static_cast<float>(headDim));
    }
    /// Keys that layer i sees, itself included; 0: all.
    [[nodiscard]] std::int64_t window(int layer) const {
        const bool windowed =
            windowedLayers.empty() || windowedLayers[static_cast<std::size_t>(layer)];
        return windowed ? slidingWindow : 0;
    }
    /// Rotary frequencies of layer i: [rotaryDim / 2]. With dynamic NTK those of short sequences.
    [[nodiscard]] std::span<const float> ropeFrequencies(int layer) const {
        return window(layer) > 0 && !localRopeInvFreq.empty() ? localRopeInvFreq : ropeInvFreq;
    }
    /// Bytes of K and V of one token over all layers at an element size.
    [[nodiscard]] std::uint64_t kvBytesPerToken(std::uint64_t bytesPerElement) const {
        return static_cast<std::uint64_t>(2 * nLayers * nKvHeads * headDim) * bytesPerElement;
    }
};

/// Reads the description out of GGUF metadata or config.json. Errors name the key; unknown
/// architectures are named with the known ones.
Result<ModelSpec> buildSpec(const Checkpoint& checkpoint);

}  // namespace lanescope
