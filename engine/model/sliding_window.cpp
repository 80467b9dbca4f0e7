#include "engine/model/sliding_window.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/model/spec_keys.h"

namespace lanescope {

namespace {

std::vector<bool> layersByRule(const WindowRule& rule, std::int64_t nLayers) {
    std::vector<bool> windowed(static_cast<std::size_t>(nLayers));
    for (std::int64_t i = 0; i < nLayers; ++i)
        windowed[static_cast<std::size_t>(i)] =
            i >= rule.firstWindowed && (rule.fullEvery == 0 || (i + 1) % rule.fullEvery != 0);
    return windowed;
}

/// One spelling for each meaning: no list where all layers are windowed, no window where none is.
void set(ModelSpec& spec, std::int64_t window, std::vector<bool> layers) {
    const bool any = std::find(layers.begin(), layers.end(), true) != layers.end();
    const bool all = std::find(layers.begin(), layers.end(), false) == layers.end();
    spec.slidingWindow = any ? window : 0;
    spec.windowedLayers = any && !all ? std::move(layers) : std::vector<bool>();
}

/// layer_types: one name a layer.
std::vector<bool> readLayerTypes(const nlohmann::json& types, const ModelSpec& spec,
                                 SpecKeys& keys) {
    std::vector<bool> windowed;
    const std::string key = keys.fullKey("layer_types");
    if (!types.is_array() || std::ssize(types) != spec.nLayers) {
        keys.fail(badInput("key " + key + " names " +
                               std::to_string(types.is_array() ? types.size() : 0) +
                               " layers, the model has " + std::to_string(spec.nLayers),
                           keys.file()));
        return windowed;
    }
    for (const nlohmann::json& type : types) {
        const std::string name = type.is_string() ? type.get<std::string>() : type.dump();
        if (name != "full_attention" && name != "sliding_attention")
            keys.fail(unsupported("key " + key + ": \"" + name + "\" is not supported", keys.file(),
                                  "known are full_attention and sliding_attention"));
        windowed.push_back(name == "sliding_attention");
    }
    return windowed;
}

}  // namespace

Result<void> applyWindowFromConfig(const Checkpoint& checkpoint, const WindowRule& rule,
                                   ModelSpec& spec) {
    SpecKeys keys = SpecKeys::config(checkpoint);
    std::vector<bool> layers = keys.has("layer_types")
                                   ? readLayerTypes(keys.object()["layer_types"], spec, keys)
                                   : layersByRule(rule, spec.nLayers);
    std::int64_t window = rule.defaultWindow;
    if (keys.has("sliding_window")) window = keys.count("sliding_window", kMaxContext);
    if (keys.error()) return *keys.error();
    if (window == 0 && keys.has("layer_types") &&
        std::find(layers.begin(), layers.end(), true) != layers.end())
        return badInput("key " + keys.fullKey("layer_types") +
                            " asks for sliding_attention, but sliding_window is missing",
                        keys.file());
    set(spec, window, std::move(layers));
    return {};
}

Result<void> applyWindowFromGguf(const Checkpoint& checkpoint, const WindowRule& rule,
                                 ModelSpec& spec) {
    SpecKeys keys = SpecKeys::gguf(checkpoint, spec.architecture);
    if (!keys.has("attention.sliding_window")) return {};
    const std::int64_t window = keys.count("attention.sliding_window", kMaxContext);
    const std::string key = keys.fullKey("attention.sliding_window_pattern");
    const MetaValue* pattern = checkpoint.metadata().find(key);
    std::vector<bool> layers;
    if (pattern == nullptr) {
        layers = layersByRule(rule, spec.nLayers);
    } else if (const auto* flags = std::get_if<std::vector<bool>>(pattern)) {
        layers = *flags;
        if (std::ssize(layers) != spec.nLayers)
            keys.fail(badInput("key " + key + " has " + std::to_string(layers.size()) +
                                   " flags, the model has " + std::to_string(spec.nLayers) +
                                   " layers",
                               keys.file()));
    } else {
        layers =
            layersByRule({.fullEvery = keys.count("attention.sliding_window_pattern", kMaxLayers)},
                         spec.nLayers);
    }
    if (keys.error()) return *keys.error();
    set(spec, window, std::move(layers));
    return {};
}

}  // namespace lanescope
