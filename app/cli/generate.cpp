// `generate MODEL`: one answer. In a terminal the text streams; otherwise it comes at the end, as
// text or as one JSON document.

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/lane_engine.h"
#include "engine/base/format.h"
#include "engine/base/mapped_file.h"
#include "engine/decode/next_token.h"
#include "engine/text/chat_template.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMaxTemplateBytes = 4U << 20;

/// Prints pieces as they come.
class Streamer : public trace::Sink {
  public:
    void token(const trace::TokenRecord& t) override {
        if (auto ok = print(forTerminal(t.piece)); !ok && m_error.empty()) {
            m_error = ok.error().toString();
        }
    }
    [[nodiscard]] const std::string& error() const { return m_error; }

  private:
    std::string m_error;
};

double perSecond(std::size_t n, std::int64_t ns) {
    return static_cast<double>(n) * 1e9 / static_cast<double>(ns);
}

ordered_json timingJson(const Model& model, std::size_t nPrompt, const GenerateResult& r) {
    ordered_json t;
    t["loadMs"] = model.loadMs();
    t["prefillMs"] = r.prefillMs();
    t["ttftMs"] = nullptr;
    t["itlMs"] = ordered_json::array();
    t["prefillTps"] = nullptr;
    t["decodeTps"] = nullptr;
    t["totalMs"] = static_cast<double>(r.tEndNs - r.tStartNs) / 1e6;
    if (r.tPrefillEndNs > r.tStartNs) {
        t["prefillTps"] = perSecond(nPrompt, r.tPrefillEndNs - r.tStartNs);
    }
    if (r.tokenNs.empty()) return t;
    t["ttftMs"] = static_cast<double>(r.tokenNs.front() - r.tStartNs) / 1e6;
    for (std::size_t i = 1; i < r.tokenNs.size(); ++i) {
        t["itlMs"].push_back(static_cast<double>(r.tokenNs[i] - r.tokenNs[i - 1]) / 1e6);
    }
    if (const std::int64_t ns = r.tokenNs.back() - r.tokenNs.front(); ns > 0) {
        t["decodeTps"] = perSecond(r.tokenNs.size() - 1, ns);
    }
    return t;
}

ordered_json resultJson(const Engine& engine, const PreparedPrompt& prompt,
                        const GenerateRequest& request, const GenerateResult& r) {
    const EffectiveSettings& effective = engine.effective();
    ordered_json out;
    out["promptTokens"] = prompt.tokens;
    out["tokens"] = r.tokens;
    out["text"] = r.text;
    out["finishReason"] = trace::finishReasonName(r.finish);
    out["timing"] = timingJson(engine.model(), prompt.tokens.size(), r);
    out["kv"] = {{"bytes", r.kvBytes},
                 {"blocks", r.kvBlocks},
                 {"blockTokens", effective.settings.kvBlockTokens},
                 {"bytesPerToken", engine.kvBytesPerToken()}};
    out["speculation"] = nullptr;
    out["seed"] = request.sampling.seed;
    const bool cublas = effective.settings.products == Products::CublasLt;
    const bool deviceSamples = effective.settings.sampleOn == SampleOn::Device &&
                               whyOnHost(request.sampling, request.topCandidates).empty();
    out["settings"] = {{"isa", effective.isa},
                       {"threads", effective.settings.threads},
                       {"context", effective.settings.contextTokens},
                       {"exact", effective.settings.exact},
                       {"products", cublas ? "cublaslt" : "own"},
                       {"sampling", deviceSamples ? "device" : "host"},
                       {"notes", effective.notes}};
    return out;
}

void noteFigures(const PreparedPrompt& prompt, const GenerateResult& r, const ordered_json& t) {
    const auto figure = [](const ordered_json& value, const char* unit) {
        return value.is_number() ? formatNumber(value.get<double>(), 1) + unit : std::string("n/a");
    };
    note(std::to_string(prompt.tokens.size()) + " prompt tokens, " +
         std::to_string(r.tokens.size()) + " tokens, TTFT " + figure(t["ttftMs"], " ms") +
         ", prefill " + figure(t["prefillTps"], " tok/s") + ", decode " +
         figure(t["decodeTps"], " tok/s") + ", KV " + formatBytes(r.kvBytes) +
         ", ended: " + std::string(trace::finishReasonName(r.finish)));
}

Result<PreparedPrompt> prepare(const GenerateArgs& args, const Model& model) {
    std::shared_ptr<const ChatTemplate> own;
    if (!args.templateFile.empty()) {
        auto text = readTextFile(args.templateFile, kMaxTemplateBytes);
        if (!text) return text.error();
        auto parsed = ChatTemplate::parse(*text, args.templateFile);
        if (!parsed) return parsed.error();
        own = *parsed;
    }
    return preparePrompt(args.prompt, model, ".", own.get());
}

}  // namespace

Result<int> runGenerate(const GenerateArgs& args, const CancelToken& cancel) {
    ModelStore models;
    auto engine = openEngine(models, args.lane);
    if (!engine) return engine.error();
    // Ids given by hand are the person's own mistake, so they are checked as options first.
    if (auto ok = checkTokens(**engine, args.prompt.tokens); !ok) return ok.error();
    auto prompt = prepare(args, (*engine)->model());
    if (!prompt) return prompt.error();
    if (auto ok = checkTokens(**engine, prompt->tokens); !ok) return ok.error();

    GenerateRequest request;
    request.prompt = prompt->tokens;
    request.maxTokens = args.sampling.maxTokens;
    request.sampling = args.sampling.settings;
    request.stop = args.sampling.stop;
    request.ignoreEos = args.sampling.ignoreEos;
    const std::string whyHost = whyOnHost(request.sampling, request.topCandidates);
    if ((*engine)->effective().settings.sampleOn == SampleOn::Device && !whyHost.empty())
        note("note: sampling host instead of device: " + whyHost);
    const bool streaming = args.output == OutputKind::Text && stdoutIsTerminal();
    Streamer streamer;
    const trace::Cursor cursor{streaming ? &streamer : nullptr, 0, 0, -1};
    auto result = (*engine)->generate(request, cursor, cancel);
    if (!result) return result.error();

    const ordered_json json = resultJson(**engine, *prompt, request, *result);
    auto printed = args.output == OutputKind::Json ? printJson(json)
                                                   : print(streaming ? "\n" : result->text + "\n");
    if (!printed) return printed.error();
    if (args.output == OutputKind::Text) noteFigures(*prompt, *result, json["timing"]);
    if (result->finish == trace::FinishReason::Cancelled) {
        return cancelled("cancelled after " + std::to_string(result->tokens.size()) + " tokens");
    }
    return 0;
}

}  // namespace lanescope::cli
