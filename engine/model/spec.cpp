#include "engine/model/spec.h"

#include <array>
#include <nlohmann/json.hpp>

#include "engine/model/spec_builders.h"

namespace lanescope {

namespace {

using Builder = Result<ModelSpec> (*)(const Checkpoint&);

/// name: config.json's model_type and GGUF's general.architecture. A null builder: the format has
/// no such name.
struct Family {
    std::string_view name;
    Builder fromConfig;
    Builder fromGguf;
    [[nodiscard]] Builder from(CheckpointFormat format) const {
        return format == CheckpointFormat::Gguf ? fromGguf : fromConfig;
    }
};

constexpr std::array kFamilies{
    Family{"llama", llamaFromConfig, llamaFromGguf},
    Family{"mistral", mistralFromConfig, mistralFromGguf},
    Family{"qwen2", qwen2FromConfig, qwen2FromGguf},
    Family{"qwen3", qwen3FromConfig, qwen3FromGguf},
    Family{"phi", phiFromConfig, nullptr},
    Family{"phi-msft", phiMsftFromConfig, nullptr},
    Family{"phi2", nullptr, phi2FromGguf},
    Family{"minicpm", minicpmFromConfig, minicpmFromGguf},
    Family{"gemma3", gemma3FromConfig, gemma3FromGguf},
    Family{"gemma3_text", gemma3FromConfig, nullptr},
    Family{"gpt2", gpt2FromConfig, gpt2FromGguf},
};

std::string knownFamilies(CheckpointFormat format) {
    std::string names;
    for (const Family& family : kFamilies)
        if (family.from(format) != nullptr)
            names += (names.empty() ? "" : ", ") + std::string(family.name);
    return names;
}

/// "llama"; config.json without model_type is told by its class: "LlamaForCausalLM".
std::string architectureOf(const Checkpoint& checkpoint) {
    if (checkpoint.format() == CheckpointFormat::Gguf)
        return std::string(checkpoint.metadata().text("general.architecture").value_or(""));
    const nlohmann::json& config = checkpoint.config();
    if (!config.is_object()) return {};
    if (const auto it = config.find("model_type"); it != config.end() && it->is_string())
        return it->get<std::string>();
    const auto classes = config.find("architectures");
    if (classes == config.end() || !classes->is_array() || classes->empty() ||
        !classes->front().is_string())
        return {};
    std::string name = classes->front().get<std::string>();
    for (const char* kind : {"ForCausalLM", "LMHeadModel"})
        if (const auto end = name.find(kind); end != std::string::npos) name.resize(end);
    for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return name;
}

}  // namespace

Result<ModelSpec> buildSpec(const Checkpoint& checkpoint) {
    const bool gguf = checkpoint.format() == CheckpointFormat::Gguf;
    const std::string architecture = architectureOf(checkpoint);
    if (architecture.empty())
        return badInput(gguf ? "key general.architecture is missing"
                             : "config.json has neither model_type nor architectures",
                        checkpoint.path());
    for (const Family& family : kFamilies)
        if (family.name == architecture && family.from(checkpoint.format()) != nullptr)
            return family.from(checkpoint.format())(checkpoint);
    return unsupported("architecture \"" + architecture + "\" is not supported", checkpoint.path(),
                       "known are " + knownFamilies(checkpoint.format()));
}

}  // namespace lanescope
