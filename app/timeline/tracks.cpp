#include "app/timeline/tracks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "profiler/analyse/stats.h"

namespace lanescope::app {

namespace {

/// Elements at the beginning that are the same memory in both lists.
template <class List>
std::size_t sharedPrefix(const List& a, const List& b) {
    std::size_t chunk = 0, n = 0;
    while (a.sharesChunk(b, chunk)) n += a.itemsIn(chunk++);
    return n;
}

bool sameRun(const profiler::RunData& run, const Timeline* previous) {
    return previous != nullptr && previous->run->header.id == run.header.id &&
           previous->run->imported == run.imported;
}

using Key = std::tuple<std::int64_t, TrackKind, std::int64_t>;  // lane or process, kind, sub

class Builder {
  public:
    Builder(profiler::RunSnapshot run, const Timeline* previous, BuildProgress* progress)
        : m_progress(progress), m_out(std::make_shared<Timeline>()) {
        if (sameRun(*run, previous)) {
            for (const Track& track : previous->tracks) {
                const TrackGroup& group = previous->groups[track.group];
                m_tracks.emplace(Key{groupKey(group), track.kind, track.sub}, track);
            }
            m_keptSpans = sharedPrefix(run->spans, previous->run->spans);
            m_keptDevice = sharedPrefix(run->deviceActivities, previous->run->deviceActivities);
        }
        m_out->run = std::move(run);
    }

    TimelinePtr build() {
        const profiler::RunData& run = *m_out->run;
        m_total = run.spans.size() - m_keptSpans + run.deviceActivities.size() - m_keptDevice;
        for (auto& [key, track] : m_tracks) truncate(track);
        if (run.imported != nullptr && m_tracks.empty()) {
            m_total += run.imported->events.size();
            if (!addEvents(*run.imported)) return nullptr;
        }
        if (!addSpans(run) || !addDevice(run)) return nullptr;
        arrange();
        return std::move(m_out);
    }

  private:
    static std::int64_t groupKey(const TrackGroup& group) {
        return group.process >= 0 ? group.process : group.lane;
    }

    void truncate(Track& track) const {
        if (track.items == ItemKind::Event) return;
        const std::size_t kept = track.items == ItemKind::Span ? m_keptSpans : m_keptDevice;
        for (IntervalIndex& row : track.rows) row.truncate(static_cast<std::uint32_t>(kept));
        while (!track.rows.empty() && track.rows.back().empty()) track.rows.pop_back();
    }

    /// False: cancelled. Called for every item.
    bool step() {
        if ((++m_done & 0xFFFFU) != 0 || m_progress == nullptr) return true;
        m_progress->fraction.store(static_cast<double>(m_done) /
                                   static_cast<double>(std::max<std::size_t>(m_total, 1)));
        return !m_progress->cancel.load();
    }

    /// To the first row that is free by then.
    static void put(Track& track, std::vector<std::int64_t>& freeAt, const Items& items,
                    std::uint32_t i) {
        const std::int64_t start = items.start(i), end = items.end(i);
        if (end < start) return;
        std::size_t row = 0;
        while (row < freeAt.size() && freeAt[row] > start) ++row;
        if (row == freeAt.size()) {
            if (row < kMaxRows) {
                track.rows.emplace_back(track.kind == TrackKind::Steps
                                            ? IntervalIndex::Times::Kept
                                            : IntervalIndex::Times::InList);
                freeAt.push_back(end);
            } else {
                --row;
            }
        }
        freeAt[row] = std::max(freeAt[row], end);
        track.rows[row].append(items, i);
    }

    static std::vector<std::int64_t> freeTimes(const Track& track, const Items& items) {
        std::vector<std::int64_t> freeAt;
        for (const IntervalIndex& row : track.rows)
            freeAt.push_back(row.empty() ? std::numeric_limits<std::int64_t>::min()
                                         : items.end(row.item(row.size() - 1)));
        return freeAt;
    }

    /// Puts items [from, n) on the tracks that keyOf names.
    template <class KeyOf>
    bool addItems(ItemKind kind, std::size_t from, std::size_t n, const KeyOf& keyOf) {
        const Items items(*m_out->run, kind);
        struct Open {
            Track* track = nullptr;
            std::vector<std::int64_t> freeAt;
        };
        std::map<Key, Open> open;
        Open* last = nullptr;
        Key lastKey{};
        for (std::size_t i = from; i < n; ++i) {
            const Key key = keyOf(i);
            if (last == nullptr || key != lastKey) {
                last = &open[key];
                lastKey = key;
                if (last->track == nullptr) {
                    last->track = &m_tracks[key];
                    last->track->kind = std::get<TrackKind>(key);
                    last->track->items = kind;
                    last->track->sub = std::get<2>(key);
                    last->freeAt = freeTimes(*last->track, items);
                }
            }
            put(*last->track, last->freeAt, items, static_cast<std::uint32_t>(i));
            if (!step()) return false;
        }
        return true;
    }

    bool addSpans(const profiler::RunData& run) {
        return addItems(ItemKind::Span, m_keptSpans, run.spans.size(), [&run](std::size_t i) {
            const trace::Span& span = run.spans[i];
            return Key{span.lane, profiler::isPhase(span.op) ? TrackKind::Steps : TrackKind::Ops,
                       0};
        });
    }

