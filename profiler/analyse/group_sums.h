#pragma once
// The sums behind group_stats: groups found by key, durations kept for the percentile.

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "profiler/analyse/group_stats.h"

namespace lanescope::profiler {

struct GroupKey {
    std::int64_t key = 0;
    std::int32_t lane = -1;
    std::int32_t request = -1;
    TimedBy timedBy = TimedBy::Host;
    bool operator==(const GroupKey&) const = default;
};

struct GroupKeyHash {
    std::size_t operator()(const GroupKey& k) const {
        std::uint64_t h = static_cast<std::uint64_t>(k.key) * 0x9E3779B97F4A7C15ULL;
        h ^= (static_cast<std::uint64_t>(static_cast<std::uint32_t>(k.lane)) << 33) ^
             (static_cast<std::uint64_t>(static_cast<std::uint32_t>(k.request)) << 1) ^
             static_cast<std::uint64_t>(k.timedBy);
        h *= 0xBF58476D1CE4E5B9ULL;
        return static_cast<std::size_t>(h ^ (h >> 31));
    }
};

/// What an item adds to its group.
struct Sample {
    std::int64_t ns = 0;
    std::uint64_t bytes = 0, flops = 0;
    float occupancy = -1.0F;
    bool phase = false;
};

struct GroupSum {
    std::int64_t count = 0;
    double ns = 0.0;
    std::uint64_t bytes = 0, flops = 0;
    double occupiedNs = 0.0, occupancyNs = 0.0;  ///< occupancy x time, and the time it is known for
    double roofMs = 0.0;                         ///< filled at the end: what the roofs would need
    double memoryMs = 0.0;                       ///< of that, by memory-bound work
    std::vector<float> us;
    bool phase = false;

    void add(const Sample& s, bool keepDuration);
};

class GroupSums {
  public:
    GroupSum& of(const GroupKey& key);
    [[nodiscard]] const GroupSum* find(const GroupKey& key) const;  ///< null: none
    [[nodiscard]] std::vector<std::pair<GroupKey, GroupSum*>> sorted();

  private:
    std::unordered_map<GroupKey, GroupSum, GroupKeyHash> m_groups;
    GroupKey m_lastKey;
    GroupSum* m_last = nullptr;  ///< neighbours are often of one group
};

/// The q-quantile by linear interpolation between ranks, as distribution() has it; reorders.
double quantile(std::vector<float>& values, double q);

}  // namespace lanescope::profiler
