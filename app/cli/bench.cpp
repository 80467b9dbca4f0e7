// `bench MODEL`: prefill and decode speed with fixed token ids, no sampling, as mean ± sd over
// repetitions after a warm-up. Tests alternate between repetitions, so that drift hits all alike.

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/bench_cost.h"
#include "app/cli/bench_device.h"
#include "app/cli/bench_ops.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/lane_engine.h"
#include "engine/base/format.h"
#include "engine/lane/machine_roof.h"
#include "profiler/analyse/stats.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;

/// One line of the table.
struct Test {
    std::string name;  ///< "pp512", "tg128", "tg128@d512", "tg128x16"
    bool prefill = false;
    std::int64_t nTokens = 0;
    std::int64_t depth = 0;
    std::int64_t sequences = 1;
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
                         1,
                         prefillWork(engine.model(), n, chunk, kv),
                         {},
                         {}});
    }
    for (const std::int64_t depth : args.depth) {
        for (const std::int64_t n : args.decode) {
            if (n == 0) continue;
            const std::string at = depth > 0 ? "@d" + std::to_string(depth) : "";
            for (const std::int64_t b : args.batch)
                tests.push_back(
                    {"tg" + std::to_string(n) + (b > 1 ? "x" + std::to_string(b) : "") + at,
                     false,
                     n,
                     depth,
                     b,
                     decodeWork(engine.model(), n, depth, b, kv),
                     {},
                     {}});
        }
    }
    return tests;
}

Result<std::int64_t> measure(Engine& engine, const Test& test, const CancelToken& cancel) {
    if (test.prefill) return engine.timePrefill(test.nTokens, cancel);
    if (test.sequences == 1) return engine.timeDecode(test.nTokens, test.depth, cancel);
    return engine.timeBatch(test.sequences, test.nTokens, test.depth, cancel);
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
            test.tps.push_back(static_cast<double>(test.nTokens * test.sequences) / seconds);
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

/// 10^9 operations a second that the test's matrices could reach at most.
double arithmeticRoof(const MachineRoof& roof, const Engine& engine) {
    return engine.effective().settings.exact
               ? roof.fp32Gflops
               : std::max({roof.int8Gops, roof.fp32Gflops, roof.bf16Gflops});
}

double gopsOf(const Test& test) {
    return test.work.flops / *std::min_element(test.seconds.begin(), test.seconds.end()) / 1e9;
}

bool onDevice(const Engine& engine) {
    return engine.effective().settings.backend != BackendKind::Cpu;
}

/// Of the processor; not known where another device computes.
MachineRoof roofOf(const Engine& engine, bool probe) {
    if (onDevice(engine)) return {};
    const int threads = engine.effective().settings.threads;
    return probe ? measureRoof(threads) : machineRoof(threads);
}

/// A figure above the machine's own peak has skipped work, unless the peak was measured while
/// something else ran: so that is looked at once more. `roof` is then the new one.
Result<void> checkAgainstRoof(const std::vector<Test>& tests, const Engine& engine,
                              MachineRoof& roof) {
    constexpr double kTolerance = 1.05;
    if (!roof.known()) return {};
    const auto fastest =
        std::max_element(tests.begin(), tests.end(),
                         [](const Test& a, const Test& b) { return gopsOf(a) < gopsOf(b); });
    const double gops = gopsOf(*fastest);
    if (gops <= arithmeticRoof(roof, engine) * kTolerance) return {};
    roof = measureRoof(roof.threads);
    // On a machine that is always busy threads are seldom undisturbed together.
    const double alone =
        engine.effective().settings.exact
            ? roof.fp32GflopsAlone
            : std::max({roof.int8GopsAlone, roof.fp32GflopsAlone, roof.bf16GflopsAlone});
    const double most = std::max(arithmeticRoof(roof, engine), alone * roof.threads);
    if (gops <= most * kTolerance) return {};
    return internalError(fastest->name + " seems to do " + formatNumber(gops, 0) +
                         " GOP/s, above the " + formatNumber(most, 0) +
                         " that this machine reaches at most");
}

ordered_json toJson(const std::vector<Test>& tests, const MachineRoof& roof, double gopsAtMost) {
    ordered_json out = ordered_json::array();
    for (const Test& test : tests) {
        const auto tps = profiler::distribution(test.tps);
        const double seconds = profiler::distribution(test.seconds).mean;
        ordered_json row;
        row["test"] = test.name;
        row["tps"] = {{"mean", tps.mean}, {"sd", tps.sd}, {"n", tps.n}};
        row["gbps"] = test.work.bytes / seconds / 1e9;
        if (roof.known()) row["mbu"] = row["gbps"].get<double>() / roof.readGBps;
        row["gflops"] = test.work.flops / seconds / 1e9;
        if (roof.known()) row["mfu"] = row["gflops"].get<double>() / gopsAtMost;
        out.push_back(row);
    }
    return out;
}

/// Repetitions with and without a trace, of each.
int pairsOf(const BenchArgs& args) {
    constexpr int kFewestPairs = 5;
    return std::max(kFewestPairs, args.repetitions);
}

/// Adds to each test's row where its time goes, and to the first decoding one's what tracing costs
/// the processor. Returns the same as text.
Result<std::string> addOps(Engine& engine, const BenchArgs& args, const std::vector<Test>& tests,
                           const MachineRoof& roof, const CancelToken& cancel, ordered_json& rows) {
    std::string text, price;
    for (std::size_t i = 0; i < tests.size(); ++i) {
        const Test& test = tests[i];
        const Repetition repetition = [&] { return measure(engine, test, cancel); };
        note(test.name + " traced");
        auto ops = traceOps(engine, repetition, roof);
        if (!ops) return ops.error();
        rows[i]["ops"] = opsJson(*ops);
        rows[i]["droppedSpans"] = ops->droppedSpans;
        text += opsMarkdown(test.name, *ops);
        if (test.prefill || !price.empty() || onDevice(engine)) continue;
        note(test.name + " with and without a trace, in turn");
        auto cost = tracePrice(engine, repetition, pairsOf(args));
        if (!cost) return cost.error();
        rows[i]["traceCost"] = priceJson(*cost);
        price = priceText(test.name, *cost);
    }
    return text + price;
}

/// Adds to the first decoding test's row what tracing costs a GPU, with engines of its own. Returns
/// the same as text.
Result<std::string> addDevicePrice(const BenchArgs& args, const std::vector<Test>& tests,
                                   DevicePhases phases, const CancelToken& cancel,
                                   ordered_json& rows) {
    const auto first =
        std::find_if(tests.begin(), tests.end(), [](const Test& test) { return !test.prefill; });
    if (first == tests.end()) return std::string();
    note(first->name + " with and without a trace, in turn");
    phases.repetition = [&](Engine& engine) { return measure(engine, *first, cancel); };
    phases.n = pairsOf(args);
    auto price = deviceTracePrice(phases);
    if (!price) return price.error();
    rows[static_cast<std::size_t>(first - tests.begin())]["traceCost"] = devicePriceJson(*price);
    return devicePriceText(first->name, *price);
}

/// A path is named by its last part.
std::string modelName(const std::string& model) {
    std::filesystem::path path(model);
    if (!path.has_filename()) path = path.parent_path();
    return path.filename().string();
}

/// A share of the roof, where there is one.
std::string percent(const ordered_json& row, const char* share) {
    return row.contains(share) ? formatNumber(100.0 * row[share].get<double>(), 0) + " %" : "–";
}

std::string toMarkdown(const std::string& model, const Engine& engine, const MachineRoof& roof,
                       const ordered_json& rows) {
    const EffectiveSettings& e = engine.effective();
    std::string out =
        "| model | size | threads | isa | test | tok/s | GB/s | of roof | GFLOP/s | of roof |\n"
        "| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |\n";
    for (const ordered_json& row : rows) {
        out += "| " + model + " | " + formatBytes(engine.model().weightBytes()) + " | " +
               std::to_string(e.settings.threads) + " | " + e.isa + " | " +
               row["test"].get<std::string>() + " | " +
               formatNumber(row["tps"]["mean"].get<double>(), 2) + " ± " +
               formatNumber(row["tps"]["sd"].get<double>(), 2) + " | " +
               formatNumber(row["gbps"].get<double>(), 2) + " | " + percent(row, "mbu") + " | " +
               formatNumber(row["gflops"].get<double>(), 1) + " | " + percent(row, "mfu") + " |\n";
    }
    if (!roof.known()) return out;
    out +=
        "\nRoof of " + std::to_string(roof.threads) + " threads, " + roof.isa +
        ", measured: " + formatNumber(roof.readGBps, 1) + " GB/s read, " +
        formatNumber(roof.int8Gops, 0) + " int8 GOP/s, " + formatNumber(roof.fp32Gflops, 0) +
        " fp32 GFLOP/s" +
        (roof.bf16Gflops > 0 ? ", " + formatNumber(roof.bf16Gflops, 0) + " bf16 GFLOP/s\n" : "\n");
    return out;
}

}  // namespace