    bool addDevice(const profiler::RunData& run) {
        using Kind = profiler::DeviceActivityKind;
        return addItems(
            ItemKind::Device, m_keptDevice, run.deviceActivities.size(), [&run](std::size_t i) {
                const profiler::DeviceActivity& a = run.deviceActivities[i];
                if (a.kind == Kind::Overhead) return Key{a.lane, TrackKind::Overhead, 0};
                if (a.kind == Kind::Memcpy || a.kind == Kind::Memset)
                    return Key{a.lane, TrackKind::Copies, streamId(a.device, -1, -1)};
                return Key{a.lane, TrackKind::Stream, streamId(a.device, a.context, a.stream)};
            });
    }

    bool addEvents(const profiler::ImportedTrace& trace) {
        const Items items(*m_out->run, ItemKind::Event);
        Track* track = nullptr;
        std::vector<std::int64_t> freeAt;
        for (std::size_t i = 0; i < trace.events.size(); ++i) {
            const profiler::TraceEvent& event = trace.events[i];
            if (track == nullptr || track->sub != event.track) {
                const std::int64_t process = trace.tracks[event.track].process;
                track = &m_tracks[Key{process, TrackKind::Thread, event.track}];
                track->kind = TrackKind::Thread;
                track->items = ItemKind::Event;
                track->sub = event.track;
                freeAt.clear();
            }
            put(*track, freeAt, items, static_cast<std::uint32_t>(i));
            if (!step()) return false;
        }
        return true;
    }

    /// Groups in order, and the time that all cover.
    void arrange() {
        TimeRange full{std::numeric_limits<std::int64_t>::max(),
                       std::numeric_limits<std::int64_t>::min()};
        std::vector<std::pair<Key, Track*>> order;
        for (auto& [key, track] : m_tracks)
            if (track.size() > 0) order.emplace_back(key, &track);
        // Threads of a trace are numbered in the order that the file wants; so are its processes.
        std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
            const bool threads = a.second->kind == TrackKind::Thread;
            return threads ? a.second->sub < b.second->sub : a.first < b.first;
        });
        std::int64_t previous = 0;
        for (const auto& [key, track] : order) {
            const auto& [group, kind, sub] = key;
            if (m_out->groups.empty() || group != previous) {
                TrackGroup fresh;
                if (kind == TrackKind::Thread)
                    fresh.process = group;
                else
                    fresh.lane = static_cast<int>(group);
                m_out->groups.push_back(fresh);
                previous = group;
            }
            track->group = m_out->groups.size() - 1;
            m_out->groups.back().tracks.push_back(m_out->tracks.size());
            m_out->tracks.push_back(std::move(*track));
            extend(full, m_out->tracks.back());
        }
        if (full.endNs > full.startNs) m_out->full = full;
    }

    void extend(TimeRange& full, const Track& track) const {
        const Items items = m_out->items(track);
        for (const IntervalIndex& row : track.rows) {
            if (row.empty()) continue;
            IntervalIndex::Sum sum;
            row.advance(items, 0, std::numeric_limits<std::int64_t>::max(), &sum);
            full.startNs = std::min(full.startNs, items.start(row.item(0)));
            full.endNs = std::max(full.endNs, sum.maxEndNs);
        }
    }

    BuildProgress* m_progress;
    std::shared_ptr<Timeline> m_out;
    std::map<Key, Track> m_tracks;
    std::size_t m_keptSpans = 0, m_keptDevice = 0;
    std::size_t m_done = 0, m_total = 0;
};

}  // namespace

std::int64_t streamId(std::int32_t device, std::int32_t context, std::int32_t stream) {
    const auto part = [](std::int32_t n) { return (static_cast<std::int64_t>(n) + 1) & 0xFFFFF; };
    return (part(device) << 40) | (part(context) << 20) | part(stream);
}
std::int32_t deviceOf(std::int64_t streamId) {
    return static_cast<std::int32_t>((streamId >> 40) & 0xFFFFF) - 1;
}
std::int32_t streamOf(std::int64_t streamId) {
    return static_cast<std::int32_t>(streamId & 0xFFFFF) - 1;
}

std::size_t Track::size() const {
    std::size_t n = 0;
    for (const IntervalIndex& row : rows) n += row.size();
    return n;
}

std::size_t Timeline::itemCount() const {
    std::size_t n = 0;
    for (const Track& track : tracks) n += track.size();
    return n;
}

std::size_t Timeline::memoryBytes() const {
    std::size_t n = 0;
    for (const Track& track : tracks)
        for (const IntervalIndex& row : track.rows) n += row.memoryBytes();
    return n;
}

Timeline::Place Timeline::find(const ItemRef& item) const {
    if (!item.valid()) return {};
    for (std::size_t t = 0; t < tracks.size(); ++t) {
        if (tracks[t].items != item.kind) continue;
        for (std::size_t r = 0; r < tracks[t].rows.size(); ++r) {
            const IntervalIndex& row = tracks[t].rows[r];
            const std::size_t at = row.positionOf(static_cast<std::uint32_t>(item.index));
            if (at < row.size()) return {static_cast<int>(t), static_cast<int>(r), at};
        }
    }
    return {};
}

std::size_t itemsToAdd(const profiler::RunData& run, const Timeline* previous) {
    const bool same = sameRun(run, previous);
    std::size_t n = run.spans.size();
    n += run.deviceActivities.size();
    if (same)
        n -= sharedPrefix(run.spans, previous->run->spans) +
             sharedPrefix(run.deviceActivities, previous->run->deviceActivities);
    if (!same && run.imported != nullptr) n += run.imported->events.size();
    return n;
}

TimelinePtr buildTimeline(profiler::RunSnapshot run, const Timeline* previous,
                          BuildProgress* progress) {
    return Builder(std::move(run), previous, progress).build();
}

}  // namespace lanescope::app
