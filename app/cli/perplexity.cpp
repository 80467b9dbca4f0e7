// `perplexity MODEL --file T [--against MODEL]`: how well the text is predicted, and how far from a
// reference's predictions. The text is cut into windows of --ctx tokens; the second half of each is
// scored, so that every token scored has at least half a window before it (as llama.cpp's
// llama-perplexity does it, so that figures can be held side by side).

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/lane_engine.h"
#include "app/cli/log_prob_file.h"
#include "engine/base/clock.h"
#include "engine/base/format.h"
#include "engine/decode/text_windows.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;

Result<TextWindows> readWindows(const PerplexityArgs& args, const Model& model) {
    auto text = readInput(args.file, kMaxTextBytes);
    if (!text) return text.error();
    return TextWindows::create(model, *text, args.window, args.file);
}

/// llama.cpp counts every word of the vocabulary, also those that no text leads to.
std::int64_t wordsOf(const Model& model) {
    return model.tokenizer()->vocabSize();
}

ordered_json toJson(const TextQuality& quality, bool compared) {
    ordered_json out;
    out["ppl"] = quality.perplexity();
    out["pplSe"] = quality.perplexityError();
    out["tokens"] = quality.nTokens();
    if (compared) {
        const DivergenceSummary kld = quality.divergence();
        out["kld"] = {
            {"mean", kld.mean}, {"median", kld.median}, {"p99", kld.p99}, {"max", kld.max}};
        out["top1"] = quality.sameBest();
    }
    return out;
}

ordered_json toJson(const DepthScores& scores, bool compared, double seconds) {
    ordered_json out = toJson(scores.all, compared);
    for (std::size_t i = 0; i < scores.depths.size(); ++i) {
        if (scores.byDepth[i].nTokens() == 0) continue;
        ordered_json part = toJson(scores.byDepth[i], compared);
        part["from"] = scores.from(i);
        part["to"] = scores.depths[i];
        out["byDepth"].push_back(part);
    }
    out["seconds"] = seconds;
    return out;
}

std::string depthTable(const ordered_json& parts) {
    std::string out = "| positions | tokens | ppl | KLD mean | median | 99 % | same best % |\n";
    out += "|---|---:|---:|---:|---:|---:|---:|\n";
    for (const ordered_json& part : parts) {
        out += "| " + std::to_string(part["from"].get<std::int64_t>()) + "–" +
               std::to_string(part["to"].get<std::int64_t>() - 1) + " | " +
               std::to_string(part["tokens"].get<std::int64_t>()) + " | " +
               formatNumber(part["ppl"].get<double>(), 3);
        if (part.contains("kld")) {
            for (const char* key : {"mean", "median", "p99"})
                out += " | " + formatNumber(part["kld"][key].get<double>(), 6);
            out += " | " + formatNumber(100.0 * part["top1"].get<double>(), 2);
        } else {
            out += " | | | |";
        }
        out += " |\n";
    }
    return out;
}

std::string toText(const ordered_json& result) {
    std::string out = "perplexity " + formatNumber(result["ppl"].get<double>(), 4) + " ± " +
                      formatNumber(result["pplSe"].get<double>(), 4) + " over " +
                      std::to_string(result["tokens"].get<std::int64_t>()) + " tokens\n";
    if (result.contains("byDepth")) out += depthTable(result["byDepth"]);
    if (!result.contains("kld")) return out;
    const ordered_json& kld = result["kld"];
    const auto nats = [&kld](const char* key) { return formatNumber(kld[key].get<double>(), 6); };
    return out + "KL divergence (nats) mean " + nats("mean") + ", median " + nats("median") +
           ", 99 % " + nats("p99") + ", max " + nats("max") + "; same best token " +
           formatNumber(100.0 * result["top1"].get<double>(), 2) + " %\n";
}

/// What predictions are held against; null: nothing.
Result<std::unique_ptr<Engine>> openReference(const PerplexityArgs& args, const LaneSpec& lane,
                                              ModelStore& models, const Engine& engine) {
    const bool sameLane = !args.againstKv.empty() || !args.againstAttention.empty();
    if (args.against.empty() && !sameLane) return std::unique_ptr<Engine>();
    LaneSpec other = lane;
    if (!args.against.empty()) {
        other.model = args.against;
        other.exact = !sameLane;
    }
    if (!args.againstKv.empty()) {
        other.kv = args.againstKv;
        other.kvValues.clear();
        other.kvRotate = false;
    }
    if (!args.againstAttention.empty()) other.attention = args.againstAttention;
    if (args.againstAttention.empty() && args.againstKv.empty()) {
        other.attention = "flash";  // the exact path leaves nothing out
        other.denseLayers.clear();
    }
    auto reference = openEngine(models, other);
    if (!reference) return reference;
    const std::int64_t mine = engine.model().usableVocab();
    const std::int64_t theirs = (*reference)->model().usableVocab();
    if (mine != theirs)
        return usageError("the vocabularies differ: " + std::to_string(mine) + " and " +
                          std::to_string(theirs) + " tokens");
    return reference;
}

}  // namespace

Result<int> runPerplexity(const PerplexityArgs& args, const CancelToken& cancel) {
    LaneSpec lane = args.lane;
    lane.context = std::max(lane.context, args.window);
    ModelStore models;
    auto engine = openEngine(models, lane);
    if (!engine) return engine.error();
    auto reference = openReference(args, lane, models, **engine);
    if (!reference) return reference.error();
    auto windows = readWindows(args, (*engine)->model());
    if (!windows) return windows.error();
    std::optional<LogProbFile> saved;
    if (!args.saveLogits.empty()) {
        auto file = LogProbFile::create(args.saveLogits, args.window, wordsOf((*engine)->model()),
                                        windows->tokens());
        if (!file) return file.error();
        saved.emplace(*std::move(file));
    }
    const std::int64_t start = nowNs();
    DepthScores scores(args.depths);
    ScoreHooks hooks;
    if (saved)
        hooks.position = [&, words = static_cast<std::size_t>(wordsOf((*engine)->model()))](
                             std::span<const float> logits) {
            return saved->add(Distribution(logits.first(words)));
        };
    for (std::size_t i = 0; i < windows->count(); ++i) {
        const std::vector<TokenId> window = windows->at(i);
        if (auto ok = scoreWindow(**engine, reference->get(), window, scores, hooks, cancel); !ok)
            return ok.error();
        note("window " + std::to_string(i + 1) + " of " + std::to_string(windows->count()) +
             ": perplexity so far " + formatNumber(scores.all.perplexity(), 3));
    }
    if (saved) {
        if (auto ok = saved->finish(); !ok) return ok.error();
        note("wrote " + args.saveLogits);
    }
    const double seconds = static_cast<double>(nowNs() - start) / 1e9;
    const ordered_json result = toJson(scores, *reference != nullptr, seconds);
    auto printed = args.output == OutputKind::Json ? printJson(result) : print(toText(result));
    if (!printed) return printed.error();
    return 0;
}

}  // namespace lanescope::cli
