#pragma once
// A run as groups of tracks: a lane has its steps, its ops and the streams of its devices, copies
// apart; a process of an opened trace has its threads. Tracks hold indices into the run's lists
// (interval_index.h). Building may run on any thread; what it returns never changes. Read next:
// track_bars.h, timeline_layout.h.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/timeline/interval_index.h"
#include "app/timeline/timeline_math.h"

namespace lanescope::app {

/// In the order of display within a group.
enum class TrackKind : std::uint8_t { Steps, Ops, Stream, Copies, Overhead, Thread };

/// A stream of a context of a device as one number, and back.
std::int64_t streamId(std::int32_t device, std::int32_t context, std::int32_t stream);
std::int32_t deviceOf(std::int64_t streamId);
std::int32_t streamOf(std::int64_t streamId);

struct Track {
    TrackKind kind = TrackKind::Steps;
    std::size_t group = 0;  ///< index in Timeline::groups
    std::int64_t sub = 0;   ///< thread; of Stream and Copies: streamId
    ItemKind items = ItemKind::Span;
    /// Items that overlap lie in rows of their own: what encloses above what it encloses. Within a
    /// row nothing overlaps, but for the last one when there would be more than kMaxRows.
    std::vector<IntervalIndex> rows;

    [[nodiscard]] std::size_t size() const;
};
inline constexpr std::size_t kMaxRows = 16;

struct TrackGroup {
    int lane = -1;                    ///< of a run's lane; -1: outside any
    std::int64_t process = -1;        ///< of an opened trace
    std::vector<std::size_t> tracks;  ///< indices in Timeline::tracks, in order
};

struct Timeline {
    profiler::RunSnapshot run;  ///< never null
    std::vector<TrackGroup> groups;
    std::vector<Track> tracks;
    TimeRange full{0, 1};

    [[nodiscard]] Items items(const Track& track) const { return {*run, track.items}; }
    [[nodiscard]] std::size_t itemCount() const;
    [[nodiscard]] std::size_t memoryBytes() const;  ///< of the index
    /// Where an item lies; track < 0: nowhere.
    struct Place {
        int track = -1;
        int row = 0;
        std::size_t position = 0;
    };
    [[nodiscard]] Place find(const ItemRef& item) const;
};
using TimelinePtr = std::shared_ptr<const Timeline>;

/// Shared with whoever waits for a timeline. Any thread.
struct BuildProgress {
    std::atomic<bool> cancel{false};
    std::atomic<double> fraction{0.0};
};

/// How many items would have to be looked at.
std::size_t itemsToAdd(const profiler::RunData& run, const Timeline* previous);
/// Tracks of a run. `previous`: of an earlier snapshot of it, whose index is taken over as far as
/// the lists are the same; may be null. Null when cancelled. Items with an end before their start
/// are left out.
TimelinePtr buildTimeline(profiler::RunSnapshot run, const Timeline* previous,
                          BuildProgress* progress = nullptr);

}  // namespace lanescope::app
