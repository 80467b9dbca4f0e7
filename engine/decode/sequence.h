#pragma once
// One sequence at work: its block table and length.

#include <cstdint>

#include "engine/cache/block_pool.h"

namespace lanescope {

/// Gives its blocks back when the request ends, however it ends.
struct Sequence {
    Sequence(BlockPool& owner, const trace::Cursor& labels) : pool(owner), cursor(labels) {}
    ~Sequence() { pool.shrink(table, 0, cursor); }
    Sequence(const Sequence&) = delete;
    Sequence& operator=(const Sequence&) = delete;

    [[nodiscard]] std::uint64_t kvBytes() const {
        return static_cast<std::uint64_t>(table.nBlocks()) * pool.layout().blockBytes();
    }

    BlockPool& pool;
    trace::Cursor cursor;
    BlockTable table;
    std::int64_t nTokens = 0;  ///< in the cache
};

}  // namespace lanescope
