#pragma once
// What tracing costs where a GPU computes: spans, labels for the driver, and the records of every
// kernel (CUPTI). The driver records from the moment it is asked to until the program stops asking,
// and only graphs that were recorded meanwhile show their kernels, so each phase has an engine of
// its own. For `bench --ops`; on the processor: tracePrice() of bench_ops.h.

#include "app/cli/bench_ops.h"
#include "profiler/store/device_activity.h"

namespace lanescope::cli {

struct DevicePrice {
    /// Untraced: the faster of the phases before and after, so that neither a clock that drifts nor
    /// what the driver keeps doing after it was asked to stop makes tracing look cheap.
    TracePrice price;
    double beforeMs = 0.0, afterMs = 0.0;
    profiler::DeviceTiming timing;  ///< on(): CUPTI recorded; else why it did not
    std::size_t activities = 0;     ///< kernels, copies and the like that it gave
};

/// What a phase needs.
struct DevicePhases {
    std::function<Result<std::unique_ptr<Engine>>()> open;    ///< a new engine, alone
    std::function<Result<std::int64_t>(Engine&)> repetition;  ///< ns of one repetition
    int device = 0;
    int n = 1;  ///< repetitions of each phase
};
/// Medians; the first repetition of an engine is not counted.
Result<DevicePrice> deviceTracePrice(const DevicePhases& phases);

nlohmann::ordered_json devicePriceJson(const DevicePrice& price);
std::string devicePriceText(const std::string& test, const DevicePrice& price);

}  // namespace lanescope::cli
