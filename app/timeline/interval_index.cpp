#include "app/timeline/interval_index.h"

#include <algorithm>

namespace lanescope::app {

void IntervalIndex::append(const Items& items, std::uint32_t item) {
    m_items.push_back(item);
    if (m_times == Times::Kept) m_kept.push_back({items.start(item), items.end(item)});
    if (m_items.size() % kLeaf != 0) return;
    Node leaf;
    for (std::size_t i = m_items.size() - kLeaf; i < m_items.size(); ++i) {
        const std::uint32_t at = m_items[i];
        leaf.lastStartNs = items.start(at);
        leaf.keyBits |= keyBit(items.key(at));
        leaf.add(totalsOf(leaf.lastStartNs, items.end(at), at));
    }
    if (m_levels.empty()) m_levels.emplace_back();
    m_levels[0].push_back(leaf);
    for (std::size_t k = 0; m_levels[k].size() % kFan == 0; ++k) {
        const Level& below = m_levels[k];
        Node node = below[below.size() - kFan];
        for (std::size_t i = below.size() - kFan + 1; i < below.size(); ++i) {
            const Node& child = below[i];
            node.lastStartNs = child.lastStartNs;
            node.keyBits |= child.keyBits;
            node.add(child);
        }
        if (k + 1 == m_levels.size()) m_levels.emplace_back();
        m_levels[k + 1].push_back(node);
    }
}

void IntervalIndex::truncate(std::uint32_t fromItem) {
    const auto end = std::lower_bound(m_items.begin(), m_items.end(), fromItem);
    m_items.truncate(static_cast<std::size_t>(end - m_items.begin()));
    m_kept.truncate(m_items.size());
    std::size_t width = kLeaf;
    for (Level& level : m_levels) {
        level.truncate(m_items.size() / width);
        width *= kFan;
    }
}

std::size_t IntervalIndex::positionOf(std::uint32_t item) const {
    const auto at = std::lower_bound(m_items.begin(), m_items.end(), item);
    return at != m_items.end() && *at == item ? static_cast<std::size_t>(at - m_items.begin())
                                              : size();
}

std::size_t IntervalIndex::firstEndingAfter(const Items& items, std::int64_t tNs) const {
    std::size_t i = 0;
    while (i < size()) {
        const Node* node = nullptr;
        const std::size_t width = largestNode(
            i, [tNs](const Node& n) { return n.maxEndNs <= tNs; }, &node);
        if (width > 0) {
            i += width;
        } else if (end(items, i) <= tNs) {
            ++i;
        } else {
            break;
        }
    }
    return i;
}

void IntervalIndex::Totals::add(const Totals& later) {
    maxEndNs = std::max(maxEndNs, later.maxEndNs);
    busyNs += later.busyNs;
    if (later.longestNs <= longestNs) return;
    longestNs = later.longestNs;
    longest = later.longest;
}

std::size_t IntervalIndex::advance(const Items& items, std::size_t from, std::int64_t tNs, Sum* sum,
                                   std::size_t whole) const {
    std::size_t i = from;
    while (i < size()) {
        const Node* node = nullptr;
        const std::size_t width = largestNode(
            i, [tNs](const Node& n) { return n.lastStartNs < tNs; }, &node);
        if (whole > std::max<std::size_t>(width, 1) && i > from && i % whole == 0) break;
        if (width > 0) {
            if (sum != nullptr) {
                sum->add(*node);
                sum->count += width;
            }
            i += width;
            continue;
        }
        const std::int64_t start = this->start(items, i);
        if (start >= tNs) break;
        if (sum != nullptr) {
            sum->add(totalsOf(start, end(items, i), item(i)));
            ++sum->count;
        }
        ++i;
    }
    return i;
}

std::size_t IntervalIndex::skippable(std::size_t i, std::uint32_t keyBits) const {
    const Node* node = nullptr;
    return largestNode(
        i, [keyBits](const Node& n) { return (n.keyBits & keyBits) == 0; }, &node);
}

std::optional<IntervalIndex::Whole> IntervalIndex::wholeAt(std::size_t position,
                                                           std::size_t items) const {
    const std::size_t level = items == kLeaf ? 0 : 1;
    const std::size_t n = position / items;
    if (position % items != 0 || level >= m_levels.size() || n >= m_levels[level].size())
        return std::nullopt;
    const Node& node = m_levels[level][n];
    return Whole{node.lastStartNs, node.longestNs};
}

std::size_t IntervalIndex::memoryBytes() const {
    std::size_t bytes = m_items.chunkCount() * 4096 * sizeof(std::uint32_t) +
                        m_kept.chunkCount() * 1024 * sizeof(TimesOfItem);
    for (const Level& level : m_levels) bytes += level.chunkCount() * 256 * sizeof(Node);
    return bytes;
}

}  // namespace lanescope::app
