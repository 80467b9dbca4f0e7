#include "profiler/analyse/roofline.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/json.h"

namespace lanescope::profiler {

namespace {

using nlohmann::json;

json documentOf(const std::string& text, const char* what) {
    auto parsed = parseJson(text, what);
    return parsed && parsed->is_object() ? *std::move(parsed) : json::object();
}

/// A finite number above 0, or 0.
double positive(const json& object, const char* key) {
    const auto at = object.find(key);
    if (at == object.end() || !at->is_number()) return 0.0;
    const double value = at->get<double>();
    return std::isfinite(value) && value > 0.0 ? value : 0.0;
}

const json& listOf(const json& object, const char* key) {
    static const json kEmpty = json::array();
    const auto at = object.find(key);
    return at != object.end() && at->is_array() ? *at : kEmpty;
}

Roof roofFrom(const json& entry) {
    Roof roof;
    roof.threads = static_cast<int>(std::min(positive(entry, "threads"), 1e6));
    if (const auto isa = entry.find("isa"); isa != entry.end() && isa->is_string())
        roof.isa = isa->get<std::string>();
    roof.readGBps = positive(entry, "readGBps");
    roof.int8Gops = positive(entry, "int8Gops");
    roof.fp32Gflops = positive(entry, "fp32Gflops");
    roof.bf16Gflops = positive(entry, "bf16Gflops");
    return roof;
}

}  // namespace

double peakGflops(const Roof& roof, Peak peak) {
    switch (peak) {
        case Peak::Int8:
            return roof.int8Gops;
        case Peak::Bf16:
            return roof.bf16Gflops;
        case Peak::Fp32:
            break;
    }
    return roof.fp32Gflops;
}

const char* peakName(Peak peak) {
    switch (peak) {
        case Peak::Int8:
            return "int8";
        case Peak::Bf16:
            return "bf16";
        case Peak::Fp32:
            break;
    }
    return "fp32";
}

std::bitset<trace::kOpCount> productOps() {
    std::bitset<trace::kOpCount> out;
    for (const trace::Op op :
         {trace::Op::Qkv, trace::Op::OutProj, trace::Op::GateUp, trace::Op::Down, trace::Op::Head})
        out.set(static_cast<std::size_t>(op));
    return out;
}

const char* limitName(Limit limit) {
    switch (limit) {
        case Limit::Memory:
            return "memory";
        case Limit::Arithmetic:
            return "arithmetic";
        case Limit::Unknown:
            break;
    }
    return "";
}

LaneRoof laneRoof(const RunData& run, std::int32_t lane) {
    LaneRoof out;
    const auto record = std::find_if(run.lanes.begin(), run.lanes.end(),
                                     [lane](const auto& r) { return r.index == lane; });
    if (record == run.lanes.end()) return out;
    const json settings = documentOf(record->settingsJson, "settings");
    const json machine = documentOf(run.header.machineJson, "machine");
    const double threads = positive(settings, "threads");
    for (const json& entry : listOf(machine, "roofs")) {
        if (!entry.is_object() || positive(entry, "threads") != threads) continue;
        if (const Roof roof = roofFrom(entry); roof.known()) out.roof = roof;
    }
    if (settings.is_object() && settings.value("acts", json()) == "bf16")
        out.bf16Ops = productOps();
    for (const json& name : listOf(settings, "int8")) {
        if (!name.is_string()) continue;
        for (int i = 0; i < trace::kOpCount; ++i) {
            if (trace::opName(static_cast<trace::Op>(i)) == name.get<std::string>())
                out.int8Ops.set(static_cast<std::size_t>(i));
        }
    }
    return out;
}

RooflinePoint rooflinePoint(const OpWork& work, const Roof& roof, Peak peak) {
    RooflinePoint point;
    point.peak = peak;
    const auto bytes = static_cast<double>(work.bytes);
    const auto flops = static_cast<double>(work.flops);
    if (bytes > 0.0) point.intensity = flops / bytes;
    if (!(work.ms > 0.0)) return point;
    point.gbPerS = bytes / (work.ms * 1e6);
    point.gflopPerS = flops / (work.ms * 1e6);
    if (!roof.known() || (bytes <= 0.0 && flops <= 0.0)) return point;
    const double peakAt = peakGflops(roof, peak);
    const double memoryMs = bytes / (roof.readGBps * 1e6);
    const double arithmeticMs = flops / (peakAt * 1e6);
    point.limit = memoryMs >= arithmeticMs ? Limit::Memory : Limit::Arithmetic;
    point.attainableGflopPerS =
        bytes > 0.0 ? std::min(peakAt, point.intensity * roof.readGBps) : peakAt;
    point.ofRoof = std::max(memoryMs, arithmeticMs) / work.ms;
    point.fromCache = point.limit == Limit::Memory && point.ofRoof > 1.0;
    constexpr double kNoise = 1.05;
    point.roofTooLow = point.limit == Limit::Arithmetic && point.ofRoof > kNoise;
    return point;
}

RooflinePoint rooflinePoint(const OpStats& stats, const LaneRoof& lane) {
    if (isPhase(stats.op)) return {};
    return rooflinePoint({stats.bytes, stats.flops, stats.totalMs}, lane.roof,
                         lane.peakOf(stats.op));
}

}  // namespace lanescope::profiler
