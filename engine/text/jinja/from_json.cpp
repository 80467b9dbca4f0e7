#include "engine/text/jinja/from_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/text/utf8.h"

namespace lanescope::jinja {

Value fromJson(const nlohmann::ordered_json& json, bool fromInput, int level) {
    using Type = nlohmann::ordered_json::value_t;
    static constexpr std::array<std::string_view, 9> kRoles = {
        "system", "user",        "assistant", "tool",         "developer",
        "model",  "observation", "ipython",   "tool_response"};
    checkDepth(level);
    if (Budget* budget = currentBudget()) budget->step();
    switch (json.type()) {
        case Type::boolean:
            return Value::boolean(json.get<bool>());
        case Type::number_integer:
            return Value::integer(json.get<std::int64_t>());
        case Type::number_unsigned:
            return Value::integer(json.get<std::uint64_t>());
        case Type::number_float:
            return Value::real(json.get<double>());
        case Type::string: {
            const auto& text = json.get_ref<const std::string&>();
            return Value::string(utf8::repaired(text), fromInput);
        }
        case Type::array: {
            Values items;
            items.reserve(json.size());
            for (const auto& item : json) items.push_back(fromJson(item, fromInput, level + 1));
            return Value::list(std::move(items));
        }
        case Type::object: {
            auto dict = std::make_shared<Dict>();
            for (const auto& [key, item] : json.items()) {
                const bool role = key == "role" && item.is_string() &&
                                  std::find(kRoles.begin(), kRoles.end(),
                                            item.get_ref<const std::string&>()) != kRoles.end();
                dict->set(Value::string(utf8::repaired(key), fromInput),
                          fromJson(item, fromInput && !role, level + 1));
            }
            return Dict::seal(std::move(dict));
        }
        default:
            return Value::none();
    }
}

}  // namespace lanescope::jinja
