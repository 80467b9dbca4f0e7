// `serve-sim MODEL --arrivals …`: requests arrive as a pattern or a file says and are served
// together; with several policies each serves the same requests anew, so that they can be held side
// by side.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/lane_engine.h"
#include "engine/base/format.h"
#include "engine/base/mapped_file.h"
#include "engine/schedule/arrivals.h"
#include "engine/schedule/batch_engine.h"
#include "profiler/analyse/serving.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;
using profiler::Distribution;
using profiler::ServingStats;

/// What one policy did with the requests.
struct Outcome {
    std::string policy;
    ServingStats stats;
    std::vector<std::vector<TokenId>> tokens;  ///< [requests]
    bool cancelled = false;
};

BatchSettings batchSettings(const ServeArgs& args, const std::string& policy) {
    BatchSettings s;
    s.policy = policy == "static"       ? BatchPolicy::Static
               : policy == "sequential" ? BatchPolicy::Sequential
                                        : BatchPolicy::Continuous;
    s.mixing = args.chunked ? PromptMixing::Chunked : PromptMixing::PrefillFirst;
    s.fairness = args.fairness == "arrival" ? Fairness::Arrival : Fairness::ByClient;
    s.maxRunning = args.maxRunning;
    s.tokenBudget = args.budget;
    s.reusePrefixes = args.reusePrefixes;
    return s;
}

Result<Outcome> measure(Engine& engine, const std::vector<ServeRequest>& requests,
                        const ServeArgs& args, const std::string& policy,
                        const CancelToken& cancel) {
    auto served = serve(engine, requests, batchSettings(args, policy), {}, cancel);
    if (!served) return served.error();
    Outcome outcome;
    outcome.policy = policy;
    outcome.cancelled = cancel.requested();
    std::vector<trace::ServedRecord> records;
    std::vector<std::vector<std::int64_t>> times;
    for (const ServedRequest& request : served->requests) {
        records.push_back(request.record);
        times.push_back(request.result.tokenNs);
        outcome.tokens.push_back(request.result.tokens);
        if (!request.error.empty())
            note("request " + std::to_string(request.record.request) + ": " + request.error);
    }
    outcome.stats = profiler::servingStats({records, times, served->steps},
                                           engine.effective().settings.kvBlockTokens,
                                           {args.goalTtftMs, args.goalTpotMs});
    return outcome;
}

ordered_json toJson(const Distribution& d) {
    return {{"mean", d.mean}, {"p50", d.p50}, {"p95", d.p95}, {"p99", d.p99}, {"n", d.n}};
}

ordered_json toJson(const Outcome& outcome) {
    const ServingStats& s = outcome.stats;
    return {{"policy", outcome.policy},
            {"tps", s.tps},
            {"requestsPerSecond", s.requestsPerSecond},
            {"seconds", s.seconds},
            {"ttft", toJson(s.ttftMs)},
            {"itl", toJson(s.itlMs)},
            {"tpot", toJson(s.tpotMs)},
            {"queue", toJson(s.queueMs)},
            {"endToEnd", toJson(s.endToEndMs)},
            {"occupancy", s.occupancy},
            {"kvUse", s.kvUse},
            {"kvEmpty", s.kvEmpty},
            {"kvBlocksPeak", s.kvBlocksPeak},
            {"queuePeak", s.queuePeak},
            {"preemptions", s.preemptions},
            {"goodput", s.goodput},
            {"goodShare", s.goodShare},
            {"finished", s.finished},
            {"cancelled", s.cancelled},
            {"failed", s.failed},
            {"promptTokens", s.promptTokens},
            {"reusedTokens", s.reusedTokens},
            {"outputTokens", s.outputTokens}};
}

bool sameTokens(const std::vector<Outcome>& outcomes) {
    return std::ranges::all_of(
        outcomes, [&](const Outcome& o) { return o.tokens == outcomes.front().tokens; });
}

