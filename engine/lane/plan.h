#pragma once
// A Plan: prompts, lanes and repetitions as data (JSON, schema 1). Unknown keys are refused by
// name; `like` copies a lane so that only differences are written. The app edits one of these, the
// CLI reads one from a file.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/decode/engine.h"

namespace lanescope {

enum class PromptKind : std::uint8_t { Chat, Text, File, Tokens };

struct PromptSpec {
    PromptKind kind = PromptKind::Chat;
    std::string value;            ///< user message, raw text, or path
    std::string system;           ///< chat only; empty = none
    std::vector<TokenId> tokens;  ///< Tokens only
    bool operator==(const PromptSpec&) const = default;
};

enum class DecodeKind : std::uint8_t { Plain };

/// One lane as asked for. Strings that are "auto" take the default.
struct LaneSpec {
    std::string name;             ///< "A" …
    std::string model;            ///< MODEL of the command line
    std::string backend = "cpu";  ///< cpu, cuda (the first device), cuda:N
    int threads = 0;              ///< 0 = all usable
    std::string weights = "as-is";
    std::string kv = "fp16";  ///< of keys and values: kernels::kvFormatName
    std::string kvValues;     ///< of values, where they differ; empty: as kv
    bool kvRotate = false;  ///< keys and values turned by a Hadamard matrix before they are stored
    std::string attention = "flash";  ///< attention_option.h
    std::string denseLayers;          ///< layers that look at all keys all the same: "0-1,5"
    std::int64_t kvBlock = 16;
    std::int64_t context = 0;  ///< 0 = default
    bool exact = false;
    std::string acts = "int8";      ///< int8, int8x2 beside quantised weights; bf16 for all
    std::string affinity = "none";  ///< none, cores
    std::string products = "own";   ///< own, cublaslt: of F16 and BF16 matrices on a GPU
    std::string sampling = "host";  ///< host, device: where logits become tokens on a GPU
    bool pack = true;               ///< weights repacked at load for speed
    DecodeKind decode = DecodeKind::Plain;
    std::string chatTemplate;  ///< Jinja text used instead of the model's own; empty = its own
    bool muted = false;        ///< kept, but not run
    bool operator==(const LaneSpec&) const = default;
};

struct SamplingSpec {
    SamplingSettings settings;
    std::int32_t maxTokens = 128;
    std::vector<std::string> stop;
    bool ignoreEos = false;
};

enum class RunOrder : std::uint8_t { Interleaved, Sequential };

struct Plan {
    std::string name = "untitled";
    std::vector<PromptSpec> prompts;
    SamplingSpec sampling;
    int warmup = 1;
    int repetitions = 1;
    RunOrder order = RunOrder::Interleaved;
    std::string baseline;  ///< lane name; empty = none
    std::vector<LaneSpec> lanes;
    int topCandidates = 10;
    bool traceOps = true;  ///< record op spans
};

/// Errors: BadInput naming key and lane ("lanes[1].kvv: unknown key; known: …"). Relative prompt
/// files are resolved against baseDir by the run.
Result<Plan> parsePlan(std::string_view json, const std::string& context);
/// Canonical form: every value written out, keys in a fixed order; parsePlan(planToJson(p)) == p.
nlohmann::ordered_json planToJson(const Plan& plan);
nlohmann::ordered_json laneToJson(const LaneSpec& lane);
/// Checks what does not need a model: names unique, lanes and prompts there, ranges. Error:
/// BadInput.
Result<void> validatePlan(const Plan& plan);
/// The format a word stands for ("auto": fp16).
std::optional<kernels::KvFormat> kvFormat(std::string_view word);
/// The device of a lane's backend; none: not a GPU (or no backend at all).
std::optional<int> cudaDevice(std::string_view backend);
/// EngineSettings of a lane, or which option is not possible and why.
Result<EngineSettings> engineSettings(const LaneSpec& lane);

}  // namespace lanescope
