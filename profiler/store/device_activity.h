#pragma once
// What ran on a device, as a run keeps it: kernels, copies and the profiler's own overhead on the
// run's clock, each with the engine's label where a correlation gave one. Plain values; how they
// are collected is in collect/cupti_*. Read next: run_data.h.

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/trace/events.h"

namespace lanescope::profiler {

inline constexpr std::int64_t kUnknownNs = std::numeric_limits<std::int64_t>::min();

enum class DeviceActivityKind : std::uint8_t {
    Kernel,
    Memcpy,
    Memset,
    Overhead,  ///< the profiler's own: buffer flushes, instrumentation; on no stream
    Graph,     ///< a whole graph launch, where its nodes are not traced one by one
};
inline constexpr int kDeviceActivityKindCount = static_cast<int>(DeviceActivityKind::Graph) + 1;
/// "kernel", "memcpy" …: the name in files.
const char* deviceActivityKindName(DeviceActivityKind kind);

/// One stretch of time on a device. Fields that a kind does not have are 0, or -1 for indices.
struct DeviceActivity {
    std::int64_t tStartNs = 0;  ///< like all times of a run: since its start, once it is in RunData
    std::int64_t tEndNs = 0;
    std::int64_t tSpanNs = kUnknownNs;  ///< start of the engine span that launched it
    std::uint64_t bytes = 0;            ///< copied or set
    std::uint64_t graphNode = 0;        ///< node of the graph it was launched by; 0 = none
    std::uint32_t correlation = 0;      ///< id shared with the launching call; 0 = none
    std::int32_t name = -1;             ///< index in RunData::deviceNames
    std::int32_t device = -1;
    std::int32_t context = -1;
    std::int32_t stream = -1;
    DeviceActivityKind kind = DeviceActivityKind::Kernel;

    // Kernels only.
    std::array<std::int32_t, 3> grid{};   ///< blocks
    std::array<std::int32_t, 3> block{};  ///< threads
    std::int32_t registersPerThread = 0;
    std::int32_t staticSharedBytes = 0;
    std::int32_t dynamicSharedBytes = 0;
    float occupancy = 0.0F;  ///< theoretical, 0 to 1; 0 = not known

    // The label of the engine span behind it; -1 = unknown.
    std::int16_t op = -1;  ///< a trace::Op
    std::int16_t layer = -1;
    std::int16_t lane = -1;
    std::int32_t request = -1;
    std::int32_t step = -1;
};

/// What is known of one device of the run.
struct DeviceFacts {
    std::int32_t device = 0;
    std::string name;
    std::int32_t computeMajor = 0, computeMinor = 0;  ///< compute capability; 0.0 = not known
    std::int32_t nSms = 0;
    std::uint64_t memoryBytes = 0;
    double copyGBps = 0.0;  ///< measured device-to-device, read plus written; 0 = not measured
    std::string uuid;       ///< "GPU-…"; empty = not known
};

/// How the timing of the devices went, and what it cost.
struct DeviceTiming {
    std::string source;       ///< "CUPTI 13.0"; empty = devices were not timed
    std::string unavailable;  ///< why a device is there and not timed, in one line; empty = fine
    double clockResidualNs = 0.0;      ///< of the fit of the device's clock; 0 = same clock
    std::uint64_t droppedRecords = 0;  ///< lost for lack of room, here or in the driver
    std::uint64_t badRecords = 0;      ///< truncated, or of a kind not known here
    std::uint64_t unmatched = 0;       ///< activities whose engine span was not found
    std::uint64_t overheadNs = 0;      ///< overhead records, plus labels pushed x labelCostNs
    double labelCostNs = 0.0;          ///< measured: telling the driver of one span, and its end

    [[nodiscard]] bool on() const { return !source.empty(); }
};

/// A reading of the device's sensors; negative = not available.
struct DeviceSample {
    std::int64_t tNs = 0;
    std::int32_t device = 0;
    std::int32_t powerMilliwatts = -1;
    std::int32_t smClockMHz = -1;
    std::int32_t memoryClockMHz = -1;
    std::int32_t temperatureC = -1;
    std::int64_t memoryUsedBytes = -1;
};

/// What a collector hands over: times are nowNs(), `name` is an index in the batch's own names.
struct DeviceActivityBatch {
    std::vector<std::string> names;
    std::vector<DeviceActivity> activities;
};

/// Order of RunData::deviceActivities: by start, of equal starts the longer first.
inline bool earlier(const DeviceActivity& a, const DeviceActivity& b) {
    if (a.tStartNs != b.tStartNs) return a.tStartNs < b.tStartNs;
    return a.tEndNs > b.tEndNs;
}

}  // namespace lanescope::profiler
