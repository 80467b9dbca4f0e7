#include "engine/text/tokenizer/side_files.h"

#include <utility>

#include "engine/text/tokenizer/json_fields.h"

namespace lanescope::tokenizer {

namespace {

using nlohmann::json;

/// Text of a token in tokenizer_config.json: "<s>" or {"content": "<s>", …}.
std::string tokenText(const json& config, const char* name) {
    const json& entry = member(config, name);
    return entry.is_string() ? entry.get<std::string>() : textField(entry, "content");
}

TokenId idOf(const Parts& parts, const std::string& text) {
    if (text.empty()) return -1;
    const AddedToken* token = parts.added.find(text);
    return token != nullptr ? token->id : parts.vocabulary->find(text);
}

void addEosIds(const json& config, Parts& parts) {
    const json& ids = member(config, "eos_token_id");
    if (const auto id = asInteger(ids)) parts.addEndOfGeneration(*id);
    if (!ids.is_array()) return;
    for (const json& item : ids) {
        if (const auto id = asInteger(item)) parts.addEndOfGeneration(*id);
    }
}

/// Classes that build their post-processor from add_bos_token, whatever tokenizer.json says.
bool addsBosByFlag(const json& config) {
    const std::string name = textField(config, "tokenizer_class");
    return name.starts_with("Llama") || name.starts_with("CodeLlama") ||
           name.starts_with("Gemma") || name.starts_with("Cohere");
}

}  // namespace

void readSpecialTokens(const SideFiles& side, Parts& parts) {
    for (const char* name : {"bos_token", "eos_token", "pad_token", "unk_token"}) {
        const std::string text = tokenText(side.tokenizerConfig, name);
        if (!text.empty()) parts.specialTexts[name] = text;
    }
    if (side.tokenizerConfig.is_object()) {
        parts.bos = idOf(parts, parts.specialTexts["bos_token"]);
    } else if (!parts.prefix.empty()) {
        parts.bos = parts.prefix.front();
        parts.specialTexts["bos_token"] = std::string(parts.vocabulary->text(parts.bos));
    }
    if (parts.prefix.empty() && parts.bos >= 0 && addsBosByFlag(side.tokenizerConfig) &&
        boolField(side.tokenizerConfig, "add_bos_token", false)) {
        parts.prefix.push_back(parts.bos);
    }
    parts.addEndOfGeneration(idOf(parts, parts.specialTexts["eos_token"]));
    addEosIds(side.generationConfig, parts);
    addEosIds(side.config, parts);
    parts.addKnownEndsOfGeneration();
}

AddedToken readAddedToken(const json& entry) {
    AddedToken token;
    token.content = textField(entry, "content");
    token.special = boolField(entry, "special", false);
    token.singleWord = boolField(entry, "single_word", false);
    token.lstrip = boolField(entry, "lstrip", false);
    token.rstrip = boolField(entry, "rstrip", false);
    token.normalized = boolField(entry, "normalized", !token.special);
    return token;
}

Error inFile(Error error, const std::string& path) {
    if (!error.context.empty() && error.context != path) error.message += ": " + error.context;
    error.context = path;
    return error;
}

}  // namespace lanescope::tokenizer
