// `info MODEL`: what a checkpoint is, without running it.

#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "engine/base/format.h"
#include "engine/decode/settings.h"
#include "engine/lane/run.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;

ordered_json tensorTypes(const Checkpoint& checkpoint) {
    std::map<std::string, std::int64_t> counts;
    for (const TensorView& tensor : checkpoint.tensors()) {
        ++counts[std::string(kernels::info(tensor.dtype).name)];
    }
    ordered_json out = ordered_json::object();
    for (const auto& [name, n] : counts) out[name] = n;
    return out;
}

/// What sets an architecture apart; plain things are left out.
void addParticulars(const ModelSpec& spec, const Model& model, ordered_json& out) {
    if (spec.rotaryDim != spec.headDim && spec.learnedPositions == 0)
        out["rotaryDim"] = spec.rotaryDim;
    if (spec.learnedPositions > 0) out["learnedPositions"] = spec.learnedPositions;
    if (spec.slidingWindow > 0) {
        out["slidingWindow"] = spec.slidingWindow;
        std::int64_t windowed = 0;
        for (int i = 0; i < static_cast<int>(spec.nLayers); ++i) windowed += spec.window(i) > 0;
        out["windowedLayers"] = windowed;
    }
    if (!spec.localRopeInvFreq.empty()) {
        out["localRopeTheta"] = spec.localRopeTheta;
        out["localRopeScaling"] = spec.localRopeScaling;
    }
    if (spec.embeddingScale != 1.0F) out["embeddingScale"] = spec.embeddingScale;
    if (spec.residualScale != 1.0F) out["residualScale"] = spec.residualScale;
    if (spec.logitScale != 1.0F) out["logitScale"] = spec.logitScale;
    if (spec.queryScale > 0.0F) out["attentionScale"] = spec.queryScale;
    if (spec.attentionSoftcap > 0.0F) out["attentionSoftcap"] = spec.attentionSoftcap;
    if (spec.logitSoftcap > 0.0F) out["logitSoftcap"] = spec.logitSoftcap;
    if (model.copiedBytes() > 0) out["copiedBytes"] = model.copiedBytes();
}

/// "rms norm, gated silu mlp, qk norm": the shape of a layer in words.
std::string blockText(const ModelSpec& spec) {
    static constexpr const char* kActivations[] = {"silu", "gelu (tanh)", "gelu (erf)"};
    std::string text = spec.normKind == NormKind::Layer ? "layer norm" : "rms norm";
    text += std::string(", ") + (spec.mlp == MlpKind::Gated ? "gated " : "") +
            kActivations[static_cast<std::size_t>(spec.activation)] + " mlp";
    if (spec.postNorms) text += ", norms after each half";
    if (spec.qkNorm) text += ", q and k norms";
    if (spec.block == BlockKind::Parallel) text += ", attention and mlp in parallel";
    return text;
}

ordered_json describe(const Model& model, const std::string& path, const std::string& kv) {
    const ModelSpec& spec = model.spec();
    const ParameterCounts& parts = model.parameters();
    ordered_json out;
    out["path"] = path;
    out["format"] = model.checkpoint().format() == CheckpointFormat::Gguf ? "gguf" : "huggingface";
    out["architecture"] = spec.architecture;
    out["parameters"] = parts.total();
    out["parametersByPart"] = {{"embedding", parts.embedding},
                               {"attention", parts.attention},
                               {"mlp", parts.mlp},
                               {"norms", parts.norms},
                               {"head", parts.head}};
    out["layers"] = spec.nLayers;
    out["dim"] = spec.dim;
    out["ffnDim"] = spec.ffnDim;
    out["heads"] = spec.nHeads;
    out["kvHeads"] = spec.nKvHeads;
    out["headDim"] = spec.headDim;
    out["vocab"] = spec.vocab;
    out["contextLength"] = spec.contextLength;
    out["block"] = blockText(spec);
    if (spec.learnedPositions == 0) {
        out["ropeTheta"] = spec.ropeTheta;
        out["ropeScaling"] = spec.ropeScaling;
    }
    addParticulars(spec, model, out);
    out["tiedHead"] = spec.tiedHead;
    out["fileBytes"] = model.checkpoint().fileBytes();
    out["weightBytes"] = model.weightBytes();
    out["kv"] = kv;
    EngineSettings settings;
    settings.kvKeys = settings.kvValues = *kvFormat(kv);
    out["kvBytesPerToken"] = kvLayout(spec, settings).bytesPerToken();
    out["tensorTypes"] = tensorTypes(model.checkpoint());
    if (model.tokenizer() != nullptr) {
        out["tokenizer"] = model.tokenizer()->kind();
        out["tokenizerVocab"] = model.tokenizer()->vocabSize();
    } else {
        out["tokenizer"] = nullptr;
        out["tokenizerError"] = model.tokenizerError();
    }
    out["hasChatTemplate"] = model.chatTemplate() != nullptr;
    if (!model.chatTemplateError().empty()) out["chatTemplateError"] = model.chatTemplateError();
    out["loadMs"] = model.loadMs();
    return out;
}

std::string asTable(const ordered_json& facts) {
    std::string out;
    for (const auto& [key, value] : facts.items()) {
        std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        if (key.ends_with("Bytes") || key == "kvBytesPerToken") {
            text += " (" + formatBytes(value.get<std::uint64_t>()) + ")";
        }
        out.append(key)
            .append(key.size() < 18 ? 18 - key.size() : 1, ' ')
            .append(text)
            .append("\n");
    }
    return forTerminal(out);
}

}  // namespace

Result<int> runInfo(const InfoArgs& args) {
    ModelStore models;
    auto path = ModelStore::resolve(args.model);
    if (!path) return path.error();
    auto model = models.get(*path);
    if (!model) return model.error();
    const ordered_json facts = describe(**model, *path, args.kv);
    auto done = args.output == OutputKind::Json ? printJson(facts) : print(asTable(facts));
    if (!done) return done.error();
    return 0;
}

}  // namespace lanescope::cli
