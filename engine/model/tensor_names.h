#pragma once
// How the two formats name the tensors of a decoder. Adding a name means one line in each table.

#include <cstdint>
#include <string>

#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

/// Names without ".weight" / ".bias"; layer parts are appended to layer(i).
struct TensorNames {
    std::string prefix;       ///< of everything but the head
    std::string layerPrefix;  ///< before the layer's number
    const char* embedding;
    const char* finalNorm;
    const char* head;
    const char* attnNorm;
    const char* q;
    const char* k;
    const char* v;
    const char* o;
    const char* ffnNorm;
    const char* gate;
    const char* up;
    const char* down;

    [[nodiscard]] std::string layer(std::int64_t index, const char* part) const {
        return prefix + layerPrefix + std::to_string(index) + "." + part;
    }
};

/// The checkpoint's spelling; files of a bare body lack the prefix "model.".
inline TensorNames tensorNames(const Checkpoint& checkpoint) {
    if (checkpoint.format() == CheckpointFormat::Gguf)
        return {"",          "blk.",     "token_embd", "output_norm", "output",
                "attn_norm", "attn_q",   "attn_k",     "attn_v",      "attn_output",
                "ffn_norm",  "ffn_gate", "ffn_up",     "ffn_down"};
    const bool bare = checkpoint.find("model.embed_tokens.weight") == nullptr &&
                      checkpoint.find("embed_tokens.weight") != nullptr;
    return {bare ? "" : "model.",
            "layers.",
            "embed_tokens",
            "norm",
            "lm_head",
            "input_layernorm",
            "self_attn.q_proj",
            "self_attn.k_proj",
            "self_attn.v_proj",
            "self_attn.o_proj",
            "post_attention_layernorm",
            "mlp.gate_proj",
            "mlp.up_proj",
            "mlp.down_proj"};
}

}  // namespace lanescope
