// `run PLAN.json` and `demo`.

#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/lane_engine.h"
#include "app/cli/recorded_run.h"
#include "engine/lane/run.h"

namespace lanescope::cli {

namespace {

constexpr std::size_t kMaxPlanBytes = 64U << 20;

std::string shellQuote(const std::string& text) {
    if (!text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                                                "WXYZ0123456789_./-") == std::string::npos) {
        return text;
    }
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// KV in fp32 against fp16: the smallest change with a visible price and no visible loss.
Plan demoPlan() {
    Plan plan;
    plan.name = "demo: KV cache fp32 and fp16";
    plan.prompts = {
        {PromptKind::Chat, "Name three primary colours and one thing of each colour.", "", {}},
        {PromptKind::Chat, "Explain in two sentences why the sky is blue.", "", {}}};
    plan.sampling.maxTokens = 64;
    plan.repetitions = 3;
    LaneSpec lane;
    lane.name = "A";
    lane.model = "smollm2";
    lane.kv = "fp32";
    plan.lanes.push_back(lane);
    lane.name = "B";
    lane.kv = "fp16";
    plan.lanes.push_back(lane);
    plan.baseline = "A";
    return plan;
}

}  // namespace

Result<int> runPlanFile(const RunArgs& args, const CancelToken& cancel) {
    auto text = readInput(args.plan, kMaxPlanBytes);
    if (!text) return text.error();
    const bool piped = args.plan == "-";
    auto plan = parsePlan(*text, piped ? "standard input" : args.plan);
    if (!plan) return plan.error();
    RecordedRun run;
    run.plan = std::move(*plan);
    run.baseDir = ".";
    if (!piped) {
        const auto parent = std::filesystem::path(args.plan).parent_path();
        if (!parent.empty()) run.baseDir = parent.string();
        std::error_code ec;
        const auto whole = std::filesystem::absolute(args.plan, ec);
        run.command = "lanescope-cli run " + shellQuote(ec ? args.plan : whole.string()) +
                      (args.exact ? " --exact" : "");
    }
    if (args.exact) {
        for (LaneSpec& lane : run.plan.lanes) lane.exact = true;
    }
    run.args = args;
    return recordRun(run, cancel);
}

Result<int> runDemo(const RunArgs& args, const CancelToken& cancel) {
    if (auto path = ModelStore::resolve("smollm2"); !path) {
        Error e = path.error();
        e.nextStep =
            "get it with `./dev models`, or put it there by hand; LANESCOPE_MODELS names "
            "another folder";
        return e;
    }
    RecordedRun run;
    run.plan = demoPlan();
    run.baseDir = ".";
    run.command = "lanescope-cli demo";
    run.args = args;
    if (run.args.out.empty()) run.args.out = "lanescope-demo";
    return recordRun(run, cancel);
}

}  // namespace lanescope::cli
