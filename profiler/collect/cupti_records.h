#pragma once
// Reads the buffers of activity records that CUPTI fills. Trusts nothing in them but the pointers
// to names, and follows those not at all: that is left to the caller, who knows where the buffer is
// from. Next: cupti_correlator.h, which puts the engine's labels on what comes out.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "profiler/collect/cupti_abi.h"
#include "profiler/collect/cupti_occupancy.h"
#include "profiler/store/device_activity.h"

namespace lanescope::profiler::cupti {

/// An activity in the clock of the record: name still a pointer, labels unknown.
struct ParsedActivity {
    DeviceActivity activity;
    const char* kernelName = nullptr;  ///< as CUPTI gave it, mangled; not looked at
    const char* fixedName = nullptr;   ///< of a copy or an overhead: text of this program
};

/// A launch (correlation id) happened within a span (external id).
struct ExternalId {
    std::uint32_t correlation = 0;
    std::uint64_t external = 0;
};

/// A device as CUPTI describes it.
struct ParsedDevice {
    DeviceFacts facts;  ///< without its name
    SmLimits limits;
    const char* name = nullptr;  ///< as CUPTI gave it; not looked at
    std::array<std::uint8_t, 16> uuid{};
};

struct RecordCounts {
    std::uint64_t records = 0;       ///< read, whether or not they are of use here
    std::uint64_t unknown = 0;       ///< kinds not known here
    std::uint64_t truncated = 0;     ///< cut off by the end of the buffer
    std::uint64_t badTimes = 0;      ///< no time, or an end before its start
    std::uint64_t outOfOrder = 0;    ///< started before one already read; no loss
    std::uint64_t bytesSkipped = 0;  ///< behind a record whose length is not known

    RecordCounts& operator+=(const RecordCounts& other);
    /// What is missing in the run because of it.
    [[nodiscard]] std::uint64_t bad() const { return unknown + truncated + badTimes; }
};

struct ParsedBuffer {
    std::vector<ParsedActivity> activities;  ///< as they lay in the buffer
    std::vector<ExternalId> externalIds;
    std::vector<ParsedDevice> devices;
    RecordCounts counts;
};

/// cuptiActivityGetNextRecord: *record is null at first.
using NextRecord = std::function<Status(std::uint8_t* buffer, std::size_t size, void** record)>;

/// Reads one buffer, aligned to 8. With `next` CUPTI itself steps from record to record, so that
/// kinds unknown here and longer records of a newer CUPTI are stepped over; without, the walk goes
/// by the sizes of CUDA 13 and ends at the first kind that it does not know.
ParsedBuffer parseRecords(std::span<const std::uint8_t> buffer, const NextRecord& next = {});

/// "Memcpy HtoD" … by CUPTI's number of the kind of copy.
const char* memcpyName(std::uint8_t copyKind);
/// "buffer flush" … by CUPTI's number of the kind of overhead.
const char* overheadName(std::uint32_t overheadKind);

}  // namespace lanescope::profiler::cupti
