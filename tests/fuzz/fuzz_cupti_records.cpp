// Any bytes as a buffer of activity records: everything must come from within it, names must not be
// followed, and what is read must be something a run can store.

#include <cstdlib>
#include <cstring>
#include <vector>

#include "profiler/collect/cupti_correlator.h"
#include "profiler/collect/cupti_records.h"
#include "profiler/store/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanescope::profiler;
    std::vector<std::uint64_t> aligned((size + 7) / 8);  // its end is the end of the input
    if (size != 0) std::memcpy(aligned.data(), data, size);
    auto parsed =
        cupti::parseRecords({reinterpret_cast<const std::uint8_t*>(aligned.data()), size});
    if (parsed.activities.size() > size / sizeof(cupti::OverheadRecord)) std::abort();
    if (parsed.counts.bytesSkipped > size) std::abort();
    const cupti::SmLimits limits{9, 64, 32, 65536, 233472};
    cupti::CorrelatorLimits small;
    small.launches = small.waiting = small.spans = 8;
    cupti::Correlator correlator(small);
    for (int i = 0; i < 8; ++i) correlator.push({});
    const std::size_t n = parsed.activities.size();
    auto out = correlator.add(parsed.externalIds, std::move(parsed.activities));
    const auto rest = correlator.finish();
    out.insert(out.end(), rest.begin(), rest.end());
    if (out.size() != n) std::abort();
    DeviceActivityList list;
    for (auto& p : out) {
        p.activity.occupancy = cupti::theoreticalOccupancy(limits, p.activity);
        list.push_back(p.activity);
    }
    for (std::size_t i = 0; i < list.chunkCount(); ++i) {
        DeviceActivityList back;
        if (!codec::decodeDeviceActivities(codec::encodeDeviceActivities(list, i), back)) {
            std::abort();
        }
    }
    return 0;
}
