#include "engine/model/rope_scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numbers>

#include "engine/base/format.h"
#include "engine/model/spec_keys.h"

namespace lanescope {

namespace {

/// Dimension whose wave turns `rotations` times over the original context (arXiv 2309.00071, eq.
/// 22).
double correctionDim(double rotations, const ModelSpec& spec, double originalContext) {
    return static_cast<double>(spec.rotaryDim) *
           std::log(originalContext / (rotations * 2.0 * std::numbers::pi)) /
           (2.0 * std::log(spec.ropeTheta));
}

double yarnMscale(double factor, double mscale) {
    return factor <= 1.0 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
}

/// How much of each frequency stays unscaled: 1 for fast dimensions, 0 for slow ones.
std::vector<double> yarnKeep(const RopeScaling& scaling, const ModelSpec& spec) {
    double low = correctionDim(scaling.betaFast, spec, scaling.originalContext);
    double high = correctionDim(scaling.betaSlow, spec, scaling.originalContext);
    if (scaling.truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, static_cast<double>(spec.rotaryDim - 1));
    if (low == high) high += 0.001;
    std::vector<double> keep(static_cast<std::size_t>(spec.rotaryDim / 2));
    for (std::size_t i = 0; i < keep.size(); ++i)
        keep[i] = 1.0 - std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    return keep;
}

/// Llama 3.1's piecewise rule: long waves are slowed, short ones kept, those between blended.
double llama3Frequency(const RopeScaling& scaling, double frequency) {
    const double wave = 2.0 * std::numbers::pi / frequency;
    const double longest = scaling.originalContext / scaling.lowFreqFactor;
    const double shortest = scaling.originalContext / scaling.highFreqFactor;
    if (wave > longest) return frequency / scaling.factor;
    if (wave < shortest) return frequency;
    const double smooth = (scaling.originalContext / wave - scaling.lowFreqFactor) /
                          (scaling.highFreqFactor - scaling.lowFreqFactor);
    return (1.0 - smooth) * frequency / scaling.factor + smooth * frequency;
}

double yarnAttentionFactor(const RopeScaling& scaling) {
    if (scaling.attentionFactor > 0.0) return scaling.attentionFactor;
    if (scaling.mscale > 0.0 && scaling.mscaleAllDim > 0.0)
        return yarnMscale(scaling.factor, scaling.mscale) /
               yarnMscale(scaling.factor, scaling.mscaleAllDim);
    return yarnMscale(scaling.factor, 1.0);
}

/// A number of the scaling object; absent or null: the fallback.
double numberOr(const nlohmann::json& object, const char* key, double fallback, SpecKeys& keys) {
    const auto it = object.find(key);
    if (it == object.end() || it->is_null()) return fallback;
    const double value = it->is_number() ? it->get<double>() : -1.0;
    if (!std::isfinite(value) || value <= 0.0)
        keys.fail(badInput(std::string("rope scaling: ") + key + " must be a number above 0",
                           keys.file()));
    return value;
}

Error unknownScaling(const std::string& kind, const std::string& file) {
    return unsupported("rope scaling \"" + kind + "\" is not supported", file,
                       "known are default, linear, dynamic, llama3 and yarn");
}

RopeScaling readScalingObject(const nlohmann::json& object, const ModelSpec& spec, SpecKeys& keys) {
    RopeScaling scaling;
    const auto kindOf = [&](const char* key) -> const nlohmann::json* {
        const auto it = object.find(key);
        return it != object.end() && it->is_string() ? &*it : nullptr;
    };
    // "type" is the spelling of configs before transformers 4.43.
    const auto* kind = kindOf("rope_type") != nullptr ? kindOf("rope_type") : kindOf("type");
    if (kind == nullptr) {
        if (object.contains("factor"))
            keys.fail(badInput("rope scaling has a factor but no rope_type", keys.file()));
        return scaling;
    }
    scaling.kind = kind->get<std::string>();
    if (scaling.kind == "default") scaling.kind = "none";
    if (scaling.kind == "none") return scaling;
    static constexpr std::array kKnown{"linear", "dynamic", "llama3", "yarn"};
    if (std::find(kKnown.begin(), kKnown.end(), scaling.kind) == kKnown.end()) {
        keys.fail(unknownScaling(scaling.kind, keys.file()));
        return scaling;
    }
    const auto context = static_cast<double>(spec.contextLength);
    // Dynamic NTK measures against max_position_embeddings, whatever else is written there.
    const double original =
        scaling.kind == "dynamic"
            ? context
            : numberOr(object, "original_max_position_embeddings", context, keys);
    scaling.originalContext = original;
    const bool hasFactor = object.contains("factor") && !object["factor"].is_null();
    if (!hasFactor && scaling.kind != "yarn")
        keys.fail(badInput("rope scaling \"" + scaling.kind + "\" has no factor", keys.file()));
    scaling.factor = numberOr(object, "factor", context / original, keys);
    scaling.lowFreqFactor = numberOr(object, "low_freq_factor", 1.0, keys);
    scaling.highFreqFactor = numberOr(object, "high_freq_factor", 4.0, keys);
    scaling.betaFast = numberOr(object, "beta_fast", 32.0, keys);
    scaling.betaSlow = numberOr(object, "beta_slow", 1.0, keys);
    scaling.attentionFactor = numberOr(object, "attention_factor", 0.0, keys);
    scaling.mscale = numberOr(object, "mscale", 0.0, keys);
    scaling.mscaleAllDim = numberOr(object, "mscale_all_dim", 0.0, keys);
    if (const auto it = object.find("truncate"); it != object.end() && it->is_boolean())
        scaling.truncate = it->get<bool>();
    return scaling;
}

const nlohmann::json* objectAt(const nlohmann::json& config, const char* key) {
    const auto it = config.find(key);
    return it != config.end() && it->is_object() ? &*it : nullptr;
}

/// rope_parameters: one object, or one for each kind of layer.
const nlohmann::json* ropeParameters(const nlohmann::json& config, const char* layerKind) {
    const nlohmann::json* all = objectAt(config, "rope_parameters");
    const nlohmann::json* own = all != nullptr ? objectAt(*all, layerKind) : nullptr;
    return own != nullptr ? own : all;
}

void checkTheta(const char* key, double theta, SpecKeys& keys) {
    if (theta <= 1.0)
        keys.fail(badInput(
            "key " + keys.fullKey(key) + " is " + formatNumber(theta, 4) + ", it must be above 1",
            keys.file()));
}

/// rope_freqs.weight: [rotaryDim / 2] divisors of the frequencies.
Result<void> applyFrequencyFactors(const TensorView& tensor, ModelSpec& spec,
                                   const std::string& file) {
    const std::int64_t expected = spec.rotaryDim / 2;
    if (tensor.nElements() != expected)
        return badInput("tensor rope_freqs.weight has " + std::to_string(tensor.nElements()) +
                            " elements, " + std::to_string(expected) + " are needed",
                        file);
    if (tensor.dtype != kernels::DType::F32)
        return unsupported("tensor rope_freqs.weight is stored as " +
                               std::string(kernels::info(tensor.dtype).name) + ", f32 is needed",
                           file);
    for (std::size_t i = 0; i < spec.ropeInvFreq.size(); ++i) {
        float factor = 0.0F;
        std::memcpy(&factor, tensor.data + 4 * i, sizeof(factor));
        if (!std::isfinite(factor) || factor <= 0.0F)
            return badInput("tensor rope_freqs.weight holds " + formatNumber(factor, 4) +
                                " at element " + std::to_string(i) + ", it must be above 0",
                            file);
        spec.ropeInvFreq[i] /= factor;
    }
    spec.ropeScaling =
        spec.ropeScaling == "none" ? "frequency factors" : spec.ropeScaling + ", frequency factors";
    return {};
}

}  // namespace

void applyRopeScaling(const RopeScaling& scaling, ModelSpec& spec) {
    const auto half = static_cast<std::size_t>(spec.rotaryDim / 2);
    const std::vector<double> keep =
        scaling.kind == "yarn" ? yarnKeep(scaling, spec) : std::vector<double>();
    spec.ropeInvFreq.resize(half);
    for (std::size_t i = 0; i < half; ++i) {
        double frequency = std::pow(
            spec.ropeTheta, -2.0 * static_cast<double>(i) / static_cast<double>(spec.rotaryDim));
        if (scaling.kind == "linear") frequency /= scaling.factor;
        if (scaling.kind == "llama3") frequency = llama3Frequency(scaling, frequency);
        if (scaling.kind == "yarn")
            frequency = keep[i] * frequency + (1.0 - keep[i]) * frequency / scaling.factor;
        spec.ropeInvFreq[i] = static_cast<float>(frequency);
    }
    spec.ropeMscale =
        scaling.kind == "yarn" ? static_cast<float>(yarnAttentionFactor(scaling)) : 1.0F;
    spec.dynamicNtk = {};
    if (scaling.kind == "dynamic")
        spec.dynamicNtk = {.factor = scaling.factor,
                           .originalContext = static_cast<std::int64_t>(scaling.originalContext)};
    spec.ropeScaling = scaling.kind;
    if (scaling.kind != "none") spec.ropeScaling += " x" + formatNumber(scaling.factor, 2);
}

void applyLocalRope(double theta, const RopeScaling& scaling, ModelSpec& spec) {
    ModelSpec local;
    local.rotaryDim = spec.rotaryDim;
    local.ropeTheta = theta;
    applyRopeScaling(scaling, local);
    spec.localRopeTheta = theta;
    spec.localRopeInvFreq = std::move(local.ropeInvFreq);
    spec.localRopeScaling = std::move(local.ropeScaling);
}

void dynamicRopeFrequencies(const ModelSpec& spec, std::int64_t length, std::span<float> out) {
    const DynamicNtk& ntk = spec.dynamicNtk;
    const auto dim = static_cast<double>(spec.rotaryDim);
    const double ratio = static_cast<double>(std::max(length, ntk.originalContext)) /
                         static_cast<double>(ntk.originalContext);
    const double theta =
        spec.ropeTheta * std::pow(ntk.factor * ratio - (ntk.factor - 1.0), dim / (dim - 2.0));
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<float>(std::pow(theta, -2.0 * static_cast<double>(i) / dim));
}

Result<void> applyRopeFromConfig(const Checkpoint& checkpoint, ModelSpec& spec) {
    SpecKeys keys = SpecKeys::config(checkpoint);
    spec.ropeTheta = keys.positive("rope_theta", spec.ropeTheta);
    double rotaryPart = keys.positive("partial_rotary_factor", 1.0);
    RopeScaling scaling;
    if (const auto* parameters = ropeParameters(keys.object(), "full_attention")) {
        spec.ropeTheta = numberOr(*parameters, "rope_theta", spec.ropeTheta, keys);
        rotaryPart = numberOr(*parameters, "partial_rotary_factor", rotaryPart, keys);
        scaling = readScalingObject(*parameters, spec, keys);
    } else if (const auto* published = objectAt(keys.object(), "rope_scaling")) {
        scaling = readScalingObject(*published, spec, keys);
    }
    checkTheta("rope_theta", spec.ropeTheta, keys);
    if (rotaryPart > 1.0)
        keys.fail(badInput("partial_rotary_factor is " + formatNumber(rotaryPart, 4) +
                               ", it must be above 0 and at most 1",
                           keys.file()));
    spec.rotaryDim = static_cast<std::int64_t>(static_cast<double>(spec.headDim) * rotaryPart);
    if (scaling.kind == "dynamic" && spec.rotaryDim < 4)
        keys.fail(unsupported("rope scaling \"dynamic\" over " + std::to_string(spec.rotaryDim) +
                                  " elements is not supported, at least 4 are needed",
                              keys.file()));
    if (keys.error()) return *keys.error();
    applyRopeScaling(scaling, spec);
    return {};
}

Result<void> applyLocalRopeFromConfig(const Checkpoint& checkpoint, double defaultTheta,
                                      ModelSpec& spec) {
    SpecKeys keys = SpecKeys::config(checkpoint);
    double theta = keys.positive("rope_local_base_freq", defaultTheta);
    RopeScaling scaling;
    if (const auto* parameters = ropeParameters(keys.object(), "sliding_attention");
        parameters != nullptr && parameters != ropeParameters(keys.object(), "")) {
        theta = numberOr(*parameters, "rope_theta", theta, keys);
        scaling = readScalingObject(*parameters, spec, keys);
    }
    checkTheta("rope_local_base_freq", theta, keys);
    if (scaling.kind != "none" && scaling.kind != "linear")
        keys.fail(
            unsupported("rope scaling \"" + scaling.kind + "\" of windowed layers is not supported",
                        keys.file(), "known are default and linear"));
    if (keys.error()) return *keys.error();
    applyLocalRope(theta, scaling, spec);
    return {};
}

Result<void> applyRopeFromGguf(const Checkpoint& checkpoint, ModelSpec& spec) {
    SpecKeys keys = SpecKeys::gguf(checkpoint, spec.architecture);
    spec.ropeTheta = keys.positive("rope.freq_base", 10000.0);
    RopeScaling scaling;
    scaling.kind = keys.text("rope.scaling.type", "none");
    if (scaling.kind != "none" && scaling.kind != "linear" && scaling.kind != "yarn")
        return unknownScaling(scaling.kind, keys.file());
    if (!keys.has("rope.scaling.type") && keys.has("rope.scale_linear")) {
        scaling.kind = "linear";  // files before mid-2023
        scaling.factor = keys.positive("rope.scale_linear", 1.0);
    }
    scaling.factor = keys.positive("rope.scaling.factor", scaling.factor);
    scaling.originalContext = static_cast<double>(
        keys.count("rope.scaling.original_context_length", kMaxContext, spec.contextLength));
    scaling.betaFast = keys.positive("rope.scaling.yarn_beta_fast", 32.0);
    scaling.betaSlow = keys.positive("rope.scaling.yarn_beta_slow", 1.0);
    // Here the attention factor is a multiple of the derived one, unlike in config.json.
    if (keys.has("rope.scaling.attn_factor"))
        scaling.attentionFactor =
            keys.positive("rope.scaling.attn_factor", 1.0) * yarnMscale(scaling.factor, 1.0);
    checkTheta("rope.freq_base", spec.ropeTheta, keys);
    if (checkpoint.find("rope_factors_long.weight") != nullptr)
        keys.fail(unknownScaling("longrope", keys.file()));
    if (keys.error()) return *keys.error();
    if (scaling.factor == 1.0) scaling.kind = "none";
    applyRopeScaling(scaling, spec);
    if (const TensorView* factors = checkpoint.find("rope_freqs.weight"))
        return applyFrequencyFactors(*factors, spec, checkpoint.path());
    return {};
}

}  // namespace lanescope
