// `gpu`: the devices the CUDA plugin sees, or the step at which there are none; with --bench the
// speed of a device's kernels.

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "engine/backend/cuda/plugin_source.h"
#include "engine/base/format.h"
#include "engine/lane/gpu_bench.h"

namespace lanescope::cli {

namespace {

nlohmann::ordered_json deviceJson(const GpuInfo& info) {
    return {{"index", info.index},
            {"name", info.name},
            {"capability",
             std::to_string(info.capabilityMajor) + "." + std::to_string(info.capabilityMinor)},
            {"multiprocessors", info.multiprocessors},
            {"memoryBytes", info.totalBytes}};
}

std::string deviceText(const GpuInfo& info) {
    return std::to_string(info.index) + "  " + info.name + ", compute capability " +
           std::to_string(info.capabilityMajor) + "." + std::to_string(info.capabilityMinor) +
           ", " + std::to_string(info.multiprocessors) + " multiprocessors, " +
           formatBytes(info.totalBytes) + "\n";
}

std::string benchText(const GpuBench& bench) {
    std::string text = "\ncopy: " + formatNumber(bench.copyGbps, 1) +
                       " GB/s read and written\n\n"
                       "| kernel | us | GB/s | of copy | TFLOP/s |\n"
                       "| --- | ---: | ---: | ---: | ---: |\n";
    for (const GpuBenchRow& row : bench.rows)
        text += "| " + row.name + " | " + formatNumber(row.us, 1) + " | " +
                formatNumber(row.gbps, 1) + " | " + formatNumber(100.0 * row.ofCopy, 0) + " % | " +
                formatNumber(row.tflops, 2) + " |\n";
    return text;
}

nlohmann::ordered_json benchJson(const GpuBench& bench) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const GpuBenchRow& row : bench.rows)
        rows.push_back({{"kernel", row.name},
                        {"us", row.us},
                        {"gbps", row.gbps},
                        {"ofCopy", row.ofCopy},
                        {"tflops", row.tflops}});
    return {{"copyGbps", bench.copyGbps}, {"kernels", rows}};
}

}  // namespace

Result<int> runGpu(const GpuArgs& args, const CancelToken& cancel) {
    auto plugin = cudaPlugin();
    if (!plugin) return plugin.error();
    auto devices = devicesOf(**plugin);
    if (!devices) return devices.error();
    nlohmann::ordered_json out;
    std::string text;
    out["devices"] = nlohmann::ordered_json::array();
    for (const GpuInfo& info : *devices) {
        out["devices"].push_back(deviceJson(info));
        text += deviceText(info);
    }
    // Opening runs the self-test.
    auto device = pluginSource().open(args.device);
    if (!device) return device.error();
    out["selfTest"] = "passed";
    text += "device " + std::to_string(args.device) + " passes its self-test\n";
    if (args.bench) {
        auto bench = benchGpu(**device, {}, cancel);
        if (!bench) return bench.error();
        out["bench"] = benchJson(*bench);
        text += benchText(*bench);
    }
    auto printed = args.output == OutputKind::Json ? printJson(out) : print(text);
    if (!printed) return printed.error();
    return 0;
}

}  // namespace lanescope::cli
