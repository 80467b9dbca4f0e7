#pragma once
// Figures as JSON values, shared by the JSON export and the comparison.

#include <nlohmann/json.hpp>

#include "profiler/analyse/stats.h"

namespace lanescope::profiler {

using Json = nlohmann::ordered_json;

Json toJson(const Distribution& d);
Json toJson(const LaneStats& stats);
Json toJson(const Delta& delta);
Json toJson(const DeviceTiming& timing);
/// The parsed document, or the text itself when it is not JSON; null when empty.
Json documentOrText(const std::string& text);

}  // namespace lanescope::profiler
