#pragma once
// Reading fields of untrusted JSON without exceptions: a missing field or one of another kind gives
// the fallback.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::tokenizer {

/// The member, or null if there is none (or `entry` is no object).
inline const nlohmann::json& member(const nlohmann::json& entry, const char* name) {
    static const nlohmann::json kNull;
    if (!entry.is_object()) return kNull;
    const auto found = entry.find(name);
    return found == entry.end() ? kNull : *found;
}

inline bool boolField(const nlohmann::json& entry, const char* name, bool fallback) {
    const nlohmann::json& field = member(entry, name);
    return field.is_boolean() ? field.get<bool>() : fallback;
}

inline std::string textField(const nlohmann::json& entry, const char* name,
                             std::string_view fallback = {}) {
    const nlohmann::json& field = member(entry, name);
    return field.is_string() ? field.get_ref<const std::string&>() : std::string(fallback);
}

/// Any integer that fits in 64 bits with sign.
inline std::optional<std::int64_t> asInteger(const nlohmann::json& value) {
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
        return static_cast<std::int64_t>(number);
    }
    if (value.is_number_integer()) return value.get<std::int64_t>();
    return std::nullopt;
}

/// The "type" of a tokenizer.json component, for messages when there is none.
inline std::string typeOf(const nlohmann::json& entry) {
    return textField(entry, "type", "(no type)");
}

}  // namespace lanescope::tokenizer
