#include "app/bridge/cache_log.h"

#include <algorithm>

namespace lanescope::app {

std::int64_t CacheLog::Lane::firstNs() const {
    return kv.empty() ? 0 : kv.front().tNs;
}

std::int64_t CacheLog::Lane::lastNs() const {
    return kv.empty() ? 0 : kv.back().tNs;
}

std::int64_t CacheLog::Lane::busiestNs() const {
    const auto most = std::ranges::max_element(kv, {}, &trace::KvEvent::blocksInUse);
    return most == kv.end() ? 0 : most->tNs;
}

BlockMap CacheLog::Lane::at(std::int64_t tNs) const {
    BlockMap map;
    map.reset(pool);
    for (const trace::BlockEvent& event : blocks) {
        if (event.tNs > tNs) break;
        map.apply(event);
    }
    return map;
}

CacheLog::Lane& CacheLog::laneOf(std::int16_t lane, int section) {
    const auto it = std::ranges::find_if(
        m_lanes, [&](const Lane& known) { return known.lane == lane && known.section == section; });
    if (it != m_lanes.end()) return *it;
    Lane fresh;
    fresh.lane = lane;
    fresh.section = section;
    m_lanes.push_back(std::move(fresh));
    return m_lanes.back();
}

void CacheLog::begin(Source source) {
    m_source = source;
    m_live = true;
    m_lanes.clear();
    emit began();
    emit changed();
}

void CacheLog::add(const CacheBatch& batch) {
    for (const CacheBatch::Lane& told : batch.lanes) {
        Lane& lane = laneOf(told.lane, batch.section);
        lane.name = QString::fromStdString(told.name);
        // Told again once its memory is known: what happened since stays.
        if (lane.blocks.empty()) lane.now.reset(told.pool);
        lane.pool = told.pool;
    }
    for (const trace::KvEvent& event : batch.kv)
        laneOf(event.lane, batch.section).kv.push_back(event);
    for (const trace::BlockEvent& event : batch.blocks) {
        Lane& lane = laneOf(event.lane, batch.section);
        lane.now.apply(event);
        lane.full = lane.full || lane.blocks.size() >= kMostEvents;
        if (!lane.full) lane.blocks.push_back(event);
    }
    emit changed();
}

void CacheLog::end() {
    m_live = false;
    emit changed();
    emit ended();
}

}  // namespace lanescope::app
