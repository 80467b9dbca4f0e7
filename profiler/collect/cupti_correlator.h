#pragma once
// Puts the engine's labels on device activities. The engine's thread pushes a span and gets an id
// for it; CUPTI reports which launch (correlation id) happened under which id, and which activity
// came of which launch, in any order. All tables are bounded; what finds no label is counted.

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/trace/events.h"
#include "profiler/collect/cupti_records.h"

namespace lanescope::profiler::cupti {

struct CorrelatorLimits {
    std::size_t spans = 1U << 16;       ///< newest spans whose labels are kept; a power of two
    std::size_t launches = 1U << 16;    ///< newest launches whose span is known
    std::size_t waiting = 1U << 16;     ///< activities whose launch is not known yet
    std::uint64_t buffers = 16;         ///< how many further buffers an activity waits for
    std::size_t graphNodes = 1U << 16;  ///< newest nodes of captured graphs
};

/// Thread-safe.
class Correlator {
  public:
    explicit Correlator(const CorrelatorLimits& limits = {});

    /// Called where the engine launches: the id to push to CUPTI, never 0.
    std::uint64_t push(const trace::Span& span);
    [[nodiscard]] std::uint64_t pushed() const;

    /// A graph's node was captured under the span of this id: op and layer of what it launches.
    void nodeCaptured(std::uint64_t node, std::uint64_t spanId);
    /// Instantiating a graph copies its nodes.
    void nodeCloned(std::uint64_t node, std::uint64_t original);

    /// Takes what one buffer held; gives back what has a label, or never will have one (no
    /// correlation id). The rest waits for its launch.
    std::vector<ParsedActivity> add(std::span<const ExternalId> externalIds,
                                    std::vector<ParsedActivity> activities);
    /// The end: what still waits, without a label.
    std::vector<ParsedActivity> finish();

    [[nodiscard]] std::uint64_t unmatched() const;  ///< given back without a label
    [[nodiscard]] std::size_t waiting() const;

  private:
    struct Label {
        std::uint64_t id = 0;  ///< 0: none
        std::int64_t tSpanNs = kUnknownNs;
        std::int32_t request = -1, step = -1;
        std::int16_t op = -1, layer = -1, lane = -1;
    };
    struct Waiting {
        ParsedActivity parsed;
        std::uint64_t sinceBuffer = 0;
    };
    struct NodeLabel {
        std::int16_t op = -1, layer = -1;
    };
    /// A map that forgets its oldest entries.
    template <class Value>
    class Recent {
      public:
        explicit Recent(std::size_t limit) : m_limit(limit) {}
        void put(std::uint64_t key, const Value& value) {
            const bool isNew = m_map.insert_or_assign(key, value).second;
            if (!isNew) return;
            m_order.push_back(key);
            if (m_order.size() <= m_limit) return;
            m_map.erase(m_order.front());
            m_order.pop_front();
        }
        [[nodiscard]] const Value* find(std::uint64_t key) const {
            const auto it = m_map.find(key);
            return it == m_map.end() ? nullptr : &it->second;
        }

      private:
        std::size_t m_limit;
        std::unordered_map<std::uint64_t, Value> m_map;
        std::deque<std::uint64_t> m_order;
    };

    [[nodiscard]] const Label* labelOf(std::uint64_t id) const;
    /// False while its launch is not known.
    bool label(ParsedActivity& parsed);
    void giveUp(ParsedActivity parsed, std::vector<ParsedActivity>& out);

    mutable std::mutex m_mutex;
    CorrelatorLimits m_limits;
    std::vector<Label> m_labels;  ///< ring by id
    std::uint64_t m_lastId = 0;
    Recent<std::uint64_t> m_launches;  ///< correlation id to span id
    Recent<NodeLabel> m_nodes;
    std::deque<Waiting> m_waiting;  ///< oldest first
    std::uint64_t m_buffers = 0;
    std::uint64_t m_unmatched = 0;
};

}  // namespace lanescope::profiler::cupti
