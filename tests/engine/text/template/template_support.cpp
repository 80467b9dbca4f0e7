#include "tests/engine/text/template/template_support.h"

#include "tests/support/golden.h"

namespace lanescope::test {

std::tm referenceTime() {
    std::tm time{};
    time.tm_year = 2024 - 1900;
    time.tm_mon = 6;
    time.tm_mday = 26;
    time.tm_hour = 9;
    time.tm_min = 5;
    time.tm_sec = 7;
    time.tm_wday = 5;
    time.tm_yday = 207;
    return time;
}

ChatInput inputFrom(const nlohmann::ordered_json& conversation,
                    const nlohmann::ordered_json& special) {
    ChatInput input;
    input.addGenerationPrompt = false;
    input.now = referenceTime();
    input.variables = special;
    for (const auto& [key, value] : conversation.items()) {
        if (key == "messages") {
            input.messages = value;
        } else if (key == "tools") {
            input.tools = value;
        } else if (key == "add_generation_prompt") {
            input.addGenerationPrompt = value.get<bool>();
        } else {
            input.variables[key] = value;
        }
    }
    return input;
}

std::string rendered(const std::string& source, const ChatInput& input) {
    const auto parsed = ChatTemplate::parse(source);
    if (!parsed) return "ERROR: " + parsed.error().message;
    const auto segments = (*parsed)->render(input);
    if (!segments) return "ERROR: " + segments.error().message;
    return joinSegments(*segments);
}

std::string rendered(const std::string& source, const nlohmann::ordered_json& variables) {
    ChatInput input;
    input.variables = variables;
    input.now = referenceTime();
    return rendered(source, input);
}

nlohmann::ordered_json orderedJson(const std::string& path) {
    return nlohmann::ordered_json::parse(readFile(path));
}

}  // namespace lanescope::test
