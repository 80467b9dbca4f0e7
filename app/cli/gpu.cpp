// `gpu`: the devices the CUDA plugin sees, or the step at which there are none; with --ops whether
// a device's ops are right, with --bench how fast its kernels are.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "engine/backend/cuda/gpu_rival.h"
#include "engine/backend/cuda/op_suite.h"
#include "engine/backend/cuda/plugin_source.h"
#include "engine/backend/cuda/self_test.h"
#include "engine/base/clock.h"
#include "engine/base/format.h"
#include "engine/lane/gpu_bench.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;

/// What is printed, in both forms.
struct Report {
    ordered_json json;
    std::string text;
    std::string error;  ///< what is wrong with the device; empty: nothing
};

void addDevices(const std::vector<GpuInfo>& devices, Report& report) {
    report.json["devices"] = ordered_json::array();
    for (const GpuInfo& info : devices) {
        const std::string capability =
            std::to_string(info.capabilityMajor) + "." + std::to_string(info.capabilityMinor);
        report.json["devices"].push_back({{"index", info.index},
                                          {"name", info.name},
                                          {"capability", capability},
                                          {"multiprocessors", info.multiprocessors},
                                          {"memoryBytes", info.totalBytes}});
        report.text += std::to_string(info.index) + "  " + info.name + ", compute capability " +
                       capability + ", " + std::to_string(info.multiprocessors) +
                       " multiprocessors, " + formatBytes(info.totalBytes) + "\n";
    }
}

/// A device that fails is only worth going on with when its ops are asked for.
Result<void> addSelfTest(GpuDevice& device, bool goOn, Report& report) {
    const auto right = selfTest(device);
    if (!right && !goOn) return right.error();
    report.json["selfTest"] = right ? "passed" : right.error().message;
    report.text += right
                       ? "device " + std::to_string(device.info().index) + " passes its self-test\n"
                       : right.error().message + "\n";
    if (!right) report.error = right.error().message;
    return {};
}

ordered_json opsJson(const OpSuite& suite, double seconds) {
    ordered_json rows = ordered_json::array();
    for (const OpCheckRow& row : suite.rows) {
        rows.push_back({{"op", row.op},
                        {"cases", row.cases},
                        {"worst", row.worst},
                        {"tolerance", row.tolerance},
                        {"passed", row.passed()}});
        if (!row.worstCase.empty()) rows.back()["worstCase"] = row.worstCase;
        if (!row.failure.empty()) rows.back()["failure"] = row.failure;
    }
    return {{"passed", suite.passed()}, {"seconds", seconds}, {"rows", rows}};
}

std::string opsText(const OpSuite& suite) {
    std::string text =
        "\nEach op against plain loops on the processor; errors as a part of the largest value:\n\n"
        "| op | cases | worst error | allowed | |\n"
        "| --- | ---: | ---: | ---: | --- |\n";
    for (const OpCheckRow& row : suite.rows)
        text += "| " + row.op + " | " + std::to_string(row.cases) + " | " + scientific(row.worst) +
                " | " + scientific(row.tolerance) + " | " +
                (row.passed() ? "right" : "WRONG: " + describeFailure(row)) + " |\n";
    return text;
}

Result<void> addOps(GpuDevice& device, const CancelToken& cancel, Report& report) {
    const std::int64_t start = nowNs();
    auto suite = runOpSuite(device, device.ops(), cancel);
    if (!suite) return suite.error();
    report.json["ops"] = opsJson(*suite, static_cast<double>(nowNs() - start) / 1e9);
    report.text += opsText(*suite);
    if (suite->passed()) return {};
    const auto wrong = [](const OpCheckRow& row) { return !row.passed(); };
    const auto first = std::find_if(suite->rows.begin(), suite->rows.end(), wrong);
    report.error = std::to_string(std::count_if(first, suite->rows.end(), wrong)) + " of " +
                   std::to_string(suite->rows.size()) +
                   " rows are wrong; the first: " + describeFailure(*first);
    return {};
}

Result<void> addBench(GpuDevice& device, const CancelToken& cancel, Report& report) {
    std::string why;
    const auto rival = cublasRival(device, &why);
    auto bench = benchGpu(device, {}, cancel, rival ? &*rival : nullptr);
    if (!bench) return bench.error();
    ordered_json rows = ordered_json::array();
    report.text += "\ncopy: " + formatNumber(bench->copyGbps, 1) +
                   " GB/s read and written\n\n"
                   "| kernel | us | GB/s | of copy | TFLOP/s |\n"
                   "| --- | ---: | ---: | ---: | ---: |\n";
    for (const GpuBenchRow& row : bench->rows) {
        rows.push_back({{"kernel", row.name},
                        {"us", row.us},
                        {"gbps", row.gbps},
                        {"ofCopy", row.ofCopy},
                        {"tflops", row.tflops}});
        report.text += "| " + row.name + " | " + formatNumber(row.us, 1) + " | " +
                       formatNumber(row.gbps, 1) + " | " + formatNumber(100.0 * row.ofCopy, 0) +
                       " % | " + formatNumber(row.tflops, 2) + " |\n";
    }
    report.json["bench"] = {{"copyGbps", bench->copyGbps},
                            {"beside", rival ? rival->name : "nothing: " + why},
                            {"kernels", rows}};
    if (!rival) report.text += "\nnot beside cuBLASLt: " + why + "\n";
    return {};
}

}  // namespace

Result<int> runGpu(const GpuArgs& args, const CancelToken& cancel) {
    auto plugin = cudaPlugin();
    if (!plugin) return plugin.error();
    auto devices = devicesOf(**plugin);
    if (!devices) return devices.error();
    Report report;
    addDevices(*devices, report);
    auto device = openUntested(**plugin, args.device);
    if (!device) return device.error();
    if (auto ok = addSelfTest(**device, args.ops, report); !ok) return ok.error();
    if (args.ops)
        if (auto ok = addOps(**device, cancel, report); !ok) return ok.error();
    if (args.bench)
        if (auto ok = addBench(**device, cancel, report); !ok) return ok.error();
    auto printed = args.output == OutputKind::Json ? printJson(report.json) : print(report.text);
    if (!printed) return printed.error();
    if (report.error.empty()) return 0;
    note("error: " + report.error);
    return 1;
}

}  // namespace lanescope::cli
