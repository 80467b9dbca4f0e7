// Reads a plan out of JSON. Every message names the place ("lanes[1].kvBlock"), what is wrong and
// what would be right; the first problem in reading order is the one reported. What needs more than
// one key to judge is in plan.cpp (validatePlan).

#include <cmath>
#include <initializer_list>
#include <limits>

#include "engine/base/format.h"
#include "engine/base/json.h"
#include "engine/lane/attention_option.h"
#include "engine/lane/plan.h"
#include "engine/lane/plan_values.h"

namespace lanescope {

namespace {

using nlohmann::json;
using Words = std::initializer_list<std::string_view>;

std::string typeOf(const json& value) {
    switch (value.type()) {
        case json::value_t::null:
            return "null";
        case json::value_t::boolean:
            return "true or false";
        case json::value_t::string:
            return "a string";
        case json::value_t::array:
            return "a list";
        case json::value_t::object:
            return "an object";
        default:
            return "a number";
    }
}

std::string join(std::string_view place, std::string_view key) {
    std::string out(place);
    if (!out.empty()) out += '.';
    return out.append(key);
}

std::string at(std::string_view place, std::size_t index) {
    return std::string(place) + "[" + std::to_string(index) + "]";
}

/// Keeps the first error; after it every read is a no-op, so that call sites stay flat.
class Reader {
  public:
    explicit Reader(std::string context) : m_context(std::move(context)) {}

    [[nodiscard]] bool failed() const { return m_error.has_value(); }
    [[nodiscard]] const Error& error() const { return *m_error; }

    void fail(std::string_view place, const std::string& message, ErrorCode code) {
        if (m_error) return;
        Error e = badInput((place.empty() ? "" : std::string(place) + ": ") + message, m_context);
        e.code = code;
        m_error = std::move(e);
    }
    void fail(std::string_view place, const std::string& message) {
        fail(place, message, ErrorCode::BadInput);
    }

    /// An object whose keys are all known; `later` are those of newer versions.
    bool object(const json& value, const std::string& place, Words known, Words later = {}) {
        if (failed()) return false;
        if (!value.is_object()) {
            fail(place, "must be an object, is " + typeOf(value));
            return false;
        }
        for (const auto& [key, unused] : value.items()) {
            if (plan::isOneOf(key, {known.begin(), known.size()})) continue;
            if (plan::isOneOf(key, {later.begin(), later.size()})) {
                fail(join(place, key), "is not in this version", ErrorCode::Unsupported);
            } else {
                fail(join(place, key),
                     "unknown key; known: " + plan::joinWords({known.begin(), known.size()}));
            }
            return false;
        }
        return true;
    }

    const json* list(const json& object, const std::string& place, std::string_view key,
                     std::int64_t most) {
        const json* value = find(object, key);
        if (value == nullptr) return nullptr;
        if (!value->is_array()) {
            fail(join(place, key), "must be a list, is " + typeOf(*value));
            return nullptr;
        }
        if (static_cast<std::int64_t>(value->size()) > most) {
            fail(join(place, key), "has " + std::to_string(value->size()) + " entries, at most " +
                                       std::to_string(most) + " are possible");
            return nullptr;
        }
        return value;
    }

    void text(const json& object, const std::string& place, std::string_view key,
              std::string& out) {
        const json* value = find(object, key);
        if (value == nullptr) return;
        if (!value->is_string()) {
            fail(join(place, key), "must be a string, is " + typeOf(*value));
            return;
        }
        out = value->get<std::string>();
    }

    void word(const json& object, const std::string& place, std::string_view key, std::string& out,
              Words allowed) {
        std::string value = out;
        text(object, place, key, value);
        if (failed()) return;
        if (find(object, key) != nullptr &&
            !plan::isOneOf(value, {allowed.begin(), allowed.size()})) {
            fail(join(place, key), "\"" + value + "\" is not possible; possible: " +
                                       plan::joinWords({allowed.begin(), allowed.size()}));
            return;
        }
        out = std::move(value);
    }

    /// cpu, cuda or one device of several.
    void backend(const json& object, const std::string& place, std::string& out) {
        std::string value = out;
        text(object, place, "backend", value);
        if (!failed() && value != "auto" && value != "cpu" && !cudaDevice(value))
            fail(join(place, "backend"),
                 "\"" + value + "\" is not possible; possible: auto, cpu, cuda, cuda:N");
        else
            out = std::move(value);
    }

