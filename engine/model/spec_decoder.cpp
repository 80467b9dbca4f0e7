// The common ground of all families: sizes, norm, activation and rotary embedding of a decoder, out
// of config.json or GGUF keys. What makes a family itself is in its own file.

#include <algorithm>

#include "engine/model/rope_scaling.h"
#include "engine/model/spec_builders.h"
#include "engine/model/spec_keys.h"

namespace lanescope {

namespace {

/// Width of a head where it is not written down.
std::int64_t dividedWidth(SpecKeys& keys, const ModelSpec& spec, const char* width,
                          const char* heads, const char* headDim) {
    if (spec.dim % spec.nHeads != 0 && !keys.has(headDim))
        keys.fail(badInput("key " + keys.fullKey(width) + " is " + std::to_string(spec.dim) +
                               " and does not divide among " + keys.fullKey(heads) + " " +
                               std::to_string(spec.nHeads) + ", and " + keys.fullKey(headDim) +
                               " is not given",
                           keys.file()));
    return std::max<std::int64_t>(1, spec.dim / spec.nHeads);
}

Result<void> finish(ModelSpec& spec, PositionKind positions, const Checkpoint& checkpoint,
                    const SpecKeys& keys) {
    if (keys.error()) return *keys.error();
    if (positions == PositionKind::Learned) {
        spec.rotaryDim = 0;
        spec.learnedPositions = spec.contextLength;
    } else if (auto rope = checkpoint.format() == CheckpointFormat::Gguf
                               ? applyRopeFromGguf(checkpoint, spec)
                               : applyRopeFromConfig(checkpoint, spec);
               !rope) {
        return rope;
    }
    return checkShapes(spec, keys.file());
}

}  // namespace

Result<ModelSpec> decoderFromConfig(const Checkpoint& checkpoint, const char* architecture,
                                    const ConfigDialect& dialect) {
    SpecKeys keys = SpecKeys::config(checkpoint);
    ModelSpec spec;
    spec.architecture = architecture;
    spec.nLayers = keys.count(dialect.layers, kMaxLayers);
    spec.dim = keys.count(dialect.width, kMaxWidth);
    spec.ffnDim = dialect.defaultFfnPerWidth > 0 ? keys.count(dialect.ffnWidth, kMaxWidth,
                                                              dialect.defaultFfnPerWidth * spec.dim)
                                                 : keys.count(dialect.ffnWidth, kMaxWidth);
    spec.nHeads = keys.count(dialect.heads, kMaxWidth, dialect.defaultHeads);
    spec.nKvHeads =
        keys.count(dialect.kvHeads, kMaxWidth, dialect.defaultKvHeads.value_or(spec.nHeads));
    spec.headDim = keys.count("head_dim", kMaxWidth,
                              dialect.defaultHeadDim ? *dialect.defaultHeadDim
                                                     : dividedWidth(keys, spec, dialect.width,
                                                                    dialect.heads, "head_dim"));
    spec.vocab = keys.count("vocab_size", kMaxVocab, dialect.defaultVocab);
    spec.contextLength = keys.count(dialect.context, kMaxContext, dialect.defaultContext);
    spec.normKind = dialect.norm;
    spec.normEps = static_cast<float>(keys.positive(dialect.normEps, dialect.defaultNormEps));
    spec.activation = keys.activation(dialect.activation, dialect.defaultActivation);
    spec.rotaryDim = spec.headDim;
    spec.ropeTheta = dialect.defaultRopeTheta;
    spec.tiedHead = keys.flag("tie_word_embeddings", dialect.defaultTied);
    if (keys.has("quantization_config"))
        keys.fail(
            unsupported("weights quantised by another tool (quantization_config) cannot be read",
                        keys.file(), "use the model's unquantised files or a GGUF"));
    if (keys.has("num_local_experts") || keys.has("num_experts"))
        keys.fail(unsupported("mixture-of-experts models are not supported", keys.file()));
    if (auto done = finish(spec, dialect.positions, checkpoint, keys); !done) return done.error();
    return spec;
}

Result<ModelSpec> decoderFromGguf(const Checkpoint& checkpoint, const char* architecture,
                                  NormKind norm, PositionKind positions) {
    SpecKeys keys = SpecKeys::gguf(checkpoint, architecture);
    ModelSpec spec;
    spec.architecture = architecture;
    spec.nLayers = keys.count("block_count", kMaxLayers);
    spec.dim = keys.count("embedding_length", kMaxWidth);
    spec.ffnDim = keys.count("feed_forward_length", kMaxWidth);
    spec.nHeads = keys.count("attention.head_count", kMaxWidth);
    spec.nKvHeads = keys.count("attention.head_count_kv", kMaxWidth, spec.nHeads);
    spec.headDim = keys.count("attention.key_length", kMaxWidth,
                              dividedWidth(keys, spec, "embedding_length", "attention.head_count",
                                           "attention.key_length"));
    spec.contextLength = keys.count("context_length", kMaxContext);
    spec.normKind = norm;
    spec.normEps = static_cast<float>(keys.positive(norm == NormKind::Layer
                                                        ? "attention.layer_norm_epsilon"
                                                        : "attention.layer_norm_rms_epsilon"));
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
    if (!keys.error() && (spec.vocab < 1 || spec.vocab > kMaxVocab))
        return badInput("tensor token_embd.weight has " + std::to_string(spec.vocab) +
                            " rows, between 1 and " + std::to_string(kMaxVocab) + " are possible",
                        keys.file());
    if (auto done = finish(spec, positions, checkpoint, keys); !done) return done.error();
    return spec;
}

}  // namespace lanescope
