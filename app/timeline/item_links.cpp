#include "app/timeline/item_links.h"

#include <algorithm>

#include "profiler/analyse/device_links.h"

namespace lanescope::app {

namespace {

Items itemsOf(const Timeline& timeline, const ItemRef& item) {
    return {*timeline.run, item.kind};
}

bool onDevice(const Timeline& timeline, const ItemRef& item) {
    if (item.kind == ItemKind::Device) return true;
    return item.kind == ItemKind::Event &&
           timeline.run->imported->events[static_cast<std::size_t>(item.index)].device;
}

void linkedEvents(const Timeline& timeline, const ItemRef& item, std::size_t limit,
                  std::vector<ItemRef>& out) {
    const auto& trace = *timeline.run->imported;
    const auto link = trace.events[static_cast<std::size_t>(item.index)].link;
    if (link == 0) return;
    auto at = std::lower_bound(trace.links.begin(), trace.links.end(), std::pair(link, 0U));
    for (; at != trace.links.end() && at->first == link && out.size() < limit; ++at)
        if (at->second != item.index) out.push_back({ItemKind::Event, at->second});
    std::stable_sort(out.begin(), out.end(), [&](const ItemRef& a, const ItemRef& b) {
        return trace.events[static_cast<std::size_t>(a.index)].tStartNs <
               trace.events[static_cast<std::size_t>(b.index)].tStartNs;
    });
}

void launchedActivities(const profiler::RunData& run, std::int64_t span, std::size_t limit,
                        std::vector<ItemRef>& out) {
    for (const std::int64_t at : profiler::launchedBy(run, span, limit))
        out.push_back({ItemKind::Device, at});
}

/// A row of a group, by order of display.
struct RowRef {
    std::size_t track = 0;
    std::size_t row = 0;
};

std::vector<RowRef> rowsOf(const Timeline& timeline, std::size_t group) {
    std::vector<RowRef> rows;
    for (const std::size_t t : timeline.groups[group].tracks)
        for (std::size_t r = 0; r < timeline.tracks[t].rows.size(); ++r) rows.push_back({t, r});
    return rows;
}

}  // namespace

std::vector<ItemRef> linkedItems(const Timeline& timeline, const ItemRef& item, std::size_t limit) {
    std::vector<ItemRef> out;
    if (!item.valid()) return out;
    const auto i = static_cast<std::size_t>(item.index);
    const profiler::RunData& run = *timeline.run;
    switch (item.kind) {
        case ItemKind::Event:
            linkedEvents(timeline, item, limit, out);
            break;
        case ItemKind::Span:
            launchedActivities(run, item.index, limit, out);
            break;
        case ItemKind::Device: {
            const std::int64_t span = profiler::launchingSpan(run, run.deviceActivities[i]);
            if (span < 0) break;
            out.push_back({ItemKind::Span, span});
            launchedActivities(run, span, limit, out);
            std::erase(out, item);
            break;
        }
    }
    return out;
}

ItemRef firstInside(const Timeline& timeline, const ItemRef& item) {
    const auto place = timeline.find(item);
    if (place.track < 0) return {};
    const bool phase =
        timeline.tracks[static_cast<std::size_t>(place.track)].kind == TrackKind::Steps;
    if (!onDevice(timeline, item) && !phase) {
        for (const ItemRef& other : linkedItems(timeline, item))
            if (onDevice(timeline, other)) return other;
    }
    const Items items = itemsOf(timeline, item);
    const std::int64_t start = items.start(static_cast<std::uint32_t>(item.index));
    const std::int64_t end = items.end(static_cast<std::uint32_t>(item.index));
    bool below = false;
    for (const auto& [t, r] :
         rowsOf(timeline, timeline.tracks[static_cast<std::size_t>(place.track)].group)) {
        const Track& track = timeline.tracks[t];
        if (below) {
            // Threads and streams do not enclose each other.
            const bool within = track.kind == TrackKind::Steps || track.kind == TrackKind::Ops;
            if (!within && static_cast<int>(t) != place.track) break;
            const Items inside = timeline.items(track);
            const std::size_t at = track.rows[r].advance(inside, 0, start, nullptr);
            if (at < track.rows[r].size() && inside.start(track.rows[r].item(at)) < end)
                return {track.items, track.rows[r].item(at)};
        }
        below = below || (static_cast<int>(t) == place.track && static_cast<int>(r) == place.row);
    }
    return {};
}

ItemRef enclosing(const Timeline& timeline, const ItemRef& item) {
    const auto place = timeline.find(item);
    if (place.track < 0) return {};
    if (onDevice(timeline, item)) {
        for (const ItemRef& other : linkedItems(timeline, item))
            if (!onDevice(timeline, other)) return other;
        if (item.kind == ItemKind::Device) return {};
    }
    const Items items = itemsOf(timeline, item);
    const std::int64_t start = items.start(static_cast<std::uint32_t>(item.index));
    ItemRef found;
    for (const auto& [t, r] :
         rowsOf(timeline, timeline.tracks[static_cast<std::size_t>(place.track)].group)) {
        if (static_cast<int>(t) == place.track && static_cast<int>(r) == place.row) break;
        const Track& track = timeline.tracks[t];
        if (track.kind == TrackKind::Thread && static_cast<int>(t) != place.track) continue;
        const Items around = timeline.items(track);
        const std::size_t at = track.rows[r].firstEndingAfter(around, start);
        if (at < track.rows[r].size() && around.start(track.rows[r].item(at)) <= start)
            found = {track.items, track.rows[r].item(at)};
    }
    return found;
}

ItemRef stepItem(const Timeline& timeline, int lane, int request, int step) {
    for (const Track& track : timeline.tracks) {
        if (track.kind != TrackKind::Steps) continue;
        const TrackGroup& group = timeline.groups[track.group];
        if (lane >= 0 && group.lane != lane) continue;
        for (const IntervalIndex& row : track.rows) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                const trace::Span& span = timeline.run->spans[row.item(i)];
                if (span.step == step && (request < 0 || span.request == request))
                    return {track.items, row.item(i)};
            }
        }
    }
    return {};
}

Selection::State selectionOf(const Timeline& timeline, const ItemRef& item) {
    Selection::State state;
    if (!item.valid()) return state;
    const auto i = static_cast<std::uint32_t>(item.index);
    const Items items = itemsOf(timeline, item);
    state.tStartNs = items.start(i);
    state.tEndNs = std::max(items.end(i), items.start(i) + 1);
    const auto label = [&state](const auto& labelled) {
        state.lane = labelled.lane;
        state.request = labelled.request;
        state.token = labelled.step;
        state.tokenEnd = labelled.step >= 0 ? labelled.step + 1 : -1;
    };
    if (item.kind == ItemKind::Span) label(timeline.run->spans[i]);
    if (item.kind == ItemKind::Device) label(timeline.run->deviceActivities[i]);
    return state;
}

}  // namespace lanescope::app
