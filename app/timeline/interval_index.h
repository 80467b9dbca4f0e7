#pragma once
// The level of detail of one row: which items it has, in order of time, and a pyramid of sums over
// 16, 256, 4096 … of them. Any stretch of time is summed in about a hundred steps, however many
// items lie in it. Complete nodes never change, so that a copy costs a few pointers and the index
// grows on another thread while an older copy is painted. About 7 bytes an item.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "app/timeline/items.h"
#include "profiler/store/shared_list.h"

namespace lanescope::app {

class IntervalIndex {
  public:
    static constexpr std::size_t kLeaf = 16;  ///< items in a node of the lowest level
    static constexpr std::size_t kFan = 16;   ///< nodes in a node above

    /// What some items come to.
    struct Totals {
        std::int64_t maxEndNs = std::numeric_limits<std::int64_t>::min();
        std::int64_t busyNs = 0;  ///< sum of the durations
        std::int64_t longestNs = -1;
        std::uint32_t longest = 0;  ///< the item
        void add(const Totals& later);
    };
    /// What a stretch of the row holds.
    struct Sum : Totals {
        std::size_t count = 0;
    };

    /// Whether a row keeps the times of its items beside it: those of one that has few of many
    /// items lie far apart in the run's list.
    enum class Times : std::uint8_t { InList, Kept };
    explicit IntervalIndex(Times times = Times::InList) : m_times(times) {}

    /// Precondition: items come by start time and by index.
    void append(const Items& items, std::uint32_t item);
    /// Forgets all items from this index on.
    void truncate(std::uint32_t fromItem);

    [[nodiscard]] std::size_t size() const { return m_items.size(); }
    [[nodiscard]] bool empty() const { return m_items.empty(); }
    [[nodiscard]] std::uint32_t item(std::size_t position) const { return m_items[position]; }
    [[nodiscard]] std::int64_t start(const Items& items, std::size_t position) const {
        return m_times == Times::Kept ? m_kept[position].startNs : items.start(item(position));
    }
    [[nodiscard]] std::int64_t end(const Items& items, std::size_t position) const {
        return m_times == Times::Kept ? m_kept[position].endNs : items.end(item(position));
    }
    /// Position of an item; size(): it is not in this row.
    [[nodiscard]] std::size_t positionOf(std::uint32_t item) const;

    /// First position whose item ends after t; size() if none.
    [[nodiscard]] std::size_t firstEndingAfter(const Items& items, std::int64_t tNs) const;
    /// Adds everything from this position on that starts before t to sum; the position after it.
    /// `whole` > 1: a node of so many items that lies on both sides of t is not taken apart: all of
    /// it comes after t.
    std::size_t advance(const Items& items, std::size_t from, std::int64_t tNs, Sum* sum,
                        std::size_t whole = 1) const;
    /// First position at or after `from` (last one before `from`) whose key is wanted; size() if
    /// none. `wanted` is asked with keys only.
    template <class Wanted>
    [[nodiscard]] std::size_t next(const Items& items, std::size_t from, std::uint32_t keyBits,
                                   const Wanted& wanted) const {
        for (std::size_t i = from; i < size();) {
            if (const std::size_t n = skippable(i, keyBits); n > 0) {
                i += n;
                continue;
            }
            if (wanted(items.key(item(i)))) return i;
            ++i;
        }
        return size();
    }
    /// Bit of a key in what nodes know of the keys below them.
    static std::uint32_t keyBit(std::uint32_t key) { return 1U << (key % 32); }

    /// A complete node, without a look at its items.
    struct Whole {
        std::int64_t lastStartNs = 0;
        std::int64_t longestNs = 0;
    };
    /// The one of so many items (kLeaf, kLeaf · kFan) that begins at this position; none: there is
    /// none.
    [[nodiscard]] std::optional<Whole> wholeAt(std::size_t position, std::size_t items) const;

    [[nodiscard]] std::size_t memoryBytes() const;

  private:
    /// The totals hold the longest duration too: the item itself is far away in memory.
    struct Node : Totals {
        std::uint32_t keyBits = 0;
        std::int64_t lastStartNs = 0;
    };
    using Level = profiler::SharedList<Node, 256>;
    static Totals totalsOf(std::int64_t startNs, std::int64_t endNs, std::uint32_t item) {
        return {endNs, endNs - startNs, endNs - startNs, item};
    }

    /// The largest complete node that begins at position i and passes the test; its width, or 0.
    template <class Test>
    std::size_t largestNode(std::size_t i, const Test& test, const Node** found) const {
        std::size_t width = kLeaf, passed = 0;
        for (const Level& level : m_levels) {
            if (i % width != 0) break;
            const std::size_t n = i / width;
            if (n >= level.size() || !test(level[n])) break;
            *found = &level[n];
            passed = width;
            width *= kFan;
        }
        return passed;
    }
    [[nodiscard]] std::size_t skippable(std::size_t i, std::uint32_t keyBits) const;

    struct TimesOfItem {
        std::int64_t startNs = 0;
        std::int64_t endNs = 0;
    };

    Times m_times;
    profiler::SharedList<std::uint32_t, 4096> m_items;
    profiler::SharedList<TimesOfItem, 1024> m_kept;
    std::vector<Level> m_levels;
};

}  // namespace lanescope::app
