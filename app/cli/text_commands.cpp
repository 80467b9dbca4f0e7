// `tokenize`, `detokenize`, `template`: the text side of a model, without its weights.

#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/lane_engine.h"
#include "engine/base/json.h"
#include "engine/base/mapped_file.h"
#include "engine/text/chat_template.h"
#include "engine/text/tokenizer.h"

namespace lanescope::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kMaxTextBytes = 1U << 30;
constexpr std::size_t kMaxTemplateBytes = 4U << 20;
constexpr std::size_t kMaxMessagesBytes = 64U << 20;

Result<std::shared_ptr<const Tokenizer>> openTokenizer(const std::string& source) {
    auto path = ModelStore::resolve(source);
    if (!path) return path.error();
    if (path->ends_with(".json") || path->ends_with(".model")) return Tokenizer::fromFile(*path);
    std::error_code ec;
    if (fs::is_directory(*path, ec) && !fs::exists(fs::path(*path) / "config.json", ec) &&
        fs::exists(fs::path(*path) / "tokenizer.json", ec)) {
        return Tokenizer::fromFile((fs::path(*path) / "tokenizer.json").string());
    }
    auto checkpoint = Checkpoint::open(*path);
    if (!checkpoint) return checkpoint.error();
    return Tokenizer::fromCheckpoint(**checkpoint);
}

std::string joinIds(const std::vector<TokenId>& ids) {
    std::string out;
    for (const TokenId id : ids) out += (out.empty() ? "" : ",") + std::to_string(id);
    return out;
}

/// A chat as the file gives it. Keys keep their order: templates print tools as JSON.
Result<ordered_json> readMessages(const std::string& path) {
    auto text = readInput(path, kMaxMessagesBytes);
    if (!text) return text.error();
    if (auto checked = parseJson(*text, path); !checked) return checked.error();
    return ordered_json::parse(*text, nullptr, false);
}

Result<ChatInput> chatInput(ordered_json file, const std::string& path, const Tokenizer* tokenizer,
                            bool addGenerationPrompt) {
    ChatInput input;
    input.addGenerationPrompt = false;  // as the reference library does
    input.variables["documents"] = nullptr;
    if (tokenizer != nullptr) {
        for (const char* name : {"bos_token", "eos_token", "pad_token", "unk_token"}) {
            if (std::string text = tokenizer->specialTokenText(name); !text.empty()) {
                input.variables[name] = std::move(text);
            }
        }
    }
    if (file.is_array()) file = ordered_json{{"messages", std::move(file)}};
    if (!file.is_object() || !file.contains("messages") || !file["messages"].is_array()) {
        return badInput("must be a list of messages, or an object with a list \"messages\"", path);
    }
    for (auto& [key, value] : file.items()) {
        if (key == "messages") {
            input.messages = std::move(value);
        } else if (key == "tools") {
            input.tools = std::move(value);
        } else if (key == "add_generation_prompt") {
            if (!value.is_boolean()) {
                return badInput("add_generation_prompt: must be true or false", path);
            }
            input.addGenerationPrompt = value.get<bool>();
        } else if (key == "special") {
            if (!value.is_object()) return badInput("special: must be an object", path);
            for (auto& [name, text] : value.items()) input.variables[name] = std::move(text);
        } else {
            input.variables[key] = std::move(value);
        }
    }
    input.addGenerationPrompt = input.addGenerationPrompt || addGenerationPrompt;
    return input;
}

struct TemplateSource {
    std::shared_ptr<const ChatTemplate> chatTemplate;
    std::shared_ptr<const Tokenizer> tokenizer;  ///< null: a template on its own
};

Result<TemplateSource> openTemplate(const TemplateArgs& args) {
    TemplateSource source;
    if (!args.templateFile.empty()) {
        auto text = readTextFile(args.templateFile, kMaxTemplateBytes);
        if (!text) return text.error();
        auto parsed = ChatTemplate::parse(*text, args.templateFile);
        if (!parsed) return parsed.error();
        source.chatTemplate = *parsed;
        if (args.model.empty()) return source;
    }
    auto path = ModelStore::resolve(args.model);
    if (!path) return path.error();
    auto checkpoint = Checkpoint::open(*path);
    if (!checkpoint) return checkpoint.error();
    if (auto tokenizer = Tokenizer::fromCheckpoint(**checkpoint); tokenizer) {
        source.tokenizer = *tokenizer;
    } else {
        note("note: no special tokens for the template: " + tokenizer.error().toString());
    }
    if (source.chatTemplate != nullptr) return source;
    auto own = ChatTemplate::fromCheckpoint(**checkpoint);
    if (!own) return own.error();
    if (*own == nullptr) {
        return unsupported("has no chat template", *path, "give one with --template FILE");
    }
    source.chatTemplate = *own;
    return source;
}

}  // namespace

Result<int> runTokenize(const TokenizeArgs& args) {
    auto tokenizer = openTokenizer(args.source);
    if (!tokenizer) return tokenizer.error();
    std::string text = args.text;
    if (!args.file.empty()) {
        auto read = readInput(args.file, kMaxTextBytes);
        if (!read) return read.error();
        text = std::move(*read);
    }
    auto tokens = (*tokenizer)
                      ->encode(text, args.addBos ? AddSpecial::Yes : AddSpecial::No,
                               args.parseSpecial ? SpecialTokens::Parse : SpecialTokens::AsText);
    if (!tokens) return tokens.error();
    if (args.output == OutputKind::Text) {
        if (auto ok = print(joinIds(*tokens) + "\n"); !ok) return ok.error();
        return 0;
    }
    ordered_json out;
    out["tokens"] = *tokens;
    out["pieces"] = ordered_json::array();
    for (const TokenId id : *tokens) out["pieces"].push_back((*tokenizer)->tokenBytes(id));
    if (auto ok = printJson(out); !ok) return ok.error();
    return 0;
}

Result<int> runDetokenize(const DetokenizeArgs& args) {
    auto tokenizer = openTokenizer(args.source);
    if (!tokenizer) return tokenizer.error();
    const std::int32_t vocab = (*tokenizer)->vocabSize();
    for (std::size_t i = 0; i < args.tokens.size(); ++i) {
        if (args.tokens[i] >= 0 && args.tokens[i] < vocab) continue;
        return usageError("token " + std::to_string(args.tokens[i]) + " at position " +
                          std::to_string(i) + " is outside the vocabulary (0 to " +
                          std::to_string(vocab - 1) + ")");
    }
    const std::string text =
        (*tokenizer)->decode(args.tokens, args.skipSpecial ? SkipSpecial::Yes : SkipSpecial::No);
    auto ok = args.output == OutputKind::Json
                  ? printJson({{"text", text}})
                  : print((stdoutIsTerminal() ? forTerminal(text) : text) + "\n");
    if (!ok) return ok.error();
    return 0;
}

Result<int> runTemplate(const TemplateArgs& args) {
    auto source = openTemplate(args);
    if (!source) return source.error();
    auto file = readMessages(args.messagesFile);
    if (!file) return file.error();
    auto input = chatInput(std::move(*file), args.messagesFile, source->tokenizer.get(),
                           args.addGenerationPrompt);
    if (!input) return input.error();
    auto segments = source->chatTemplate->render(*input);
    if (!segments) return segments.error();
    const std::string text = joinSegments(*segments);
    auto ok = args.output == OutputKind::Json
                  ? printJson({{"text", text}})
                  : print(stdoutIsTerminal() ? forTerminal(text) + "\n" : text);
    if (!ok) return ok.error();
    return 0;
}

}  // namespace lanescope::cli
