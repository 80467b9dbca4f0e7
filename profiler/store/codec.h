#pragma once
// The records of a run as compact bytes: varints, times as differences, floats bit for bit, and a
// checksum behind every blob, since SQLite itself does not notice a flipped bit in a page. Decoding
// trusts nothing: counts, enums and indices are checked.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "profiler/store/run_data.h"

namespace lanescope::profiler::codec {

/// What the row of a run holds besides its parts; counts let a reader notice missing parts.
struct RunHead {
    RunData run;  ///< without its lists
    std::uint64_t nRequests = 0, nSpans = 0, nKvEvents = 0;
    std::uint64_t nDeviceActivities = 0, nDeviceNames = 0, nDeviceSamples = 0;
};
/// A request without its tokens.
struct RequestHead {
    trace::RequestRecord record;
    std::int32_t prefillDone = 0;
    std::uint64_t nTokens = 0;
};

std::string encodeHead(const RunData& run);
std::string encodeRequest(const RequestData& request);
std::string encodeTokens(const TokenList& tokens, std::size_t chunk);
std::string encodeSpans(const SpanList& spans, std::size_t chunk);
std::string encodeKvEvents(const KvEventList& events, std::size_t chunk);
std::string encodeDeviceActivities(const DeviceActivityList& activities, std::size_t chunk);
std::string encodeDeviceNames(const DeviceNameList& names, std::size_t chunk);
std::string encodeDeviceSamples(const DeviceSampleList& samples, std::size_t chunk);

// Errors: BadInput saying what does not add up. The list forms append to the list.
Result<RunHead> decodeHead(std::string_view blob);
Result<RequestHead> decodeRequest(std::string_view blob);
Result<void> decodeTokens(std::string_view blob, TokenList& tokens);
Result<void> decodeSpans(std::string_view blob, SpanList& spans);
Result<void> decodeKvEvents(std::string_view blob, KvEventList& events);
Result<void> decodeDeviceActivities(std::string_view blob, DeviceActivityList& activities);
Result<void> decodeDeviceNames(std::string_view blob, DeviceNameList& names);
Result<void> decodeDeviceSamples(std::string_view blob, DeviceSampleList& samples);

// The part of a run's head about devices, without a checksum of its own.
std::string encodeDeviceSection(const RunData& run);
Result<void> decodeDeviceSection(std::string_view section, RunHead& head);

}  // namespace lanescope::profiler::codec
