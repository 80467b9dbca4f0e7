#include "engine/model/spec.h"

#include <array>
#include <nlohmann/json.hpp>

#include "engine/model/spec_builders.h"

namespace lanescope {

namespace {

struct Family {
    std::string_view name;  ///< GGUF's general.architecture and config.json's model_type
    Result<ModelSpec> (*fromConfig)(const Checkpoint&);
    Result<ModelSpec> (*fromGguf)(const Checkpoint&);
};

constexpr std::array kFamilies{
    Family{"llama", llamaFromConfig, llamaFromGguf},
    Family{"qwen2", qwen2FromConfig, qwen2FromGguf},
};

std::string knownFamilies() {
    std::string names;
    for (const Family& family : kFamilies)
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
    if (const auto end = name.find("ForCausalLM"); end != std::string::npos) name.resize(end);
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
        if (family.name == architecture)
            return gguf ? family.fromGguf(checkpoint) : family.fromConfig(checkpoint);
    return unsupported("architecture \"" + architecture + "\" is not supported", checkpoint.path(),
                       "known are " + knownFamilies());
}

}  // namespace lanescope
