#pragma once
// Who holds which block of a KV cache, followed event by event. Any thread, one at a time; no
// widgets. Read next: cache_log.h, which keeps the events; views/cache/block_view.h paints this.

#include <cstdint>
#include <vector>

#include "engine/trace/events.h"

namespace lanescope::app {

/// What is known of a lane's pool of blocks.
struct CachePool {
    std::int32_t blocks = 0;  ///< 0: not known, as many as were seen
    std::int64_t blockTokens = 16;
    std::uint64_t blockBytes = 0;  ///< of all layers, K and V
};

class BlockMap {
  public:
    struct Cell {
        trace::BlockState state = trace::BlockState::Free;
        bool evicted = false;  ///< free since its known content had to go
        std::int32_t index = 0;
        std::int32_t lastRequest = -1;      ///< whose change was the last
        std::vector<std::int32_t> holders;  ///< requests that read it; empty unless held
        [[nodiscard]] std::int32_t owner() const {
            return holders.empty() ? lastRequest : holders.front();
        }
    };
    struct Counts {
        std::int32_t held = 0;
        std::int32_t shared = 0;  ///< of them, by two or more
        std::int32_t kept = 0;
        std::int32_t free = 0;
        std::int64_t sparedReads = 0;  ///< readers beyond the first: copies that sharing saves
        std::int64_t evictions = 0;    ///< kept blocks that had to make room, so far
    };

    void reset(const CachePool& pool);
    void apply(const trace::BlockEvent& event);
    [[nodiscard]] const std::vector<Cell>& cells() const { return m_cells; }
    [[nodiscard]] const Counts& counts() const { return m_counts; }
    [[nodiscard]] const CachePool& pool() const { return m_pool; }
    /// Blocks that changed since clearChanged(), each once. All: every one may have.
    [[nodiscard]] const std::vector<std::int32_t>& changed() const { return m_changed; }
    [[nodiscard]] bool allChanged() const { return m_all; }
    void clearChanged();

  private:
    void count(const Cell& cell, int sign);

    CachePool m_pool;
    std::vector<Cell> m_cells;
    Counts m_counts;
    std::vector<std::int32_t> m_changed;
    std::vector<char> m_isChanged;
    bool m_all = true;
};

}  // namespace lanescope::app
