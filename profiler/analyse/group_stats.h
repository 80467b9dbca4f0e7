#pragma once
// Time by op, layer, kernel name or token, over all of a run or a part of it, in one walk: what the
// table of kernels and the roofline show. Made for tens of millions of spans: any thread, with
// progress and cancel. Read next: roofline.h.

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/analyse/roofline.h"
#include "profiler/analyse/stats.h"

namespace lanescope::profiler {

enum class GroupBy : std::uint8_t { Op, Layer, Kernel, Step };

/// Who timed it; the two are never added up.
enum class TimedBy : std::uint8_t { Host, Device };

/// Which items count; -1: not restricted by this.
struct ItemFilter {
    std::int32_t lane = -1;
    std::int32_t request = -1;  ///< -1: the timed requests, or all when there are only warm-ups
    std::int32_t stepFirst = -1, stepEnd = -1;  ///< [first, end)
    std::int64_t tStartNs = -1, tEndNs = -1;    ///< items of which at least half lies in it
    std::int32_t layer = -1;
    std::int32_t op = -1;
    StepKind steps = StepKind::All;
    /// What a device did counts for the range in which it was launched, too: the range is that of
    /// an engine span.
    bool launchedIn = false;
    bool operator==(const ItemFilter&) const = default;
};

/// A row. What is not known is 0, or negative where said.
struct GroupStats {
    TimedBy timedBy = TimedBy::Host;
    std::int32_t lane = -1;     ///< of an opened trace: the process
    std::int32_t request = -1;  ///< of Step
    /// Op: a trace::Op (of an opened trace: the category's name). Layer, Step: its number. Kernel:
    /// an index in names of the opened trace; for spans a trace::Op, for devices an index in
    /// RunData::deviceNames, or -1 - kind for what has no name.
    std::int64_t key = 0;
    std::int64_t count = 0;
    double totalMs = 0.0, meanUs = 0.0, p95Us = 0.0;
    double share = -1.0;  ///< of the lane's time by the same clock; phases and opened traces: -1
    double occupancy = -1.0;  ///< mean by time, 0 … 1
    RooflinePoint point;      ///< rates, intensity and, where the roof is known, the part of it
    bool phase = false;       ///< encloses others
};

struct GroupTable {
    GroupBy by = GroupBy::Op;
    std::vector<GroupStats> groups;  ///< lanes ascending, host first, keys ascending
    /// The same grouped by op, whatever `by` is; p95 not filled. Of devices: the kernels that each
    /// op launched, held against the device's measured bandwidth.
    std::vector<GroupStats> ops;
    std::vector<std::int32_t> lanesWithoutRoof;  ///< that have items here
    std::uint64_t items = 0;                     ///< that passed the filter
};

/// Shared with whoever waits. Any thread.
struct GroupingProgress {
    std::atomic<bool> cancel{false};
    std::atomic<double> fraction{0.0};
};

/// Nothing when cancelled.
std::optional<GroupTable> groupStats(const RunData& run, GroupBy by, const ItemFilter& filter,
                                     GroupingProgress* progress = nullptr);
/// Items that a grouping has to look at.
std::size_t groupedItems(const RunData& run);

}  // namespace lanescope::profiler
