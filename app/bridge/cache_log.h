#pragma once
// What happened to the KV caches of the last run or the last serving: every event of every block,
// so that any moment can be looked at again. Outlives windows. UI thread only. Read next:
// cache_tap.h, where batches come from.

#include <QObject>
#include <QString>
#include <cstdint>
#include <deque>
#include <vector>

#include "app/bridge/block_map.h"
#include "app/bridge/cache_tap.h"

namespace lanescope::app {

class CacheLog : public QObject {
    Q_OBJECT
  public:
    enum class Source : std::uint8_t { None, Run, Serving };
    struct Lane {
        std::int16_t lane = -1;
        int section = 0;  ///< of serving: which policy
        QString name;
        CachePool pool = {};
        std::vector<trace::KvEvent> kv;
        std::vector<trace::BlockEvent> blocks;
        bool full = false;  ///< later blocks were not kept (kMostEvents)
        BlockMap now;       ///< after the last event

        [[nodiscard]] std::int64_t firstNs() const;
        [[nodiscard]] std::int64_t lastNs() const;
        /// When the most blocks were held.
        [[nodiscard]] std::int64_t busiestNs() const;
        /// How the blocks stood at a time.
        [[nodiscard]] BlockMap at(std::int64_t tNs) const;
    };
    /// Of one lane; 40 bytes each.
    static constexpr std::size_t kMostEvents = 4'000'000;

    using QObject::QObject;
    /// Forgets everything; batches of the new source follow.
    void begin(Source source);
    void add(const CacheBatch& batch);
    /// No more batches come.
    void end();

    [[nodiscard]] Source source() const { return m_source; }
    [[nodiscard]] bool live() const { return m_live; }
    [[nodiscard]] const std::deque<Lane>& lanes() const { return m_lanes; }
    /// The widget that paints a lane's present map takes note of its changes.
    [[nodiscard]] BlockMap* present(std::size_t index) { return &m_lanes[index].now; }

  signals:
    void changed();
    void began();
    void ended();

  private:
    Lane& laneOf(std::int16_t lane, int section);

    Source m_source = Source::None;
    bool m_live = false;
    std::deque<Lane> m_lanes;  ///< they stay where they are while others come
};

}  // namespace lanescope::app