    void attention(const json& object, const std::string& place, std::string& out) {
        std::string value = out;
        text(object, place, "attention", value);
        EngineSettings ignored;
        if (failed()) return;
        if (const auto read = readAttention(value, ignored); !read)
            fail(join(place, "attention"), read.error().message.substr(sizeof("attention")));
        else
            out = std::move(value);
    }

    void flag(const json& object, const std::string& place, std::string_view key, bool& out) {
        const json* value = find(object, key);
        if (value == nullptr) return;
        if (!value->is_boolean()) {
            fail(join(place, key), "must be true or false, is " + typeOf(*value));
            return;
        }
        out = value->get<bool>();
    }

    template <class Int>
    void integer(const json& object, const std::string& place, std::string_view key, Int& out,
                 std::int64_t least, std::int64_t most) {
        const json* value = find(object, key);
        if (value == nullptr) return;
        std::int64_t n = 0;
        if (whole(*value, join(place, key), least, most, n)) out = static_cast<Int>(n);
    }

    bool whole(const json& value, const std::string& place, std::int64_t least, std::int64_t most,
               std::int64_t& out) {
        if (failed()) return false;
        if (!value.is_number_integer()) {
            fail(place, value.is_number() ? "must be a whole number, is " + value.dump()
                                          : "must be a whole number, is " + typeOf(value));
            return false;
        }
        const bool tooBig = value.is_number_unsigned() &&
                            value.get<std::uint64_t>() >
                                static_cast<std::uint64_t>(std::max<std::int64_t>(most, 0));
        if (tooBig || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
            fail(place, "must be " + std::to_string(least) + " to " + std::to_string(most) +
                            ", is " + value.dump());
            return false;
        }
        out = value.get<std::int64_t>();
        return true;
    }

    void seed(const json& object, const std::string& place, std::uint64_t& out) {
        const json* value = find(object, "seed");
        if (value == nullptr) return;
        if (!value->is_number_unsigned()) {
            fail(join(place, "seed"), "must be a whole number from 0 to 18446744073709551615, is " +
                                          (value->is_number() ? value->dump() : typeOf(*value)));
            return;
        }
        out = value->get<std::uint64_t>();
    }

    void number(const json& object, const std::string& place, std::string_view key, float& out,
                double least, double most) {
        const json* value = find(object, key);
        if (value == nullptr) return;
        if (!value->is_number()) {
            fail(join(place, key), "must be a number, is " + typeOf(*value));
            return;
        }
        const double x = value->get<double>();
        if (!std::isfinite(x) || x < least || x > most) {
            fail(join(place, key), "must be " + json(least).dump() + " to " + json(most).dump() +
                                       ", is " + value->dump());
            return;
        }
        out = static_cast<float>(x);
    }

    /// Null when absent or after an error.
    const json* find(const json& object, std::string_view key) const {
        if (failed()) return nullptr;
        const auto it = object.find(std::string(key));
        return it == object.end() ? nullptr : &*it;
    }

