// A prompt of the plan turned into token ids. Who adds BOS is decided here once: chat and text get
// the one the vocabulary asks for, token lists get nothing.

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/mapped_file.h"
#include "engine/lane/run.h"
#include "engine/text/chat_template.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxPromptBytes = 16U << 20;

/// Byte offset of the first broken UTF-8 sequence; npos when all is well. Overlong forms and
/// surrogates count as broken.
std::size_t findBrokenUtf8(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        const auto byte = [&](std::size_t k) {
            return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
        };
        const unsigned lead = byte(0);
        std::size_t n = 1;
        unsigned least = 0x80, most = 0xBF;
        if (lead >= 0x80) {
            if (lead >= 0xC2 && lead <= 0xDF) {
                n = 2;
            } else if (lead >= 0xE0 && lead <= 0xEF) {
                n = 3;
                if (lead == 0xE0) least = 0xA0;
                if (lead == 0xED) most = 0x9F;
            } else if (lead >= 0xF0 && lead <= 0xF4) {
                n = 4;
                if (lead == 0xF0) least = 0x90;
                if (lead == 0xF4) most = 0x8F;
            } else {
                return i;
            }
            if (byte(1) < least || byte(1) > most) return i;
            for (std::size_t k = 2; k < n; ++k) {
                if (byte(k) < 0x80 || byte(k) > 0xBF) return i;
            }
        }
        i += n;
    }
    return std::string_view::npos;
}

Result<std::shared_ptr<const Tokenizer>> tokenizerOf(const Model& model) {
    if (model.tokenizer() != nullptr) return model.tokenizer();
    const std::string& why = model.tokenizerError();
    return unsupported("has no tokenizer that can be used" + (why.empty() ? "" : ": " + why),
                       model.checkpoint().path(), "give the prompt as token ids");
}

Result<PreparedPrompt> prepareChat(const PromptSpec& prompt, const Model& model,
                                   const Tokenizer& tokenizer, const ChatTemplate* chatTemplate) {
    if (chatTemplate == nullptr) chatTemplate = model.chatTemplate().get();
    if (chatTemplate == nullptr) {
        const std::string& why = model.chatTemplateError();
        return unsupported(why.empty() ? "has no chat template"
                                       : "has a chat template that cannot be used: " + why,
                           model.checkpoint().path(), "use text prompts or choose a template");
    }
    ChatInput input;
    if (!prompt.system.empty()) {
        input.messages.push_back({{"role", "system"}, {"content", prompt.system}});
    }
    input.messages.push_back({{"role", "user"}, {"content", prompt.value}});
    for (const char* name : {"bos_token", "eos_token", "pad_token", "unk_token"}) {
        if (std::string text = tokenizer.specialTokenText(name); !text.empty()) {
            input.variables[name] = std::move(text);
        }
    }
    auto segments = chatTemplate->render(input);
    if (!segments) return segments.error();
    auto tokens = encodeChat(tokenizer, *segments);
    if (!tokens) return tokens.error();
    return PreparedPrompt{joinSegments(*segments), std::move(*tokens)};
}

Result<PreparedPrompt> prepareText(std::string text, const Tokenizer& tokenizer) {
    auto tokens = tokenizer.encode(text, AddSpecial::Yes, SpecialTokens::Parse);
    if (!tokens) return tokens.error();
    return PreparedPrompt{std::move(text), std::move(*tokens)};
}

Result<PreparedPrompt> prepareFile(const PromptSpec& prompt, const std::string& baseDir,
                                   const Tokenizer& tokenizer) {
    const std::filesystem::path path = std::filesystem::path(baseDir) / prompt.value;
    auto text = readTextFile(path.string(), kMaxPromptBytes);
    if (!text) return text.error();
    if (const std::size_t broken = findBrokenUtf8(*text); broken != std::string::npos) {
        return badInput("is not UTF-8 text: byte " + std::to_string(broken) + " does not belong",
                        path.string(), "save it as UTF-8");
    }
    // A file is data: what looks like a control token in it stays text.
    auto tokens = tokenizer.encode(*text, AddSpecial::Yes, SpecialTokens::AsText);
    if (!tokens) return tokens.error();
    return PreparedPrompt{std::move(*text), std::move(*tokens)};
}

Result<PreparedPrompt> prepareTokens(const PromptSpec& prompt, const Model& model) {
    for (std::size_t i = 0; i < prompt.tokens.size(); ++i) {
        if (prompt.tokens[i] >= 0 && prompt.tokens[i] < model.spec().vocab) continue;
        return badInput("token " + std::to_string(prompt.tokens[i]) + " at position " +
                        std::to_string(i) + " is outside the vocabulary (0 to " +
                        std::to_string(model.spec().vocab - 1) + ")");
    }
    std::string text;
    if (model.tokenizer() != nullptr)
        text = model.tokenizer()->decode(prompt.tokens, SkipSpecial::No);
    return PreparedPrompt{std::move(text), prompt.tokens};
}

Result<PreparedPrompt> prepareByKind(const PromptSpec& prompt, const Model& model,
                                     const std::string& baseDir, const ChatTemplate* chatTemplate) {
    if (prompt.kind == PromptKind::Tokens) return prepareTokens(prompt, model);
    auto tokenizer = tokenizerOf(model);
    if (!tokenizer) return tokenizer.error();
    switch (prompt.kind) {
        case PromptKind::Chat:
            return prepareChat(prompt, model, **tokenizer, chatTemplate);
        case PromptKind::File:
            return prepareFile(prompt, baseDir, **tokenizer);
        default:
            return prepareText(prompt.value, **tokenizer);
    }
}

}  // namespace

Result<PreparedPrompt> preparePrompt(const PromptSpec& prompt, const Model& model,
                                     const std::string& baseDir, const ChatTemplate* chatTemplate) {
    auto prepared = prepareByKind(prompt, model, baseDir, chatTemplate);
    if (!prepared) return prepared;
    if (prepared->tokens.empty()) {
        return badInput("the prompt has no tokens", {}, "give some text");
    }
    for (const TokenId id : prepared->tokens) {
        // The tokenizer may know more ids than the embedding has rows.
        if (id >= 0 && id < model.spec().vocab) continue;
        return badInput("the tokenizer gives token " + std::to_string(id) + ", the embedding has " +
                            std::to_string(model.spec().vocab) + " rows",
                        model.checkpoint().path(), "tokenizer and weights do not belong together");
    }
    return prepared;
}

}  // namespace lanescope
