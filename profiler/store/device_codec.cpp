// Device timing as bytes: activities, names, samples, and the section of it in the head of a run.

#include "engine/trace/events.h"
#include "profiler/store/blob.h"
#include "profiler/store/codec.h"

namespace lanescope::profiler {

const char* deviceActivityKindName(DeviceActivityKind kind) {
    switch (kind) {
        case DeviceActivityKind::Kernel:
            return "kernel";
        case DeviceActivityKind::Memcpy:
            return "memcpy";
        case DeviceActivityKind::Memset:
            return "memset";
        case DeviceActivityKind::Overhead:
            return "overhead";
        case DeviceActivityKind::Graph:
            return "graph";
    }
    return "";
}

namespace codec {

namespace {

constexpr std::int64_t kMaxI16 = std::numeric_limits<std::int16_t>::max();

/// Differences of what is mostly the same from activity to activity.
struct ActivityDeltas {
    Deltas start, correlation, name, context, request, step;
};

void writeActivity(ByteWriter& w, const DeviceActivity& a, ActivityDeltas& deltas) {
    const bool hasSpan = a.tSpanNs != kUnknownNs;
    const bool isKernel = a.kind == DeviceActivityKind::Kernel;
    w.fixed(static_cast<std::uint64_t>(a.kind), 1);
    w.i64(deltas.start.to(a.tStartNs));
    w.i64(difference(a.tEndNs, a.tStartNs));
    w.fixed(hasSpan ? 1 : 0, 1);
    if (hasSpan) w.i64(difference(a.tStartNs, a.tSpanNs));
    w.u64(a.bytes);
    w.u64(a.graphNode);
    w.i64(deltas.correlation.to(a.correlation));
    w.i64(deltas.name.to(a.name));
    w.i64(a.device);
    w.i64(deltas.context.to(a.context));
    w.i64(a.stream);
    for (const std::int16_t v : {a.op, a.layer, a.lane}) w.i64(v);
    w.i64(deltas.request.to(a.request));
    w.i64(deltas.step.to(a.step));
    if (!isKernel) return;
    for (const std::int32_t v : a.grid) w.i64(v);
    for (const std::int32_t v : a.block) w.i64(v);
    for (const std::int32_t v : {a.registersPerThread, a.staticSharedBytes, a.dynamicSharedBytes}) {
        w.i64(v);
    }
    w.f32(a.occupancy);
}

/// A difference that must lead to a number in [low, high].
template <class Int>
Int from(ByteReader& r, Deltas& deltas, std::int64_t low, std::int64_t high, bool& fine) {
    const std::int64_t v = deltas.from(r.i64());
    fine = fine && v >= low && v <= high;
    return fine ? static_cast<Int>(v) : static_cast<Int>(low);
}

DeviceActivity readActivity(ByteReader& r, ActivityDeltas& deltas, bool& fine) {
    DeviceActivity a;
    const std::uint64_t kind = r.fixed(1);
    fine = fine && kind < static_cast<std::uint64_t>(kDeviceActivityKindCount);
    if (!fine) return a;
    a.kind = static_cast<DeviceActivityKind>(kind);
    a.tStartNs = deltas.start.from(r.i64());
    a.tEndNs = added(a.tStartNs, r.i64());
    fine = fine && isTime(a.tStartNs) && isTime(a.tEndNs);
    const std::uint64_t hasSpan = r.fixed(1);
    fine = fine && hasSpan <= 1;
    if (hasSpan == 1) {
        a.tSpanNs = difference(a.tStartNs, r.i64());
        fine = fine && isTime(a.tSpanNs);
    }
    a.bytes = r.u64();
    a.graphNode = r.u64();
    a.correlation = from<std::uint32_t>(r, deltas.correlation, 0,
                                        std::numeric_limits<std::uint32_t>::max(), fine);
    a.name = from<std::int32_t>(r, deltas.name, -1, kMaxI32, fine);
    a.device = r.within<std::int32_t>(-1, kMaxI32);
    a.context = from<std::int32_t>(r, deltas.context, -1, kMaxI32, fine);
    a.stream = r.within<std::int32_t>(-1, kMaxI32);
    a.op = r.within<std::int16_t>(-1, trace::kOpCount - 1);
    a.layer = r.within<std::int16_t>(-1, kMaxI16);
    a.lane = r.within<std::int16_t>(-1, kMaxLane);
    a.request = from<std::int32_t>(r, deltas.request, -1, kMaxI32, fine);
    a.step = from<std::int32_t>(r, deltas.step, -1, kMaxI32, fine);
    if (a.kind != DeviceActivityKind::Kernel) return a;
    for (std::int32_t& v : a.grid) v = r.within<std::int32_t>(0, kMaxI32);
    for (std::int32_t& v : a.block) v = r.within<std::int32_t>(0, kMaxI32);
    for (std::int32_t* v : {&a.registersPerThread, &a.staticSharedBytes, &a.dynamicSharedBytes}) {
        *v = r.within<std::int32_t>(0, kMaxI32);
    }
    a.occupancy = r.f32();
    fine = fine && a.occupancy >= 0.0F && a.occupancy <= 1.0F;
    return a;
}

}  // namespace

std::string encodeDeviceActivities(const DeviceActivityList& activities, std::size_t chunk) {
    ByteWriter w;
    const std::size_t first = chunk * DeviceActivityList::kItemsPerChunk;
    const std::size_t n = activities.itemsIn(chunk);
    w.u64(n);
    ActivityDeltas deltas;
    for (std::size_t i = first; i < first + n; ++i) writeActivity(w, activities[i], deltas);
    return sealed(w);
}

Result<void> decodeDeviceActivities(std::string_view blob, DeviceActivityList& activities) {
    const auto body = unsealed(blob, "a block of device activities");
    if (!body) return body.error();
    ByteReader r(*body);
    const std::size_t n = r.count(16);
    ActivityDeltas deltas;
    for (std::size_t i = 0; i < n; ++i) {
        bool fine = true;
        const DeviceActivity activity = readActivity(r, deltas, fine);
        if (!fine || !r.ok()) {
            return badInput("is damaged: a device activity has a value out of range");
        }
        activities.push_back(activity);
    }
    return finish(r, "a block of device activities");
}

std::string encodeDeviceNames(const DeviceNameList& names, std::size_t chunk) {
    ByteWriter w;
    const std::size_t first = chunk * DeviceNameList::kItemsPerChunk;
    const std::size_t n = names.itemsIn(chunk);
    w.u64(n);
    for (std::size_t i = first; i < first + n; ++i) w.str(names[i]);
    return sealed(w);
}

Result<void> decodeDeviceNames(std::string_view blob, DeviceNameList& names) {
    const auto body = unsealed(blob, "a block of kernel names");
    if (!body) return body.error();
    ByteReader r(*body);
    const std::size_t n = r.count(1);
    for (std::size_t i = 0; i < n && r.ok(); ++i) names.push_back(r.str());
    return finish(r, "a block of kernel names");
}

std::string encodeDeviceSamples(const DeviceSampleList& samples, std::size_t chunk) {
    ByteWriter w;
    const std::size_t first = chunk * DeviceSampleList::kItemsPerChunk;
    const std::size_t n = samples.itemsIn(chunk);
    w.u64(n);
    Deltas times, memory;
    for (std::size_t i = first; i < first + n; ++i) {
        const DeviceSample& s = samples[i];
        w.i64(times.to(s.tNs));
        for (const std::int32_t v :
             {s.device, s.powerMilliwatts, s.smClockMHz, s.memoryClockMHz, s.temperatureC}) {
            w.i64(v);
        }
        w.i64(memory.to(s.memoryUsedBytes));
    }
    return sealed(w);
}

Result<void> decodeDeviceSamples(std::string_view blob, DeviceSampleList& samples) {
    const auto body = unsealed(blob, "a block of device samples");
    if (!body) return body.error();
    ByteReader r(*body);
    const std::size_t n = r.count(7);
    Deltas times, memory;
    for (std::size_t i = 0; i < n && r.ok(); ++i) {
        DeviceSample s;
        s.tNs = times.from(r.i64());
        s.device = r.within<std::int32_t>(0, kMaxI32);
        for (std::int32_t* v :
             {&s.powerMilliwatts, &s.smClockMHz, &s.memoryClockMHz, &s.temperatureC}) {
            *v = r.i32();
        }
        s.memoryUsedBytes = memory.from(r.i64());
        if (!isTime(s.tNs)) return badInput("is damaged: a device sample's time is out of range");
        samples.push_back(s);
    }
    return finish(r, "a block of device samples");
}

std::string encodeDeviceSection(const RunData& run) {
    ByteWriter w;
    const auto& timing = run.deviceTiming;
    w.str(timing.source);
    w.str(timing.unavailable);
    w.f64(timing.clockResidualNs);
    for (const std::uint64_t v :
         {timing.droppedRecords, timing.badRecords, timing.unmatched, timing.overheadNs}) {
        w.u64(v);
    }
    w.f64(timing.labelCostNs);
    w.u64(run.devices.size());
    for (const auto& device : run.devices) {
        w.i64(device.device);
        w.str(device.name);
        for (const std::int32_t v : {device.computeMajor, device.computeMinor, device.nSms}) {
            w.i64(v);
        }
        w.u64(device.memoryBytes);
        w.f64(device.copyGBps);
        w.str(device.uuid);
    }
    for (const std::size_t n :
         {run.deviceActivities.size(), run.deviceNames.size(), run.deviceSamples.size()}) {
        w.u64(n);
    }
    return std::move(w.bytes());
}

Result<void> decodeDeviceSection(std::string_view section, RunHead& head) {
    ByteReader r(section);
    auto& timing = head.run.deviceTiming;
    timing.source = r.str();
    timing.unavailable = r.str();
    timing.clockResidualNs = r.f64();
    for (std::uint64_t* v :
         {&timing.droppedRecords, &timing.badRecords, &timing.unmatched, &timing.overheadNs}) {
        *v = r.u64();
    }
    timing.labelCostNs = r.f64();
    const std::size_t nDevices = r.count(16);
    for (std::size_t i = 0; i < nDevices && r.ok(); ++i) {
        DeviceFacts device;
        device.device = r.within<std::int32_t>(0, kMaxI32);
        device.name = r.str();
        for (std::int32_t* v : {&device.computeMajor, &device.computeMinor, &device.nSms}) {
            *v = r.within<std::int32_t>(0, kMaxI32);
        }
        device.memoryBytes = r.u64();
        device.copyGBps = r.f64();
        device.uuid = r.str();
        head.run.devices.push_back(std::move(device));
    }
    for (std::uint64_t* n : {&head.nDeviceActivities, &head.nDeviceNames, &head.nDeviceSamples}) {
        *n = r.u64();
    }
    return finish(r, "the devices of the run");
}

}  // namespace codec

}  // namespace lanescope::profiler
