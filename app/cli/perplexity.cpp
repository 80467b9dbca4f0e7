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
#include "engine/decode/quality.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;

/// The text's windows, each starting with BOS where the tokenizer has one.
class Windows {
  public:
    Windows(std::vector<TokenId> text, std::int64_t length, TokenId bos)
        : m_text(std::move(text)), m_length(static_cast<std::size_t>(length)), m_bos(bos) {}
    [[nodiscard]] std::size_t count() const { return m_text.size() / m_length; }
    /// The tokens of all windows, before BOS takes the place of each one's first.
    [[nodiscard]] std::span<const TokenId> tokens() const {
        return std::span(m_text).first(count() * m_length);
    }
    [[nodiscard]] std::vector<TokenId> at(std::size_t index) const {
        const auto begin = m_text.begin() + static_cast<std::ptrdiff_t>(index * m_length);
        std::vector<TokenId> window(begin, begin + static_cast<std::ptrdiff_t>(m_length));
        if (m_bos >= 0) window.front() = m_bos;
        return window;
    }

  private:
    std::vector<TokenId> m_text;
    std::size_t m_length;
    TokenId m_bos;
};

Result<Windows> readWindows(const PerplexityArgs& args, const Model& model) {
    if (model.tokenizer() == nullptr)
        return usageError("a text needs a tokenizer: " + model.tokenizerError());
    auto text = readInput(args.file, kMaxTextBytes);
    if (!text) return text.error();
    auto ids = model.tokenizer()->encode(*text, AddSpecial::Yes, SpecialTokens::AsText);
    if (!ids) return ids.error();
    const auto nTokens = std::ssize(*ids);
    if (nTokens < args.window)
        return badInput("has " + std::to_string(nTokens) + " tokens, a window needs " +
                            std::to_string(args.window),
                        args.file, "give a longer text or a smaller --ctx");
    const bool startsWithBos =
        model.tokenizer()->bos() >= 0 && ids->front() == model.tokenizer()->bos();
    return Windows(*std::move(ids), args.window, startsWithBos ? model.tokenizer()->bos() : -1);
}

/// llama.cpp counts every word of the vocabulary, also those that no text leads to.
std::int64_t wordsOf(const Model& model) {
    return model.tokenizer()->vocabSize();
}

/// What has been scored: all of it, and apart by position.
struct Scores {
    TextQuality all;
    std::vector<std::int64_t> depths;  ///< ascending: a figure for [earlier, this)
    std::vector<TextQuality> byDepth;  ///< [depths]

    /// fn(quality) for everything that a position counts for.
    template <class Fn>
    void each(std::int64_t position, Fn&& fn) {
        fn(all);
        const auto at = std::upper_bound(depths.begin(), depths.end(), position);
        if (at != depths.end()) fn(byDepth[static_cast<std::size_t>(at - depths.begin())]);
    }
};

/// One window: logits of both engines side by side; without depths the second half is scored.
Result<void> scoreWindow(Engine& engine, Engine* reference, std::span<const TokenId> window,
                         Scores& scores, LogProbFile* saved, const CancelToken& cancel) {
    const auto nTokens = std::ssize(window);
    auto mine = engine.logitStream(nTokens);
    auto theirs = reference != nullptr ? reference->logitStream(nTokens) : nullptr;
    std::int64_t chunk = mine->maxTokens();
    if (theirs != nullptr) chunk = std::min(chunk, theirs->maxTokens());
    const std::int64_t usable = engine.model().usableVocab();
    const std::int64_t firstScored = scores.depths.empty() ? nTokens / 2 : 0;
    for (std::int64_t done = 0; done < nTokens; done += chunk) {
        const std::int64_t count = std::min(chunk, nTokens - done);
        const auto part =
            window.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count));
        auto a = mine->feed(part, cancel);
        if (!a) return a.error();
        auto b =
            theirs != nullptr ? theirs->feed(part, cancel) : Result<std::span<const float>>(*a);
        if (!b) return b.error();
        const auto rowOf = [&](std::span<const float> all, std::int64_t i, std::int64_t length) {
            const auto vocab = all.size() / static_cast<std::size_t>(count);
            return all.subspan(static_cast<std::size_t>(i) * vocab,
                               static_cast<std::size_t>(length));
        };
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t position = done + i;
            if (position < firstScored || position + 1 >= nTokens) continue;
            const TokenId next = window[static_cast<std::size_t>(position + 1)];
            const Distribution predicted(rowOf(*a, i, usable));
            if (theirs != nullptr) {
                const Distribution expected(rowOf(*b, i, usable));
                const double divergence = klDivergence(expected, predicted);
                scores.each(position, [&](TextQuality& quality) {
                    quality.add(predicted, expected, divergence, next);
                });
            } else {
                scores.each(position, [&](TextQuality& quality) { quality.add(predicted, next); });
            }
            if (saved == nullptr) continue;
            if (auto ok = saved->add(Distribution(rowOf(*b, i, wordsOf(engine.model())))); !ok)
                return ok.error();
        }
    }
    return {};
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

ordered_json toJson(const Scores& scores, bool compared, double seconds) {
    ordered_json out = toJson(scores.all, compared);
    std::int64_t from = 0;
    for (std::size_t i = 0; i < scores.depths.size(); ++i) {
        if (scores.byDepth[i].nTokens() > 0) {
            ordered_json part = toJson(scores.byDepth[i], compared);
            part["from"] = from;
            part["to"] = scores.depths[i];
            out["byDepth"].push_back(part);
        }
        from = scores.depths[i];
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
    Scores scores;
    scores.depths = args.depths;
    std::sort(scores.depths.begin(), scores.depths.end());
    scores.byDepth.resize(scores.depths.size());
    for (std::size_t i = 0; i < windows->count(); ++i) {
        const std::vector<TokenId> window = windows->at(i);
        if (auto ok = scoreWindow(**engine, reference->get(), window, scores,
                                  saved ? &*saved : nullptr, cancel);
            !ok)
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
