#include "app/bridge/block_map.h"

#include <algorithm>

namespace lanescope::app {

using trace::BlockState;

void BlockMap::reset(const CachePool& pool) {
    m_pool = pool;
    m_cells.assign(static_cast<std::size_t>(std::max(pool.blocks, 0)), Cell{});
    m_isChanged.assign(m_cells.size(), 0);
    m_changed.clear();
    m_counts = {};
    m_counts.free = static_cast<std::int32_t>(m_cells.size());
    m_all = true;
}

void BlockMap::count(const Cell& cell, int sign) {
    if (cell.state == BlockState::Free) m_counts.free += sign;
    if (cell.state == BlockState::Kept) m_counts.kept += sign;
    if (cell.state != BlockState::Held) return;
    m_counts.held += sign;
    if (cell.holders.size() < 2) return;
    m_counts.shared += sign;
    m_counts.sparedReads += sign * (std::ssize(cell.holders) - 1);
}

void BlockMap::apply(const trace::BlockEvent& event) {
    if (event.block < 0) return;
    const auto at = static_cast<std::size_t>(event.block);
    if (at >= m_cells.size()) {
        m_counts.free += static_cast<std::int32_t>(at + 1 - m_cells.size());
        m_cells.resize(at + 1);
        m_isChanged.resize(at + 1, 0);
        m_all = true;
    }
    Cell& cell = m_cells[at];
    count(cell, -1);
    const auto readers = static_cast<std::size_t>(std::max(event.references, 0));
    if (readers > cell.holders.size()) {
        cell.holders.resize(readers, event.request);
    } else if (readers < cell.holders.size()) {
        // Who let go is whose change it was.
        if (const auto it = std::ranges::find(cell.holders, event.request);
            it != cell.holders.end())
            cell.holders.erase(it);
        cell.holders.resize(readers, -1);
    }
    // Giving everything up at the end is nobody's need for room.
    const bool madeRoom =
        cell.state == BlockState::Kept && event.state == BlockState::Free && event.request >= 0;
    if (madeRoom) ++m_counts.evictions;
    if (event.state == BlockState::Held)
        cell.evicted = false;
    else if (event.state == BlockState::Free)
        cell.evicted = cell.evicted || madeRoom;
    if (event.state != BlockState::Free) cell.index = event.index;
    cell.state = event.state;
    cell.lastRequest = event.request;
    count(cell, +1);
    if (m_all || m_isChanged[at] != 0) return;
    m_isChanged[at] = 1;
    m_changed.push_back(event.block);
}

void BlockMap::clearChanged() {
    for (const std::int32_t block : m_changed) m_isChanged[static_cast<std::size_t>(block)] = 0;
    m_changed.clear();
    m_all = false;
}

}  // namespace lanescope::app
