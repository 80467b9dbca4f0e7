#pragma once
// Chat templates: the Jinja subset that published models use, run with limits. A template is
// untrusted input: loops, depth, output and time are bounded, and what came from the messages is
// told apart from what the template wrote, so that a user's "<|im_end|>" never becomes a control
// token.

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/tokenizer.h"

namespace lanescope {

/// What a template is rendered with.
struct ChatInput {
    nlohmann::ordered_json messages =
        nlohmann::ordered_json::array();  ///< [{"role", "content"}, …]
    nlohmann::ordered_json tools;         ///< null: none
    bool addGenerationPrompt = true;
    nlohmann::ordered_json variables =
        nlohmann::ordered_json::object();  ///< bos_token, eos_token … and any further ones
    std::optional<std::tm> now;            ///< local time for strftime_now; absent: the clock's
};

/// A stretch of rendered text. fromInput: its characters came out of messages, tools or variables
/// given by a person.
struct ChatSegment {
    std::string text;
    bool fromInput = false;
};

class ChatTemplate {
  public:
    /// Compiles a template. Errors: BadInput with line and what is not understood.
    static Result<std::shared_ptr<const ChatTemplate>> parse(
        std::string_view source, const std::string& context = "chat template");
    /// The checkpoint's own template (GGUF key, tokenizer_config.json or chat_template.jinja); null
    /// if it has none.
    static Result<std::shared_ptr<const ChatTemplate>> fromCheckpoint(const Checkpoint& checkpoint);

    virtual ~ChatTemplate() = default;
    /// Errors: BadInput with the template's own words for raise_exception, or line and cause; a
    /// limit that was hit is named.
    [[nodiscard]] virtual Result<std::vector<ChatSegment>> render(const ChatInput& input) const = 0;
    [[nodiscard]] virtual const std::string& source() const = 0;
};

/// A template as a checkpoint keeps it. context: the file and key it came from, for messages.
struct ChatTemplateSource {
    std::string source;
    std::string context;
};

/// The checkpoint's own template, not yet compiled: chat_template.jinja before
/// tokenizer_config.json; of several named ones "default", else the first. Errors: BadInput.
Result<std::optional<ChatTemplateSource>> findChatTemplate(const Checkpoint& checkpoint);

/// Joins segments to the plain text.
std::string joinSegments(const std::vector<ChatSegment>& segments);

/// Tokenises rendered chat: template text with special tokens parsed, message text as plain text;
/// exactly one BOS.
Result<std::vector<TokenId>> encodeChat(const Tokenizer& tokenizer,
                                        const std::vector<ChatSegment>& segments);

}  // namespace lanescope
