#pragma once
// Rendering in one line, for the tests of chat templates.

#include <nlohmann/json.hpp>
#include <string>

#include "engine/text/chat_template.h"

namespace lanescope::test {

/// 2024-07-26 09:05:07, a Friday: the reference's clock.
std::tm referenceTime();

/// A conversation as the reference data has it: messages, tools, add_generation_prompt, the rest
/// variables; plus special tokens.
ChatInput inputFrom(const nlohmann::ordered_json& conversation,
                    const nlohmann::ordered_json& special = nlohmann::ordered_json::object());

/// The rendered text, or "ERROR: " and the message.
std::string rendered(const std::string& source, const ChatInput& input);
/// With these variables and no messages.
std::string rendered(const std::string& source,
                     const nlohmann::ordered_json& variables = nlohmann::ordered_json::object());

nlohmann::ordered_json orderedJson(const std::string& path);

}  // namespace lanescope::test
