#pragma once
// The families this build knows: one builder per family and format. A new family: a file
// spec_NAME.cpp with two functions, a line here, a row in spec.cpp.

#include <optional>

#include "engine/model/spec.h"

namespace lanescope {

Result<ModelSpec> llamaFromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> llamaFromGguf(const Checkpoint& checkpoint);
Result<ModelSpec> mistralFromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> mistralFromGguf(const Checkpoint& checkpoint);
Result<ModelSpec> qwen2FromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> qwen2FromGguf(const Checkpoint& checkpoint);
Result<ModelSpec> qwen3FromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> qwen3FromGguf(const Checkpoint& checkpoint);
Result<ModelSpec> phiFromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> phiMsftFromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> phi2FromGguf(const Checkpoint& checkpoint);
Result<ModelSpec> minicpmFromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> minicpmFromGguf(const Checkpoint& checkpoint);
Result<ModelSpec> gemma3FromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> gemma3FromGguf(const Checkpoint& checkpoint);
Result<ModelSpec> gpt2FromConfig(const Checkpoint& checkpoint);
Result<ModelSpec> gpt2FromGguf(const Checkpoint& checkpoint);

/// Where a token's position comes in.
enum class PositionKind : std::uint8_t { Rotary, Learned };

/// How a family's config.json spells the fields that every decoder has, and what it means by
/// leaving one out. The defaults here are Llama's.
struct ConfigDialect {
    const char* layers = "num_hidden_layers";
    const char* width = "hidden_size";
    const char* ffnWidth = "intermediate_size";
    const char* heads = "num_attention_heads";
    const char* kvHeads = "num_key_value_heads";
    const char* context = "max_position_embeddings";
    const char* normEps = "rms_norm_eps";
    const char* activation = "hidden_act";
    NormKind norm = NormKind::Rms;
    PositionKind positions = PositionKind::Rotary;

    const char* defaultActivation = "silu";
    double defaultNormEps = 1e-6;
    bool defaultTied = false;
    double defaultRopeTheta = 10000.0;
    std::int64_t defaultFfnPerWidth = 0;  ///< intermediate size in widths; 0: the key must be there
    std::optional<std::int64_t> defaultHeads;
    std::optional<std::int64_t> defaultKvHeads;  ///< none: as many as heads
    std::optional<std::int64_t> defaultHeadDim;  ///< none: width / heads
    std::optional<std::int64_t> defaultContext;
    std::optional<std::int64_t> defaultVocab;
};

/// GPT-2's spelling (n_embd, n_layer …), which the first files of Phi take over: layer norms, GELU,
/// an MLP four times as wide.
ConfigDialect gpt2Dialect();

/// The fields that decoders share; the rest keeps its defaults.
Result<ModelSpec> decoderFromConfig(const Checkpoint& checkpoint, const char* architecture,
                                    const ConfigDialect& dialect = {});
Result<ModelSpec> decoderFromGguf(const Checkpoint& checkpoint, const char* architecture,
                                  NormKind norm = NormKind::Rms,
                                  PositionKind positions = PositionKind::Rotary);

}  // namespace lanescope