std::string toTable(const std::vector<Outcome>& outcomes, const ServeArgs& args) {
    std::string out =
        "| policy | tok/s | TTFT p50 ms | p95 | p99 | ITL p50 ms | p95 | p99 | queue p95 ms | "
        "batch "
        "% | KV % | preempted | reused | good req/s |\n|---|" +
        [] {
            std::string columns;
            for (int i = 0; i < 13; ++i) columns += "---:|";
            return columns;
        }() +
        "\n";
    for (const Outcome& o : outcomes) {
        const ServingStats& s = o.stats;
        out += "| " + o.policy;
        for (const double value :
             {s.tps, s.ttftMs.p50, s.ttftMs.p95, s.ttftMs.p99, s.itlMs.p50, s.itlMs.p95,
              s.itlMs.p99, s.queueMs.p95, 100.0 * s.occupancy, 100.0 * s.kvUse})
            out += " | " + formatNumber(value, 1);
        out += " | " + std::to_string(s.preemptions) + " | " + std::to_string(s.reusedTokens) +
               " | " + formatNumber(s.goodput, 2) + " |\n";
    }
    out += "\ngood: first token within " + formatNumber(args.goalTtftMs, 0) +
           " ms and then a token every " + formatNumber(args.goalTpotMs, 0) + " ms on average\n";
    if (outcomes.size() > 1 && !outcomes.front().cancelled)
        out += sameTokens(outcomes) ? "every policy gave the same tokens\n"
                                    : "the policies gave different tokens\n";
    return out;
}

}  // namespace

Result<int> runServeSim(const ServeArgs& args, const CancelToken& cancel) {
    LoadSettings load = args.load;
    auto pattern = parseArrivals(args.arrivals);
    if (!pattern) return pattern.error();
    load.pattern = *std::move(pattern);
    for (auto& [text, range] : {std::pair{&args.promptTokens, &load.promptTokens},
                                std::pair{&args.outputTokens, &load.outputTokens}}) {
        auto lengths = parseLengths(*text);
        if (!lengths) return lengths.error();
        *range = *lengths;
    }
    ModelStore models;
    auto model = models.get(args.lane.model);
    if (!model) return model.error();
    auto arrivals = makeArrivals(**model, load);
    if (!arrivals) return arrivals.error();
    if (!args.saveArrivals.empty()) {
        if (auto wrote = writeFileAtomically(args.saveArrivals, arrivalLines(*arrivals)); !wrote)
            return wrote.error();
        note("wrote " + args.saveArrivals);
        return 0;
    }
    const std::vector<ServeRequest> requests = serveRequests(*std::move(arrivals), args.sampling);

    LaneSpec lane = args.lane;
    if (lane.context == 0) lane.context = longestText(requests);
    auto settings = engineSettings(lane);
    if (!settings) return settings.error();
    settings->maxSequences = args.maxRunning;
    settings->poolBlocks = args.blocks;
    settings->prefillChunk = args.budget;
    auto engine = openEngine(models, lane, *settings);
    if (!engine) return engine.error();

    std::vector<Outcome> outcomes;
    for (const std::string& policy : args.policies) {
        note(policy + ": " + std::to_string(requests.size()) + " requests");
        auto outcome = measure(**engine, requests, args, policy, cancel);
        if (!outcome) return outcome.error();
        outcomes.push_back(*std::move(outcome));
        if (cancel.requested()) break;
    }
    ordered_json json = toJson(outcomes.front());
    if (outcomes.size() > 1) {
        json = {{"policies", ordered_json::array()}, {"sameTokens", sameTokens(outcomes)}};
        for (const Outcome& outcome : outcomes) json["policies"].push_back(toJson(outcome));
    }
    auto printed =
        args.output == OutputKind::Json ? printJson(json) : print(toTable(outcomes, args));
    if (!printed) return printed.error();
    if (cancel.requested()) return cancelled();
    return 0;
}

}  // namespace lanescope::cli
