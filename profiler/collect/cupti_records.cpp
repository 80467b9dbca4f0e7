#include "profiler/collect/cupti_records.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace lanescope::profiler::cupti {

namespace {

constexpr std::uint64_t kMaxTimeNs = std::uint64_t{1} << 60;  // what a run can store, and some room

/// Bytes of a record of this kind; 0 where it is not known.
std::size_t recordBytes(Kind kind) {
    switch (kind) {
        case Kind::Memcpy:
            return sizeof(MemcpyRecord);
        case Kind::Memset:
            return sizeof(MemsetRecord);
        case Kind::Kernel:
        case Kind::ConcurrentKernel:
            return sizeof(KernelRecord);
        case Kind::Driver:
        case Kind::Runtime:
            return kApiRecordBytes;
        case Kind::Device:
            return sizeof(DeviceRecord);
        case Kind::Context:
            return kContextRecordBytes;
        case Kind::Name:
            return kNameRecordBytes;
        case Kind::Marker:
            return kMarkerRecordBytes;
        case Kind::Overhead:
            return sizeof(OverheadRecord);
        case Kind::Stream:
            return kStreamRecordBytes;
        case Kind::ExternalCorrelation:
            return sizeof(ExternalCorrelationRecord);
        case Kind::GraphTrace:
            return sizeof(GraphTraceRecord);
    }
    return 0;
}

/// Ids are unsigned there, with all bits set for "none".
std::int32_t idOf(std::uint32_t id) {
    return id > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max())
               ? -1
               : static_cast<std::int32_t>(id);
}

std::int32_t sizeOf(std::int64_t size) {
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(size, 0, std::numeric_limits<std::int32_t>::max()));
}

class Reader {
  public:
    explicit Reader(ParsedBuffer& out) : m_out(out) {}

    /// One record that lies within the buffer for at least recordBytes() of its kind.
    void read(Kind kind, const std::uint8_t* at) {
        ++m_out.counts.records;
        switch (kind) {
            case Kind::Kernel:
            case Kind::ConcurrentKernel:
                return kernel(copyOf<KernelRecord>(at));
            case Kind::Memcpy:
                return memcpyRecord(copyOf<MemcpyRecord>(at));
            case Kind::Memset:
                return memsetRecord(copyOf<MemsetRecord>(at));
            case Kind::Overhead:
                return overhead(copyOf<OverheadRecord>(at));
            case Kind::GraphTrace:
                return graph(copyOf<GraphTraceRecord>(at));
            case Kind::ExternalCorrelation:
                return external(copyOf<ExternalCorrelationRecord>(at));
            case Kind::Device:
                return device(copyOf<DeviceRecord>(at));
            case Kind::Driver:
            case Kind::Runtime:
            case Kind::Context:
            case Kind::Name:
            case Kind::Marker:
            case Kind::Stream:
                return;
        }
    }

  private:
    template <class T>
    static T copyOf(const std::uint8_t* at) {
        T record;
        std::memcpy(&record, at, sizeof record);
        return record;
    }

    /// The fields that records of work on a device have in common, by the same names.
    template <class Record>
    static ParsedActivity common(DeviceActivityKind kind, const Record& r) {
        ParsedActivity parsed;
        parsed.activity.kind = kind;
        parsed.activity.device = idOf(r.device);
        parsed.activity.context = idOf(r.context);
        parsed.activity.stream = idOf(r.stream);
        parsed.activity.correlation = r.correlation;
        return parsed;
    }

    void kernel(const KernelRecord& r) {
        ParsedActivity parsed = common(DeviceActivityKind::Kernel, r);
        DeviceActivity& a = parsed.activity;
        a.graphNode = r.graphNode;
        for (std::size_t i = 0; i < 3; ++i) {
            a.grid[i] = sizeOf(r.grid[i]);
            a.block[i] = sizeOf(r.block[i]);
        }
        a.registersPerThread = r.registersPerThread;
        a.staticSharedBytes = sizeOf(r.staticShared);
        a.dynamicSharedBytes = sizeOf(r.dynamicShared);
        parsed.kernelName = r.name;
        add(parsed, r.start, r.end);
    }

    void memcpyRecord(const MemcpyRecord& r) {
        ParsedActivity parsed = common(DeviceActivityKind::Memcpy, r);
        parsed.activity.graphNode = r.graphNode;
        parsed.activity.bytes = r.bytes;
        parsed.fixedName = memcpyName(r.copyKind);
        add(parsed, r.start, r.end);
    }

    void memsetRecord(const MemsetRecord& r) {
        ParsedActivity parsed = common(DeviceActivityKind::Memset, r);
        parsed.activity.graphNode = r.graphNode;
        parsed.activity.bytes = r.bytes;
        parsed.fixedName = "Memset";
        add(parsed, r.start, r.end);
    }

    void overhead(const OverheadRecord& r) {
        ParsedActivity parsed;
        parsed.activity.kind = DeviceActivityKind::Overhead;
        parsed.activity.correlation = r.correlation;
        parsed.fixedName = overheadName(r.overheadKind);
        add(parsed, r.start, r.end);
    }

    void graph(const GraphTraceRecord& r) {
        ParsedActivity parsed = common(DeviceActivityKind::Graph, r);
        parsed.fixedName = "graph launch";
        add(parsed, r.start, r.end);
    }

    void external(const ExternalCorrelationRecord& r) {
        if (r.externalKind != kCustomCorrelation) return;  // another library's
        m_out.externalIds.push_back({r.correlation, r.externalId});
    }