  private:
    std::string m_context;
    std::optional<Error> m_error;
};

void readTokens(Reader& reader, const json& list, const std::string& place,
                std::vector<TokenId>& out) {
    for (std::size_t i = 0; i < list.size() && !reader.failed(); ++i) {
        std::int64_t id = 0;
        if (reader.whole(list[i], at(place, i), 0, std::numeric_limits<TokenId>::max(), id)) {
            out.push_back(static_cast<TokenId>(id));
        }
    }
}

PromptSpec readPrompt(Reader& reader, const json& value, const std::string& place) {
    PromptSpec prompt;
    if (!reader.object(value, place, {"chat", "system", "text", "file", "tokens"})) return prompt;
    int kinds = 0;
    const auto kind = [&](std::string_view key, PromptKind k) {
        if (reader.find(value, key) == nullptr) return;
        ++kinds;
        prompt.kind = k;
        if (k == PromptKind::Tokens) {
            if (const json* list = reader.list(value, place, key, plan::kMaxTokens)) {
                readTokens(reader, *list, join(place, key), prompt.tokens);
            }
        } else {
            reader.text(value, place, key, prompt.value);
        }
    };
    kind("chat", PromptKind::Chat);
    kind("text", PromptKind::Text);
    kind("file", PromptKind::File);
    kind("tokens", PromptKind::Tokens);
    if (reader.failed()) return prompt;
    if (kinds != 1) {
        reader.fail(place, "must have exactly one of chat, text, file, tokens, has " +
                               std::to_string(kinds));
        return prompt;
    }
    reader.text(value, place, "system", prompt.system);
    if (!prompt.system.empty() && prompt.kind != PromptKind::Chat) {
        reader.fail(join(place, "system"), "only goes with chat");
    }
    return prompt;
}

SamplingSpec readSampling(Reader& reader, const json& value, const std::string& place) {
    SamplingSpec s;
    if (!reader.object(value, place,
                       {"temperature", "topK", "topP", "minP", "repeatPenalty", "repeatWindow",
                        "seed", "maxTokens", "stop", "ignoreEos"})) {
        return s;
    }
    reader.number(value, place, "temperature", s.settings.temperature, 0.0, 100.0);
    reader.integer(value, place, "topK", s.settings.topK, 0, 10'000'000);
    reader.number(value, place, "topP", s.settings.topP, 0.0, 1.0);
    reader.number(value, place, "minP", s.settings.minP, 0.0, 1.0);
    reader.number(value, place, "repeatPenalty", s.settings.repeatPenalty, 0.01, 100.0);
    reader.integer(value, place, "repeatWindow", s.settings.repeatWindow, 0, 1'000'000);
    reader.seed(value, place, s.settings.seed);
    reader.integer(value, place, "maxTokens", s.maxTokens, 1, plan::kMaxTokens);
    if (const json* stop = reader.list(value, place, "stop", 64)) {
        for (std::size_t i = 0; i < stop->size(); ++i) {
            const json& word = (*stop)[i];
            if (!word.is_string() || word.get_ref<const std::string&>().empty()) {
                reader.fail(at(join(place, "stop"), i), "must be a string that is not empty");
                break;
            }
            s.stop.push_back(word.get<std::string>());
        }
    }
    reader.flag(value, place, "ignoreEos", s.ignoreEos);
    return s;
}

/// The lane named by `like`, which must come earlier in the list.
void copyLike(Reader& reader, const json& value, const std::string& place,
              const std::vector<LaneSpec>& earlier, LaneSpec& lane) {
    std::string like;
    reader.text(value, place, "like", like);
    if (reader.failed() || reader.find(value, "like") == nullptr) return;
    std::string names;
    for (const LaneSpec& other : earlier) {
        if (other.name == like) {
            lane = other;
            lane.muted = false;
            return;
        }
        names += (names.empty() ? "" : ", ") + other.name;
    }
    reader.fail(join(place, "like"), "no earlier lane is called \"" + like +
                                         "\"; earlier lanes: " + (names.empty() ? "none" : names));
}

void readDecode(Reader& reader, const json& lane, const std::string& place) {
    const json* value = reader.find(lane, "decode");
    if (value == nullptr) return;
    const std::string inner = join(place, "decode");
    if (!reader.object(*value, inner, {"kind"},
                       {"source", "draft", "k", "tree", "accept", "layers"})) {
        return;
    }
    std::string kind = "plain";
    reader.text(*value, inner, "kind", kind);
    if (reader.failed()) return;
    if (kind == "speculative") {
        reader.fail(join(inner, "kind"), "\"speculative\" is not in this version; use \"plain\"",
                    ErrorCode::Unsupported);
    } else if (kind != "plain") {
        reader.fail(join(inner, "kind"), "\"" + kind + "\" is not possible; possible: plain");
    }
}

LaneSpec readLane(Reader& reader, const json& value, std::size_t index,
                  const std::vector<LaneSpec>& earlier) {
    const std::string place = at("lanes", index);
    LaneSpec lane;
    if (!reader.object(
            value, place,
            {"name",    "like",     "model",        "backend",   "threads",     "weights",
             "kv",      "kvValues", "kvRotate",     "attention", "denseLayers", "kvBlock",
             "context", "exact",    "acts",         "affinity",  "products",    "sampling",
             "pack",    "decode",   "chatTemplate", "muted"},
            {"reasoning", "endpoint"})) {
        return lane;
    }
    copyLike(reader, value, place, earlier, lane);
    lane.name = index < 26 ? std::string(1, static_cast<char>('A' + index))
                           : "L" + std::to_string(index + 1);
    reader.text(value, place, "name", lane.name);
    reader.text(value, place, "model", lane.model);
    reader.backend(value, place, lane.backend);
    reader.integer(value, place, "threads", lane.threads, 0, plan::kMaxThreads);
    reader.word(value, place, "weights", lane.weights,
                {"auto", "as-is", "int8", "int4", "nf4", "fp8-e4m3", "fp8-e5m2"});
    reader.word(value, place, "kv", lane.kv,
                {"auto", "fp32", "fp16", "bf16", "fp8-e4m3", "fp8-e5m2", "int8", "int4"});
    reader.word(value, place, "kvValues", lane.kvValues,
                {"auto", "fp32", "fp16", "bf16", "fp8-e4m3", "fp8-e5m2", "int8", "int4"});
    reader.flag(value, place, "kvRotate", lane.kvRotate);
    reader.attention(value, place, lane.attention);
    reader.text(value, place, "denseLayers", lane.denseLayers);
    reader.integer(value, place, "kvBlock", lane.kvBlock, plan::kMinKvBlock, plan::kMaxKvBlock);
    reader.integer(value, place, "context", lane.context, 0, plan::kMaxContext);
    reader.flag(value, place, "exact", lane.exact);
    reader.word(value, place, "acts", lane.acts, {"int8", "int8x2", "bf16"});
    reader.word(value, place, "affinity", lane.affinity, {"none", "cores"});
    reader.word(value, place, "products", lane.products, {"own", "cublaslt"});
    reader.word(value, place, "sampling", lane.sampling, {"host", "device"});
    reader.flag(value, place, "pack", lane.pack);
    readDecode(reader, value, place);
    reader.text(value, place, "chatTemplate", lane.chatTemplate);
    reader.flag(value, place, "muted", lane.muted);
    return lane;
}

void readLists(Reader& reader, const json& root, Plan& plan) {
    if (const json* prompts = reader.list(root, "", "prompts", plan::kMaxPrompts)) {
        for (std::size_t i = 0; i < prompts->size() && !reader.failed(); ++i) {
            plan.prompts.push_back(readPrompt(reader, (*prompts)[i], at("prompts", i)));
        }
    }
    if (const json* lanes = reader.list(root, "", "lanes", plan::kMaxLanes)) {
        for (std::size_t i = 0; i < lanes->size() && !reader.failed(); ++i) {
            plan.lanes.push_back(readLane(reader, (*lanes)[i], i, plan.lanes));
        }
    }
}

void checkSchema(Reader& reader, const json& root) {
    const json* schema = reader.find(root, "schema");
    if (reader.failed()) return;
    if (schema == nullptr) {
        reader.fail("schema", "is missing; write \"schema\": 1");
    } else if (!schema->is_number_integer()) {
        reader.fail("schema", "must be 1, is " + typeOf(*schema));
    } else if (*schema != 1) {
        reader.fail("schema", "is " + schema->dump() + "; this version reads schema 1",
                    ErrorCode::Unsupported);
    }
}

}  // namespace

Result<Plan> parsePlan(std::string_view text, const std::string& context) {
    auto root = parseJson(text, context);
    if (!root) return root.error();
    Reader reader(context);
    if (!root->is_object()) {
        reader.fail("", "a plan must be an object, is " + typeOf(*root));
        return reader.error();
    }
    checkSchema(reader, *root);
    reader.object(*root, "",
                  {"schema", "name", "prompts", "sampling", "warmup", "repetitions", "order",
                   "baseline", "lanes", "topCandidates", "traceOps"});
    Plan plan;
    reader.text(*root, "", "name", plan.name);
    readLists(reader, *root, plan);
    if (const json* sampling = reader.find(*root, "sampling")) {
        plan.sampling = readSampling(reader, *sampling, "sampling");
    }
    reader.integer(*root, "", "warmup", plan.warmup, 0, plan::kMaxWarmup);
    reader.integer(*root, "", "repetitions", plan.repetitions, 1, plan::kMaxRepetitions);
    std::string order = "interleaved";
    reader.word(*root, "", "order", order, {"interleaved", "sequential"});
    plan.order = order == "sequential" ? RunOrder::Sequential : RunOrder::Interleaved;
    reader.text(*root, "", "baseline", plan.baseline);
    reader.integer(*root, "", "topCandidates", plan.topCandidates, 0, plan::kMaxCandidates);
    reader.flag(*root, "", "traceOps", plan.traceOps);
    if (reader.failed()) return reader.error();
    if (auto ok = validatePlan(plan); !ok) {
        Error e = ok.error();
        e.context = context;
        return e;
    }
    return plan;
}

}  // namespace lanescope
