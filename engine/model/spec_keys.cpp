#include "engine/model/spec_keys.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/format.h"

namespace lanescope {

namespace {

std::string numberText(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
    return formatNumber(value, 6);
}

}  // namespace

SpecKeys::SpecKeys(const Checkpoint& checkpoint, const nlohmann::json* config, std::string prefix,
                   std::string file)
    : m_checkpoint(checkpoint),
      m_config(config),
      m_prefix(std::move(prefix)),
      m_file(std::move(file)) {}

SpecKeys SpecKeys::config(const Checkpoint& checkpoint) {
    const nlohmann::json& root = checkpoint.config();
    const auto part = root.find("text_config");
    const bool nested = part != root.end() && part->is_object();
    return {checkpoint, nested ? &*part : &root, nested ? "text_config." : "",
            checkpoint.path() + ": config.json"};
}

SpecKeys SpecKeys::gguf(const Checkpoint& checkpoint, std::string_view architecture) {
    return {checkpoint, nullptr, std::string(architecture) + ".", checkpoint.path()};
}

std::string SpecKeys::fullKey(std::string_view key) const {
    return m_prefix + std::string(key);
}

bool SpecKeys::has(std::string_view key) const {
    if (m_config != nullptr) {
        const auto it = m_config->find(key);
        return it != m_config->end() && !it->is_null();
    }
    return m_checkpoint.metadata().find(fullKey(key)) != nullptr;
}

std::optional<std::int64_t> SpecKeys::findInteger(std::string_view key) const {
    if (m_config == nullptr) return m_checkpoint.metadata().integer(fullKey(key));
    const auto& value = m_config->at(std::string(key));
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
    if (!value.is_number_integer()) return std::nullopt;
    return value.get<std::int64_t>();
}

std::optional<double> SpecKeys::findNumber(std::string_view key) const {
    if (m_config == nullptr) return m_checkpoint.metadata().number(fullKey(key));
    const auto& value = m_config->at(std::string(key));
    if (!value.is_number()) return std::nullopt;
    return value.get<double>();
}

std::int64_t SpecKeys::count(std::string_view key, std::int64_t maximum,
                             std::optional<std::int64_t> fallback, std::int64_t minimum) {
    if (!has(key)) {
        if (!fallback) fail(badInput("key " + fullKey(key) + " is missing", m_file));
        return fallback.value_or(1);
    }
    const auto value = findInteger(key);
    if (!value) {
        fail(badInput("key " + fullKey(key) + " is not one whole number", m_file));
        return 1;
    }
    if (*value < minimum || *value > maximum) {
        fail(badInput("key " + fullKey(key) + " is " + std::to_string(*value) +
                          ", it must be between " + std::to_string(minimum) + " and " +
                          std::to_string(maximum),
                      m_file));
        return 1;
    }
    return *value;
}

double SpecKeys::positive(std::string_view key, std::optional<double> fallback) {
    if (!has(key)) {
        if (!fallback) fail(badInput("key " + fullKey(key) + " is missing", m_file));
        return fallback.value_or(1.0);
    }
    const auto value = findNumber(key);
    if (!value || !std::isfinite(*value) || *value <= 0.0) {
        fail(badInput("key " + fullKey(key) + " is " +
                          (value ? numberText(*value) : std::string("not a number")) +
                          ", it must be above 0",
                      m_file));
        return 1.0;
    }
    return *value;
}

bool SpecKeys::flag(std::string_view key, bool fallback) {
    if (!has(key)) return fallback;
    std::optional<bool> value;
    if (m_config != nullptr) {
        const auto& json = m_config->at(std::string(key));
        if (json.is_boolean()) value = json.get<bool>();
    } else {
        value = m_checkpoint.metadata().boolean(fullKey(key));
    }
    if (!value) fail(badInput("key " + fullKey(key) + " is not true or false", m_file));
    return value.value_or(fallback);
}

std::string SpecKeys::text(std::string_view key, std::string_view fallback) {
    if (!has(key)) return std::string(fallback);
    if (m_config != nullptr) {
        const auto& json = m_config->at(std::string(key));
        if (json.is_string()) return json.get<std::string>();
    } else if (const auto value = m_checkpoint.metadata().text(fullKey(key))) {
        return std::string(*value);
    }
    fail(badInput("key " + fullKey(key) + " is not a text", m_file));
    return std::string(fallback);
}

kernels::Activation SpecKeys::activation(std::string_view key, std::string_view fallback) {
    struct Name {
        std::string_view text;
        kernels::Activation kind;
    };
    static constexpr std::array kNames{Name{"silu", kernels::Activation::Silu},
                                       Name{"swish", kernels::Activation::Silu},
                                       Name{"gelu", kernels::Activation::GeluErf},
                                       Name{"gelu_new", kernels::Activation::GeluTanh},
                                       Name{"gelu_fast", kernels::Activation::GeluTanh},
                                       Name{"gelu_pytorch_tanh", kernels::Activation::GeluTanh}};
    const std::string wanted = text(key, fallback);
    std::string known;
    for (const Name& name : kNames) {
        if (name.text == wanted) return name.kind;
        known += (known.empty() ? "" : ", ") + std::string(name.text);
    }
    fail(unsupported("key " + fullKey(key) + ": activation \"" + wanted + "\" is not supported",
                     m_file, "known are " + known));
    return kernels::Activation::Silu;
}

void SpecKeys::fail(Error error) {
    if (!m_error) m_error = std::move(error);
}

Result<void> checkShapes(const ModelSpec& spec, const std::string& file) {
    if (spec.nHeads % spec.nKvHeads != 0)
        return badInput(std::to_string(spec.nHeads) + " attention heads cannot share " +
                            std::to_string(spec.nKvHeads) + " key-value heads evenly",
                        file);
    if (spec.headDim % 2 != 0 || spec.rotaryDim % 2 != 0 || spec.rotaryDim > spec.headDim)
        return unsupported("heads of " + std::to_string(spec.headDim) + " elements with " +
                               std::to_string(spec.rotaryDim) +
                               " rotary ones: both must be even, and no more rotary than all",
                           file);
    return {};
}

}  // namespace lanescope
