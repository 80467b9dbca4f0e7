#pragma once
// What an architecture is, as data. One builder per family fills it (spec_llama.cpp, spec_qwen2.cpp
// …); the forward pass reads it and nothing else. Grow it by fields with neutral defaults. Read
// next: spec_llama.cpp, then model.h for the weights.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "kernels/ops/elementwise.h"

namespace lanescope {

/// Whether a matrix comes with a bias vector.
enum class BiasRule : std::uint8_t { Never, Always, IfPresent };

struct ModelSpec {
    std::string architecture;  ///< "llama", "qwen2"
    std::int64_t nLayers = 0;
    std::int64_t dim = 0;
    std::int64_t ffnDim = 0;
    std::int64_t nHeads = 0;
    std::int64_t nKvHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t vocab = 0;          ///< rows of the embedding
    std::int64_t contextLength = 0;  ///< trained
    float normEps = 1e-5F;

    kernels::RopeLayout ropeLayout = kernels::RopeLayout::HalfSplit;
    std::int64_t rotaryDim = 0;
    double ropeTheta = 10000.0;
    std::vector<float> ropeInvFreq;  ///< [rotaryDim / 2], scaling already applied
    float ropeMscale = 1.0F;
    std::string ropeScaling = "none";  ///< for display

    BiasRule qkvBias = BiasRule::Never;
    BiasRule outBias = BiasRule::Never;
    BiasRule mlpBias = BiasRule::Never;

    bool tiedHead = false;

    friend bool operator==(const ModelSpec&, const ModelSpec&) = default;

    /// What scores are multiplied by before the soft-max.
    [[nodiscard]] float attentionScale() const {
        return 1.0F / std::sqrt(static_cast<float>(headDim));
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
