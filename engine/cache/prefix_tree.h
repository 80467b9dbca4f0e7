#pragma once
// Which blocks hold which beginnings of texts: a tree whose nodes are full blocks of tokens, found
// by a hash of the node before and the block's tokens and then compared token by token, so that a
// collision costs time and never a wrong block. Knows nothing of references or memory: block_pool.h
// does.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace lanescope {

class PrefixTree {
  public:
    using Token = std::int32_t;
    using Node = std::int32_t;
    static constexpr Node kRoot = -1;
    static constexpr Node kNone = -2;

    /// The node of `tokens` (a block's worth) behind `before`; kNone: not known.
    [[nodiscard]] Node find(Node before, std::span<const Token> tokens) const;
    /// Precondition: find() gives kNone.
    Node insert(Node before, std::span<const Token> tokens, std::int32_t block);
    /// Precondition: no node is behind it (firstBehind() is kNone).
    void erase(Node node);

    [[nodiscard]] std::int32_t block(Node node) const { return at(node).block; }
    [[nodiscard]] Node before(Node node) const { return at(node).before; }
    /// One of those whose `before` it is; kNone: there are none.
    [[nodiscard]] Node firstBehind(Node node) const { return at(node).firstBehind; }
    [[nodiscard]] std::int64_t nNodes() const { return static_cast<std::int64_t>(m_byHash.size()); }

  private:
    struct Entry {
        std::uint64_t hash = 0;
        Node before = kRoot;
        std::int32_t block = -1;
        Node firstBehind = kNone;
        Node next = kNone, previous = kNone;  ///< among those behind the same node
        std::vector<Token> tokens;            ///< a block's worth; empty: the entry is unused
    };
    [[nodiscard]] const Entry& at(Node node) const {
        return m_entries[static_cast<std::size_t>(node)];
    }
    [[nodiscard]] static std::uint64_t hashOf(Node before, std::span<const Token> tokens);

    std::vector<Entry> m_entries;
    std::vector<Node> m_unused;
    std::unordered_multimap<std::uint64_t, Node> m_byHash;
};

}  // namespace lanescope
