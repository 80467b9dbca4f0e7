#include "engine/model/tensor_names.h"

#include <initializer_list>

namespace lanescope {

namespace {

/// The first prefix under which a tensor is there; the first of all where none is (its absence is
/// then reported by that name).
std::string presentPrefix(const Checkpoint& checkpoint, std::initializer_list<const char*> prefixes,
                          const std::string& tensor) {
    for (const char* prefix : prefixes)
        if (checkpoint.find(prefix + tensor) != nullptr) return prefix;
    return *prefixes.begin();
}

TensorNames ggufNames() {
    TensorNames names;
    names.embedding = "token_embd";
    names.positions = "position_embd";
    names.finalNorm = "output_norm";
    names.head = "output";
    names.layerPrefix = "blk.";
    names.attnNorm = "attn_norm";
    names.q = "attn_q";
    names.k = "attn_k";
    names.v = "attn_v";
    names.qkv = "attn_qkv";
    names.qNorm = "attn_q_norm";
    names.kNorm = "attn_k_norm";
    names.o = "attn_output";
    names.attnPostNorm = "post_attention_norm";
    names.ffnNorm = "ffn_norm";
    names.gate = "ffn_gate";
    names.up = "ffn_up";
    names.down = "ffn_down";
    names.ffnPostNorm = "post_ffw_norm";
    return names;
}

/// Llama's spelling, which most families share. Models of several parts keep the decoder under
/// language_model.
TensorNames llamaNames(const Checkpoint& checkpoint) {
    const std::string prefix =
        presentPrefix(checkpoint, {"model.", "", "language_model.model.", "model.language_model."},
                      "embed_tokens.weight");
    TensorNames names;
    names.embedding = prefix + "embed_tokens";
    names.finalNorm = prefix + "norm";
    names.head = presentPrefix(checkpoint, {"", "language_model."}, "lm_head.weight") + "lm_head";
    names.layerPrefix = prefix + "layers.";
    names.attnNorm = "input_layernorm";
    names.q = "self_attn.q_proj";
    names.k = "self_attn.k_proj";
    names.v = "self_attn.v_proj";
    names.qNorm = "self_attn.q_norm";
    names.kNorm = "self_attn.k_norm";
    names.o = "self_attn.o_proj";
    names.ffnNorm = "post_attention_layernorm";
    names.gate = "mlp.gate_proj";
    names.up = "mlp.up_proj";
    names.down = "mlp.down_proj";
    return names;
}

TensorNames gemmaNames(const Checkpoint& checkpoint) {
    TensorNames names = llamaNames(checkpoint);
    names.attnPostNorm = "post_attention_layernorm";
    names.ffnNorm = "pre_feedforward_layernorm";
    names.ffnPostNorm = "post_feedforward_layernorm";
    return names;
}

TensorNames phiNames(const Checkpoint& checkpoint) {
    TensorNames names = llamaNames(checkpoint);
    names.finalNorm =
        presentPrefix(checkpoint, {"model.", ""}, "final_layernorm.weight") + "final_layernorm";
    names.o = "self_attn.dense";
    names.up = "mlp.fc1";
    names.down = "mlp.fc2";
    return names;
}

/// The first published files of Phi-1.5 and Phi-2.
TensorNames phiMsftNames() {
    TensorNames names;
    names.embedding = "transformer.embd.wte";
    names.finalNorm = "lm_head.ln";
    names.head = "lm_head.linear";
    names.layerPrefix = "transformer.h.";
    names.attnNorm = "ln";
    names.qkv = "mixer.Wqkv";
    names.o = "mixer.out_proj";
    names.up = "mlp.fc1";
    names.down = "mlp.fc2";
    return names;
}

TensorNames gpt2Names(const Checkpoint& checkpoint) {
    const std::string prefix = presentPrefix(checkpoint, {"transformer.", ""}, "wte.weight");
    TensorNames names;
    names.embedding = prefix + "wte";
    names.positions = prefix + "wpe";
    names.finalNorm = prefix + "ln_f";
    names.head = "lm_head";
    names.layerPrefix = prefix + "h.";
    names.attnNorm = "ln_1";
    names.qkv = "attn.c_attn";
    names.o = "attn.c_proj";
    names.ffnNorm = "ln_2";
    names.up = "mlp.c_fc";
    names.down = "mlp.c_proj";
    names.transposed = true;
    return names;
}

}  // namespace

TensorNames tensorNames(const Checkpoint& checkpoint, const ModelSpec& spec) {
    if (checkpoint.format() == CheckpointFormat::Gguf) return ggufNames();
    if (spec.architecture == "gemma3") return gemmaNames(checkpoint);
    if (spec.architecture == "phi") return phiNames(checkpoint);
    if (spec.architecture == "phi-msft") return phiMsftNames();
    if (spec.architecture == "gpt2") return gpt2Names(checkpoint);
    return llamaNames(checkpoint);
}

}  // namespace lanescope
