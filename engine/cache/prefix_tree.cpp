#include "engine/cache/prefix_tree.h"

#include <algorithm>

namespace lanescope {

std::uint64_t PrefixTree::hashOf(Node before, std::span<const Token> tokens) {
    // FNV-1a over whole tokens, then a finaliser (splitmix64) for the low bits.
    std::uint64_t h = 0xCBF29CE484222325ULL;
    const auto add = [&h](std::uint32_t value) {
        h ^= value;
        h *= 0x100000001B3ULL;
    };
    add(static_cast<std::uint32_t>(before));
    for (const Token token : tokens) add(static_cast<std::uint32_t>(token));
    h = (h ^ (h >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 27U)) * 0x94D049BB133111EBULL;
    return h ^ (h >> 31U);
}

PrefixTree::Node PrefixTree::find(Node before, std::span<const Token> tokens) const {
    const auto [first, last] = m_byHash.equal_range(hashOf(before, tokens));
    for (auto it = first; it != last; ++it) {
        const Entry& entry = at(it->second);
        if (entry.before == before && std::ranges::equal(entry.tokens, tokens)) return it->second;
    }
    return kNone;
}

PrefixTree::Node PrefixTree::insert(Node before, std::span<const Token> tokens,
                                    std::int32_t block) {
    Node node = kNone;
    if (m_unused.empty()) {
        node = static_cast<Node>(m_entries.size());
        m_entries.emplace_back();
    } else {
        node = m_unused.back();
        m_unused.pop_back();
    }
    Entry& entry = m_entries[static_cast<std::size_t>(node)];
    entry.hash = hashOf(before, tokens);
    entry.before = before;
    entry.block = block;
    entry.firstBehind = entry.next = entry.previous = kNone;
    entry.tokens.assign(tokens.begin(), tokens.end());
    if (before != kRoot) {
        Node& first = m_entries[static_cast<std::size_t>(before)].firstBehind;
        entry.next = first;
        if (first != kNone) m_entries[static_cast<std::size_t>(first)].previous = node;
        first = node;
    }
    m_byHash.emplace(entry.hash, node);
    return node;
}

void PrefixTree::erase(Node node) {
    Entry& entry = m_entries[static_cast<std::size_t>(node)];
    const auto [first, last] = m_byHash.equal_range(entry.hash);
    const auto it = std::find_if(first, last, [node](const auto& e) { return e.second == node; });
    if (it == last) return;
    m_byHash.erase(it);
    if (entry.next != kNone)
        m_entries[static_cast<std::size_t>(entry.next)].previous = entry.previous;
    if (entry.previous != kNone)
        m_entries[static_cast<std::size_t>(entry.previous)].next = entry.next;
    else if (entry.before != kRoot)
        m_entries[static_cast<std::size_t>(entry.before)].firstBehind = entry.next;
    entry.tokens.clear();
    entry.block = -1;
    m_unused.push_back(node);
}

}  // namespace lanescope