Result<int> runBench(const BenchArgs& args, const CancelToken& cancel) {
    LaneSpec lane = args.lane;
    if (lane.context == 0) lane.context = contextNeeded(args);
    if (lane.context < contextNeeded(args)) {
        return usageError("the tests need " + std::to_string(contextNeeded(args)) +
                              " tokens, --context is " + std::to_string(lane.context),
                          "give a longer context or shorter tests");
    }
    ModelStore models;
    const auto open = [&] {
        return openEngine(models, lane, *std::max_element(args.batch.begin(), args.batch.end()));
    };
    auto engine = open();
    if (!engine) return engine.error();
    std::vector<Test> tests = makeTests(args, **engine);
    if (tests.empty()) return usageError("nothing to measure", "give -p or -n above 0");
    MachineRoof roof = roofOf(**engine, args.probe);
    if (auto ok = runTests(**engine, args, tests, cancel); !ok) return ok.error();
    if (auto real = checkAgainstRoof(tests, **engine, roof); !real) return real.error();
    ordered_json rows = toJson(tests, roof, arithmeticRoof(roof, **engine));
    std::string out = toMarkdown(modelName(args.lane.model), **engine, roof, rows);
    if (args.ops) {
        auto text = addOps(**engine, args, tests, roof, cancel, rows);
        if (!text) return text.error();
        out += *text;
    }
    if (args.ops && onDevice(**engine)) {
        const int device = (*engine)->effective().settings.device;
        engine->reset();  // its memory is the next one's
        auto text = addDevicePrice(args, tests, {open, {}, device, 1}, cancel, rows);
        if (!text) return text.error();
        out += *text;
    }
    auto printed = args.output == OutputKind::Json ? printJson(rows) : print(out);
    if (!printed) return printed.error();
    return 0;
}

}  // namespace lanescope::cli
