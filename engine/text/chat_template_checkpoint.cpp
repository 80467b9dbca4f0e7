// Where checkpoints keep their chat template: GGUF keys, chat_template.jinja,
// tokenizer_config.json.
#include <optional>

#include "engine/base/mapped_file.h"
#include "engine/text/chat_template.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxTemplateFile = std::size_t{1} << 20;

/// tokenizer.chat_template; else the variant named default; else the first one.
std::optional<ChatTemplateSource> fromGguf(const Checkpoint& checkpoint) {
    const std::string key = "tokenizer.chat_template";
    const Metadata& metadata = checkpoint.metadata();
    for (const std::string& name : {key, key + ".default"}) {
        if (const auto text = metadata.text(name)) {
            return ChatTemplateSource{std::string(*text), checkpoint.path() + ", " + name};
        }
    }
    for (const auto& [name, value] : metadata.items()) {
        const auto* text = std::get_if<std::string_view>(&value);
        if (text != nullptr && name.compare(0, key.size() + 1, key + ".") == 0) {
            return ChatTemplateSource{std::string(*text), checkpoint.path() + ", " + name};
        }
    }
    return std::nullopt;
}

/// A string, or a list of {"name", "template"} of which "default" (else the first) counts.
Result<std::optional<ChatTemplateSource>> fromConfig(const Checkpoint& checkpoint) {
    const nlohmann::json& config = checkpoint.tokenizerConfig();
    const std::string context = checkpoint.path() + ", tokenizer_config.json: chat_template";
    if (!config.is_object() || !config.contains("chat_template"))
        return std::optional<ChatTemplateSource>();
    const nlohmann::json& entry = config["chat_template"];
    if (entry.is_null()) return std::optional<ChatTemplateSource>();
    if (entry.is_string())
        return std::optional(ChatTemplateSource{entry.get<std::string>(), context});
    if (!entry.is_array()) {
        return badInput("is neither a text nor a list of named templates", context);
    }
    std::optional<ChatTemplateSource> found;
    for (std::size_t i = 0; i < entry.size(); ++i) {
        const nlohmann::json& item = entry[i];
        const auto isText = [&](const char* key) {
            return item.is_object() && item.contains(key) && item[key].is_string();
        };
        if (!isText("name") || !isText("template")) {
            return badInput("entry " + std::to_string(i) + " lacks a text \"name\" or \"template\"",
                            context);
        }
        const auto name = item["name"].get<std::string>();
        if (!found || name == "default") {
            found = ChatTemplateSource{item["template"].get<std::string>(),
                                       context + " \"" + name + "\""};
        }
        if (name == "default") break;
    }
    return found;
}

}  // namespace

Result<std::optional<ChatTemplateSource>> findChatTemplate(const Checkpoint& checkpoint) {
    if (checkpoint.format() == CheckpointFormat::Gguf) return fromGguf(checkpoint);
    if (checkpoint.chatTemplatePath().empty()) return fromConfig(checkpoint);
    auto text = readTextFile(checkpoint.chatTemplatePath(), kMaxTemplateFile);
    if (!text) return text.error();
    return std::optional(ChatTemplateSource{std::move(*text), checkpoint.chatTemplatePath()});
}

Result<std::shared_ptr<const ChatTemplate>> ChatTemplate::fromCheckpoint(
    const Checkpoint& checkpoint) {
    const auto found = findChatTemplate(checkpoint);
    if (!found) return found.error();
    if (!*found) return std::shared_ptr<const ChatTemplate>();
    return parse((*found)->source, (*found)->context);
}

}  // namespace lanescope
