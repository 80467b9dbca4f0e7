// What a plan means: its canonical JSON, the checks over several keys, and a lane's options as
// engine settings. Reading JSON is in plan_parse.cpp.

#include "engine/lane/plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/lane/attention_option.h"
#include "engine/lane/plan_values.h"

namespace lanescope {

using nlohmann::ordered_json;

namespace plan {

std::string joinWords(std::span<const std::string_view> words) {
    std::string out;
    for (const std::string_view word : words) {
        if (!out.empty()) out += ", ";
        out += word;
    }
    return out;
}

bool isOneOf(std::string_view word, std::span<const std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace plan

namespace {

/// The shortest decimal that reads back as the same float, so that 0.7f is written 0.7.
double shortest(float value) {
    char buffer[64];
    const auto written = std::to_chars(buffer, buffer + sizeof buffer, value);
    double out = 0.0;
    std::from_chars(buffer, written.ptr, out);
    return out;
}

ordered_json promptToJson(const PromptSpec& prompt) {
    ordered_json out = ordered_json::object();
    switch (prompt.kind) {
        case PromptKind::Chat:
            out["chat"] = prompt.value;
            if (!prompt.system.empty()) out["system"] = prompt.system;
            break;
        case PromptKind::Text:
            out["text"] = prompt.value;
            break;
        case PromptKind::File:
            out["file"] = prompt.value;
            break;
        case PromptKind::Tokens:
            out["tokens"] = prompt.tokens;
            break;
    }
    return out;
}

ordered_json samplingToJson(const SamplingSpec& s) {
    ordered_json out;
    out["temperature"] = shortest(s.settings.temperature);
    out["topK"] = s.settings.topK;
    out["topP"] = shortest(s.settings.topP);
    out["minP"] = shortest(s.settings.minP);
    out["repeatPenalty"] = shortest(s.settings.repeatPenalty);
    out["repeatWindow"] = s.settings.repeatWindow;
    out["seed"] = s.settings.seed;
    out["maxTokens"] = s.maxTokens;
    out["stop"] = s.stop;
    out["ignoreEos"] = s.ignoreEos;
    return out;
}

std::string lanePlace(std::size_t index) {
    return "lanes[" + std::to_string(index) + "]";
}

std::string range(std::int64_t least, std::int64_t most, std::int64_t is) {
    return "must be " + std::to_string(least) + " to " + std::to_string(most) + ", is " +
           std::to_string(is);
}

Result<void> checkPrompts(const Plan& plan) {
    if (plan.prompts.empty()) {
        return badInput("prompts: is empty; give at least one, such as {\"chat\": \"Hello\"}");
    }
    for (std::size_t i = 0; i < plan.prompts.size(); ++i) {
        const PromptSpec& prompt = plan.prompts[i];
        const std::string place = "prompts[" + std::to_string(i) + "]";
        if (prompt.kind == PromptKind::Tokens) {
            if (prompt.tokens.empty()) return badInput(place + ".tokens: is empty");
        } else if (prompt.value.empty() && prompt.system.empty()) {
            return badInput(place + ": is empty");
        }
    }
    return {};
}

Result<void> checkLane(const LaneSpec& lane, const std::string& place) {
    if (lane.name.empty()) return badInput(place + ".name: is empty");
    if (lane.name.size() > 64) {
        return badInput(place + ".name: has " + std::to_string(lane.name.size()) +
                        " bytes, at most 64 are possible");
    }
    if (lane.model.empty()) {
        return badInput(place + ".model: is missing; give a file, a folder or a known name");
    }
    if (static_cast<std::int64_t>(lane.chatTemplate.size()) > plan::kMaxTemplateBytes) {
        return badInput(place + ".chatTemplate: has " + std::to_string(lane.chatTemplate.size()) +
                        " bytes, at most " + std::to_string(plan::kMaxTemplateBytes) +
                        " are possible");
    }
    if (lane.threads < 0 || lane.threads > plan::kMaxThreads) {
        return badInput(place + ".threads: " + range(0, plan::kMaxThreads, lane.threads));
    }
    if (lane.kvBlock < plan::kMinKvBlock || lane.kvBlock > plan::kMaxKvBlock) {
        return badInput(place +
                        ".kvBlock: " + range(plan::kMinKvBlock, plan::kMaxKvBlock, lane.kvBlock));
    }
    if (lane.context < 0 || lane.context > plan::kMaxContext) {
        return badInput(place + ".context: " + range(0, plan::kMaxContext, lane.context));
    }
    return {};
}

Result<void> checkLanes(const Plan& plan) {
    if (plan.lanes.empty()) return badInput("lanes: is empty; give at least one with a model");
    std::set<std::string> names;
    bool anyActive = false;
    for (std::size_t i = 0; i < plan.lanes.size(); ++i) {
        const LaneSpec& lane = plan.lanes[i];
        if (auto ok = checkLane(lane, lanePlace(i)); !ok) return ok;
        if (!names.insert(lane.name).second) {
            return badInput(lanePlace(i) + ".name: \"" + lane.name + "\" is used twice");
        }
        anyActive = anyActive || !lane.muted;
    }
    if (!anyActive) return badInput("lanes: all are muted; at least one must run");
    if (!plan.baseline.empty() && !names.contains(plan.baseline)) {
        std::string list;
        for (const LaneSpec& lane : plan.lanes) list += (list.empty() ? "" : ", ") + lane.name;
        return badInput("baseline: no lane is called \"" + plan.baseline + "\"; lanes: " + list);
    }
    return {};
}

Result<void> readGpuOptions(const LaneSpec& lane, EngineSettings& s) {
    if (lane.products == "cublaslt") {
        s.products = Products::CublasLt;
    } else if (lane.products != "own") {
        return badInput("products \"" + lane.products +
                        "\" is not possible; possible: " + plan::joinWords(plan::kProducts));
    }
    if (lane.sampling == "device") {
        s.sampleOn = SampleOn::Device;
    } else if (lane.sampling != "host") {
        return badInput("sampling \"" + lane.sampling +
                        "\" is not possible; possible: " + plan::joinWords(plan::kSamplings));
    }
    return {};
}

}  // namespace

ordered_json laneToJson(const LaneSpec& lane) {
    ordered_json out;
    out["name"] = lane.name;
    out["model"] = lane.model;
    out["backend"] = lane.backend;
    out["threads"] = lane.threads;
    out["weights"] = lane.weights;
    out["kv"] = lane.kv;
    if (!lane.kvValues.empty()) out["kvValues"] = lane.kvValues;
    if (lane.kvRotate) out["kvRotate"] = true;
    out["attention"] = lane.attention;
    if (!lane.denseLayers.empty()) out["denseLayers"] = lane.denseLayers;
    out["kvBlock"] = lane.kvBlock;
    out["context"] = lane.context;
    out["exact"] = lane.exact;
    out["acts"] = lane.acts;
    out["affinity"] = lane.affinity;
    out["products"] = lane.products;
    out["sampling"] = lane.sampling;
    out["pack"] = lane.pack;
    out["decode"] = {{"kind", "plain"}};
    // Only where there is one: plans without it stay readable for versions that do not know it.
    if (!lane.chatTemplate.empty()) out["chatTemplate"] = lane.chatTemplate;
    out["muted"] = lane.muted;
    return out;
}

ordered_json planToJson(const Plan& plan) {
    ordered_json out;
    out["schema"] = 1;
    out["name"] = plan.name;
    out["prompts"] = ordered_json::array();
    for (const PromptSpec& prompt : plan.prompts) out["prompts"].push_back(promptToJson(prompt));
    out["sampling"] = samplingToJson(plan.sampling);
    out["warmup"] = plan.warmup;
    out["repetitions"] = plan.repetitions;
    out["order"] = plan.order == RunOrder::Sequential ? "sequential" : "interleaved";
    out["baseline"] = plan.baseline;
    out["lanes"] = ordered_json::array();
    for (const LaneSpec& lane : plan.lanes) out["lanes"].push_back(laneToJson(lane));
    out["topCandidates"] = plan.topCandidates;
    out["traceOps"] = plan.traceOps;
    return out;
}

Result<void> validatePlan(const Plan& plan) {
    if (auto ok = checkPrompts(plan); !ok) return ok;
    if (auto ok = checkLanes(plan); !ok) return ok;
    if (plan.warmup < 0 || plan.warmup > plan::kMaxWarmup) {
        return badInput("warmup: " + range(0, plan::kMaxWarmup, plan.warmup));
    }
    if (plan.repetitions < 1 || plan.repetitions > plan::kMaxRepetitions) {
        return badInput("repetitions: " + range(1, plan::kMaxRepetitions, plan.repetitions));
    }
    if (plan.topCandidates < 0 || plan.topCandidates > plan::kMaxCandidates) {
        return badInput("topCandidates: " + range(0, plan::kMaxCandidates, plan.topCandidates));
    }
    if (plan.sampling.maxTokens < 1) {
        return badInput("sampling.maxTokens: " +
                        range(1, plan::kMaxTokens, plan.sampling.maxTokens));
    }
    const auto requests = static_cast<std::int64_t>(plan.lanes.size() * plan.prompts.size()) *
                          (plan.repetitions + plan.warmup);
    if (requests > plan::kMaxRequests) {
        return badInput("lanes x prompts x repetitions is " + std::to_string(requests) +
                        " requests, at most " + std::to_string(plan::kMaxRequests) +
                        " are possible");
    }
    if (auto ok = validate(plan.sampling.settings); !ok) {
        Error e = ok.error();
        e.code = ErrorCode::BadInput;
        e.message = "sampling: " + e.message;
        return e;
    }
    return {};
}

std::optional<int> cudaDevice(std::string_view backend) {
    constexpr std::string_view kCuda = "cuda";
    if (!backend.starts_with(kCuda)) return std::nullopt;
    backend.remove_prefix(kCuda.size());
    if (backend.empty()) return 0;
    int device = 0;
    const char* end = backend.data() + backend.size();
    if (backend.front() != ':' || std::from_chars(backend.data() + 1, end, device).ptr != end ||
        backend.size() < 2 || device < 0)
        return std::nullopt;
    return device;
}

std::optional<kernels::KvFormat> kvFormat(std::string_view word) {
    if (word == "auto") return kernels::KvFormat::F16;
    for (int i = 0; i < kernels::kKvFormats; ++i) {
        const auto format = static_cast<kernels::KvFormat>(i);
        if (kernels::kvFormatName(format) == word) return format;
    }
    return std::nullopt;
}

Result<EngineSettings> engineSettings(const LaneSpec& lane) {
    EngineSettings s;
    if (const auto device = cudaDevice(lane.backend)) {
        s.backend = BackendKind::Cuda;
        s.device = *device;
    } else if (lane.backend != "cpu" && lane.backend != "auto") {
        return badInput("backend \"" + lane.backend +
                        "\" is not possible; possible: cpu, cuda, cuda:N (device N)");
    }
    if (lane.weights != "as-is" && lane.weights != "auto") {
        return unsupported("weights \"" + lane.weights + "\": converting is not in this version",
                           {}, "use as-is, or a checkpoint already in that format");
    }
    const std::string& values = lane.kvValues.empty() ? lane.kv : lane.kvValues;
    for (const auto& [word, format] :
         {std::pair{&lane.kv, &s.kvKeys}, std::pair{&values, &s.kvValues}}) {
        const auto known = kvFormat(*word);
        if (!known)
            return badInput("kv \"" + *word +
                            "\" is not possible; possible: " + plan::joinWords(plan::kKvFormats));
        *format = *known;
    }
    s.kvRotate = lane.kvRotate;
    if (auto ok = readAttention(lane.attention, s); !ok) return ok.error();
    if (auto ok = readDenseLayers(lane.denseLayers, s); !ok) return ok.error();
    if (lane.acts == "int8x2") {
        s.acts = ActsFormat::Int8x2;
    } else if (lane.acts == "bf16") {
        s.acts = ActsFormat::Bf16;
    } else if (lane.acts != "int8") {
        return badInput("acts \"" + lane.acts +
                        "\" is not possible; possible: " + plan::joinWords(plan::kActs));
    }
    if (lane.affinity == "cores") {
        s.affinity = Affinity::Cores;
    } else if (lane.affinity != "none") {
        return badInput("affinity \"" + lane.affinity +
                        "\" is not possible; possible: " + plan::joinWords(plan::kAffinities));
    }
    if (auto ok = readGpuOptions(lane, s); !ok) return ok.error();
    s.threads = lane.threads;
    s.kvBlockTokens = lane.kvBlock;
    s.contextTokens = lane.context;
    s.exact = lane.exact;
    s.pack = lane.pack;
    return s;
}

}  // namespace lanescope
