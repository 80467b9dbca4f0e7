// `bench MODEL`: prefill and decode speed with fixed token ids, no sampling, as mean ± sd over
// repetitions after a warm-up. Tests alternate between repetitions, so that drift hits all alike.

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/bench_cost.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/lane_engine.h"
#include "engine/base/format.h"
#include "profiler/analyse/stats.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;

/// One line of the table.
struct Test {
    std::string name;  ///< "pp512", "tg128", "tg128@d512"
    bool prefill = false;
    std::int64_t nTokens = 0;
    std::int64_t depth = 0;
    Work work;
    std::vector<double> tps;
    std::vector<double> seconds;
};

std::vector<Test> makeTests(const BenchArgs& args, const Engine& engine) {
    const std::uint64_t kv = engine.kvBytesPerToken();
    const std::int64_t chunk = engine.effective().settings.prefillChunk;
    std::vector<Test> tests;
    for (const std::int64_t n : args.prefill) {
        if (n == 0) continue;
        tests.push_back({"pp" + std::to_string(n),
                         true,
                         n,
                         0,
                         prefillWork(engine.model(), n, chunk, kv),
                         {},
                         {}});
    }
    for (const std::int64_t depth : args.depth) {
        for (const std::int64_t n : args.decode) {
            if (n == 0) continue;
            const std::string at = depth > 0 ? "@d" + std::to_string(depth) : "";
            tests.push_back({"tg" + std::to_string(n) + at,
                             false,
                             n,
                             depth,
                             decodeWork(engine.model(), n, depth, kv),
                             {},
                             {}});
        }
    }
    return tests;
}

Result<std::int64_t> measure(Engine& engine, const Test& test, const CancelToken& cancel) {
    return test.prefill ? engine.timePrefill(test.nTokens, cancel)
                        : engine.timeDecode(test.nTokens, test.depth, cancel);
}

Result<void> runTests(Engine& engine, const BenchArgs& args, std::vector<Test>& tests,
                      const CancelToken& cancel) {
    for (int r = -args.warmup; r < args.repetitions; ++r) {
        for (Test& test : tests) {
            auto ns = measure(engine, test, cancel);
            if (!ns) return ns.error();
            if (r < 0) continue;
            const double seconds = static_cast<double>(*ns) / 1e9;
            test.seconds.push_back(seconds);
            test.tps.push_back(static_cast<double>(test.nTokens) / seconds);
            note(test.name + " repetition " + std::to_string(r + 1) + " of " +
                 std::to_string(args.repetitions) + ": " + formatNumber(test.tps.back(), 1) +
                 " tok/s");
        }
    }
    return {};
}

/// Longest test, so that the KV cache is big enough for all.
std::int64_t contextNeeded(const BenchArgs& args) {
    std::int64_t most = 1;
    for (const std::int64_t n : args.prefill) most = std::max(most, n);
    for (const std::int64_t depth : args.depth) {
        for (const std::int64_t n : args.decode) most = std::max(most, depth + n);
    }
    return most;
}

ordered_json toJson(const std::vector<Test>& tests) {
    ordered_json out = ordered_json::array();
    for (const Test& test : tests) {
        const auto tps = profiler::distribution(test.tps);
        const double seconds = profiler::distribution(test.seconds).mean;
        ordered_json row;
        row["test"] = test.name;
        row["tps"] = {{"mean", tps.mean}, {"sd", tps.sd}, {"n", tps.n}};
        row["gbps"] = test.work.bytes / seconds / 1e9;
        row["mbu"] = nullptr;  // needs a measured roof
        row["gflops"] = test.work.flops / seconds / 1e9;
        row["mfu"] = nullptr;
        out.push_back(row);
    }
    return out;
}

/// A path is named by its last part.
std::string modelName(const std::string& model) {
    std::filesystem::path path(model);
    if (!path.has_filename()) path = path.parent_path();
    return path.filename().string();
}

std::string toMarkdown(const std::string& model, const Engine& engine, const ordered_json& rows) {
    const EffectiveSettings& e = engine.effective();
    std::string out =
        "| model | size | threads | isa | test | tok/s | GB/s | GFLOP/s |\n"
        "| --- | ---: | ---: | --- | --- | ---: | ---: | ---: |\n";
    for (const ordered_json& row : rows) {
        out += "| " + model + " | " + formatBytes(engine.model().weightBytes()) + " | " +
               std::to_string(e.settings.threads) + " | " + e.isa + " | " +
               row["test"].get<std::string>() + " | " +
               formatNumber(row["tps"]["mean"].get<double>(), 2) + " ± " +
               formatNumber(row["tps"]["sd"].get<double>(), 2) + " | " +
               formatNumber(row["gbps"].get<double>(), 2) + " | " +
               formatNumber(row["gflops"].get<double>(), 1) + " |\n";
    }
    return out;
}

}  // namespace

Result<int> runBench(const BenchArgs& args, const CancelToken& cancel) {
    for (const std::int64_t b : args.batch) {
        if (b != 1) {
            return usageError(
                "-b " + std::to_string(b) + ": batched decoding is not in this version",
                "use -b 1");
        }
    }
    LaneSpec lane = args.lane;
    if (lane.context == 0) lane.context = contextNeeded(args);
    if (lane.context < contextNeeded(args)) {
        return usageError("the tests need " + std::to_string(contextNeeded(args)) +
                              " tokens, --context is " + std::to_string(lane.context),
                          "give a longer context or shorter tests");
    }
    ModelStore models;
    auto engine = openEngine(models, lane);
    if (!engine) return engine.error();
    std::vector<Test> tests = makeTests(args, **engine);
    if (tests.empty()) return usageError("nothing to measure", "give -p or -n above 0");
    if (auto ok = runTests(**engine, args, tests, cancel); !ok) return ok.error();
    const ordered_json rows = toJson(tests);
    auto printed = args.output == OutputKind::Json
                       ? printJson(rows)
                       : print(toMarkdown(modelName(args.lane.model), **engine, rows));
    if (!printed) return printed.error();
    return 0;
}

}  // namespace lanescope::cli
