// Llama (arXiv 2302.13971) and what shares its shape: SmolLM, TinyLlama. The decoder functions are
// the common ground of later families.

#include <algorithm>

#include "engine/model/rope_scaling.h"
#include "engine/model/spec_builders.h"
#include "engine/model/spec_keys.h"

namespace lanescope {

Result<ModelSpec> decoderFromConfig(const Checkpoint& checkpoint, const char* architecture) {
    SpecKeys keys = SpecKeys::config(checkpoint);
    ModelSpec spec;
    spec.architecture = architecture;
    spec.nLayers = keys.count("num_hidden_layers", kMaxLayers);
    spec.dim = keys.count("hidden_size", kMaxWidth);
    spec.ffnDim = keys.count("intermediate_size", kMaxWidth);
    spec.nHeads = keys.count("num_attention_heads", kMaxWidth);
    spec.nKvHeads = keys.count("num_key_value_heads", kMaxWidth, spec.nHeads);
    spec.headDim =
        keys.count("head_dim", kMaxWidth, std::max<std::int64_t>(1, spec.dim / spec.nHeads));
    spec.vocab = keys.count("vocab_size", kMaxVocab);
    spec.contextLength = keys.count("max_position_embeddings", kMaxContext);
    spec.normEps = static_cast<float>(keys.positive("rms_norm_eps", 1e-6));
    spec.rotaryDim = spec.headDim;
    spec.ropeLayout = kernels::RopeLayout::HalfSplit;
    spec.tiedHead = keys.flag("tie_word_embeddings", false);
    if (const auto act = keys.text("hidden_act", "silu"); act != "silu" && act != "swish")
        keys.fail(unsupported("activation \"" + act + "\" is not supported for " + architecture,
                              keys.file(), "known is silu"));
    if (keys.has("quantization_config"))
        keys.fail(
            unsupported("weights quantised by another tool (quantization_config) cannot be read",
                        keys.file(), "use the model's unquantised files or a GGUF"));
    if (keys.error()) return *keys.error();
    if (auto rope = applyRopeFromConfig(checkpoint, spec); !rope) return rope.error();
    if (auto shapes = checkShapes(spec, keys.file()); !shapes) return shapes.error();
    return spec;
}

Result<ModelSpec> decoderFromGguf(const Checkpoint& checkpoint, const char* architecture) {
    SpecKeys keys = SpecKeys::gguf(checkpoint, architecture);
    ModelSpec spec;
    spec.architecture = architecture;
    spec.nLayers = keys.count("block_count", kMaxLayers);
    spec.dim = keys.count("embedding_length", kMaxWidth);
    spec.ffnDim = keys.count("feed_forward_length", kMaxWidth);
    spec.nHeads = keys.count("attention.head_count", kMaxWidth);
    spec.nKvHeads = keys.count("attention.head_count_kv", kMaxWidth, spec.nHeads);
    spec.headDim = keys.count("attention.key_length", kMaxWidth,
                              std::max<std::int64_t>(1, spec.dim / spec.nHeads));
    spec.contextLength = keys.count("context_length", kMaxContext);
    spec.normEps = static_cast<float>(keys.positive("attention.layer_norm_rms_epsilon"));
    spec.rotaryDim = keys.count("rope.dimension_count", kMaxWidth, spec.headDim);
    spec.qkvBias = spec.outBias = spec.mlpBias = BiasRule::IfPresent;
    spec.tiedHead = checkpoint.find("output.weight") == nullptr;  // GGUF has no flag for it
    if (const auto values = keys.count("attention.value_length", kMaxWidth, spec.headDim);
        values != spec.headDim)
        keys.fail(unsupported("keys of " + std::to_string(spec.headDim) + " and values of " +
                                  std::to_string(values) + " elements a head are not supported",
                              keys.file()));
    if (checkpoint.metadata().integer(keys.fullKey("expert_count")).value_or(0) > 0)
        keys.fail(unsupported("mixture-of-experts models are not supported", keys.file()));
    // The vocabulary is the rows of the embedding: the key vocab_size is optional and often absent.
    const TensorView* embedding = checkpoint.find("token_embd.weight");
    if (embedding == nullptr || embedding->shape.size() != 2)
        keys.fail(badInput("tensor token_embd.weight is missing or not a matrix", keys.file()));
    else
        spec.vocab = embedding->shape[0];
    if (keys.error()) return *keys.error();
    if (spec.vocab < 1 || spec.vocab > kMaxVocab)
        return badInput("tensor token_embd.weight has " + std::to_string(spec.vocab) +
                            " rows, between 1 and " + std::to_string(kMaxVocab) + " are possible",
                        keys.file());
    if (auto rope = applyRopeFromGguf(checkpoint, spec); !rope) return rope.error();
    if (auto shapes = checkShapes(spec, keys.file()); !shapes) return shapes.error();
    return spec;
}

Result<ModelSpec> llamaFromConfig(const Checkpoint& checkpoint) {
    auto spec = decoderFromConfig(checkpoint, "llama");
    if (!spec) return spec;
    SpecKeys keys = SpecKeys::config(checkpoint);
    const bool attentionBias = keys.flag("attention_bias", false);
    spec->qkvBias = spec->outBias = attentionBias ? BiasRule::Always : BiasRule::Never;
    spec->mlpBias = keys.flag("mlp_bias", false) ? BiasRule::Always : BiasRule::Never;
    if (keys.error()) return *keys.error();
    return spec;
}

Result<ModelSpec> llamaFromGguf(const Checkpoint& checkpoint) {
    auto spec = decoderFromGguf(checkpoint, "llama");
    // The converter permutes the rows of q and k so that rotary pairs are neighbours.
    if (spec) spec->ropeLayout = kernels::RopeLayout::Interleaved;
    return spec;
}

}  // namespace lanescope
