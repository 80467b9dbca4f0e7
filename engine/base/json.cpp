#include "engine/base/json.h"

namespace lanescope {

Result<nlohmann::json> parseJson(std::string_view text, const std::string& context, int maxDepth) {
    // Depth is checked by a plain scan first: the library's parser is iterative, but destroying a
    // deep value is not.
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                inString = false;
            }
        } else if (c == '"') {
            inString = true;
        } else if (c == '{' || c == '[') {
            if (++depth > maxDepth) {
                return badInput("JSON is nested more than " + std::to_string(maxDepth) +
                                    " deep at byte " + std::to_string(i),
                                context);
            }
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& e) {
        std::string what = e.what();
        if (const auto end = what.find("] "); what.starts_with('[') && end != std::string::npos) {
            what = what.substr(end + 2);
        }
        return badInput("is not valid JSON: " + what, context);
    }
}

std::string dumpJson(const nlohmann::json& value, int indent) {
    return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string dumpJson(const nlohmann::ordered_json& value, int indent) {
    return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace lanescope
