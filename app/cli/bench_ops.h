#pragma once
// `bench --ops`: where a test's time goes, op by op, held against the machine's roof, and what
// recording it costs. From the spans the engine itself records, with the recorder the app uses.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/decode/engine.h"
#include "engine/lane/machine_roof.h"
#include "profiler/analyse/roofline.h"

namespace lanescope::cli {

/// Runs a test once: elapsed ns of its timed part.
using Repetition = std::function<Result<std::int64_t>()>;

struct OpRow {
    profiler::OpStats stats;
    profiler::RooflinePoint point;
};
struct TestOps {
    std::vector<OpRow> rows;         ///< in the order of Op
    std::uint64_t droppedSpans = 0;  ///< above 0: totals are too low
};
/// One more repetition, traced.
Result<TestOps> traceOps(Engine& engine, const Repetition& repetition, const MachineRoof& roof);

/// Medians of repetitions with and without a recorder, in turn, after one of each that is not
/// counted.
struct TracePrice {
    int n = 0;  ///< of each
    double tracedMs = 0.0;
    double untracedMs = 0.0;
    double percent = 0.0;  ///< of pairs: the median of each pair's, as machines change their pace
};
/// Precondition: n >= 1.
Result<TracePrice> tracePrice(Engine& engine, const Repetition& repetition, int n);

nlohmann::ordered_json opsJson(const TestOps& ops);
nlohmann::ordered_json priceJson(const TracePrice& price);
std::string opsMarkdown(const std::string& test, const TestOps& ops);
std::string priceText(const std::string& test, const TracePrice& price);

}  // namespace lanescope::cli
