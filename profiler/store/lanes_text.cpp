#include "profiler/store/lanes_text.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace lanescope::profiler {

namespace {

using Json = nlohmann::ordered_json;

std::string modelName(const std::string& model) {
    std::filesystem::path path(model);
    if (!path.has_filename()) path = path.parent_path();
    return path.has_filename() ? path.filename().string() : model;
}

std::string valueText(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string lanesText(std::span<const trace::LaneRecord> lanes) {
    std::vector<Json> settings;
    for (const auto& lane : lanes) {
        settings.push_back(Json::parse(lane.settingsJson, nullptr, false));
        if (!settings.back().is_object()) settings.back() = Json::object();
    }
    std::string out;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (!out.empty()) out += " | ";
        out += lanes[i].name + " " + modelName(lanes[i].model);
        for (const auto& [key, value] : settings[i].items()) {
            if (value.is_structured()) continue;
            for (const Json& other : settings) {
                const auto it = other.find(key);
                if (it == other.end() || *it == value) continue;
                out += ", " + key + " " + valueText(value);
                break;
            }
        }
    }
    return out;
}

}  // namespace lanescope::profiler