    void device(const DeviceRecord& r) {
        if (idOf(r.id) < 0) return;
        ParsedDevice parsed;
        parsed.facts.device = idOf(r.id);
        parsed.facts.computeMajor = sizeOf(r.computeMajor);
        parsed.facts.computeMinor = sizeOf(r.computeMinor);
        parsed.facts.nSms = sizeOf(r.nSms);
        parsed.facts.memoryBytes = r.memoryBytes;
        parsed.limits = {sizeOf(r.computeMajor), sizeOf(r.maxWarpsPerSm), sizeOf(r.maxBlocksPerSm),
                         sizeOf(r.maxRegistersPerSm), sizeOf(r.maxSharedPerSm)};
        parsed.name = r.name;
        std::copy(std::begin(r.uuid), std::end(r.uuid), parsed.uuid.begin());
        m_out.devices.push_back(parsed);
    }

    void add(ParsedActivity& parsed, std::uint64_t start, std::uint64_t end) {
        if (start == 0 || end < start || end > kMaxTimeNs) {
            ++m_out.counts.badTimes;
            return;
        }
        if (start < m_lastStart) ++m_out.counts.outOfOrder;
        m_lastStart = std::max(m_lastStart, start);
        parsed.activity.tStartNs = static_cast<std::int64_t>(start);
        parsed.activity.tEndNs = static_cast<std::int64_t>(end);
        m_out.activities.push_back(parsed);
    }

    ParsedBuffer& m_out;
    std::uint64_t m_lastStart = 0;
};

Kind kindAt(const std::uint8_t* at) {
    std::uint32_t kind = 0;
    std::memcpy(&kind, at, sizeof kind);
    return static_cast<Kind>(kind);
}

/// Steps by CUPTI's own function, and checks that it stays within the buffer and goes forward.
void walkWithLibrary(std::span<const std::uint8_t> buffer, const NextRecord& next,
                     ParsedBuffer& out) {
    Reader reader(out);
    // CUPTI takes a pointer it could write through, but only reads.
    auto* begin = const_cast<std::uint8_t*>(buffer.data());
    const auto address = reinterpret_cast<std::uintptr_t>(buffer.data());
    std::size_t reached = 0;
    void* record = nullptr;
    while (true) {
        const Status status = next(begin, buffer.size(), &record);
        if (status == kMaxLimitReached) return;
        const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(record) - address;
        const bool inside = record != nullptr && at < buffer.size() && at >= reached &&
                            buffer.size() - at >= sizeof(std::uint32_t);
        if (status != kSuccess || !inside) {
            ++(status == kInvalidKind ? out.counts.unknown : out.counts.truncated);
            out.counts.bytesSkipped += buffer.size() - reached;
            return;
        }
        reached = at + sizeof(std::uint32_t);
        const Kind kind = kindAt(buffer.data() + at);
        const std::size_t bytes = recordBytes(kind);
        if (bytes == 0) {
            ++out.counts.records;
            ++out.counts.unknown;
        } else if (buffer.size() - at < bytes) {
            ++out.counts.truncated;
        } else {
            reader.read(kind, buffer.data() + at);
        }
    }
}

void walkBySize(std::span<const std::uint8_t> buffer, ParsedBuffer& out) {
    Reader reader(out);
    std::size_t at = 0;
    while (at < buffer.size()) {
        const std::size_t left = buffer.size() - at;
        const std::size_t bytes =
            left < sizeof(std::uint32_t) ? 0 : recordBytes(kindAt(buffer.data() + at));
        if (left < sizeof(std::uint32_t) || bytes > left) {
            ++out.counts.truncated;
            return;
        }
        if (bytes == 0) {
            ++out.counts.unknown;
            out.counts.bytesSkipped += left;
            return;
        }
        reader.read(kindAt(buffer.data() + at), buffer.data() + at);
        at += bytes;
    }
}

}  // namespace

RecordCounts& RecordCounts::operator+=(const RecordCounts& other) {
    records += other.records;
    unknown += other.unknown;
    truncated += other.truncated;
    badTimes += other.badTimes;
    outOfOrder += other.outOfOrder;
    bytesSkipped += other.bytesSkipped;
    return *this;
}

ParsedBuffer parseRecords(std::span<const std::uint8_t> buffer, const NextRecord& next) {
    ParsedBuffer out;
    if (buffer.empty()) return out;
    if (next) {
        walkWithLibrary(buffer, next, out);
    } else {
        walkBySize(buffer, out);
    }
    return out;
}

const char* memcpyName(std::uint8_t copyKind) {
    static constexpr const char* kNames[] = {
        "Memcpy",      "Memcpy HtoD", "Memcpy DtoH", "Memcpy HtoA", "Memcpy AtoH", "Memcpy AtoA",
        "Memcpy AtoD", "Memcpy DtoA", "Memcpy DtoD", "Memcpy HtoH", "Memcpy PtoP"};
    return copyKind < std::size(kNames) ? kNames[copyKind] : kNames[0];
}

const char* overheadName(std::uint32_t overheadKind) {
    switch (overheadKind) {
        case 1:
            return "driver compiler";
        case 1U << 16:
            return "buffer flush";
        case 2U << 16:
            return "instrumentation";
        case 3U << 16:
            return "resource creation";
        case 4U << 16:
            return "module loading by the runtime";
        case 5U << 16:
            return "lazy function loading";
        case 6U << 16:
            return "command buffer full";
        case 7U << 16:
            return "activity buffer request";
        case 8U << 16:
            return "unified memory tracing start";
        default:
            return "overhead";
    }
}

}  // namespace lanescope::profiler::cupti
