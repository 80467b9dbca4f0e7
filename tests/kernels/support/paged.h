#pragma once
// A paged KV cache for tests: physical blocks are handed out in shuffled order and unused memory
// is poisoned with NaN, so that a kernel that reads a wrong slot shows.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels::test {

class Paged {
  public:
    Paged(KvFormat format, std::int64_t nKvHeads, std::int64_t headDim, std::int64_t context,
          std::int64_t blockTokens)
        : Paged(format, format, nKvHeads, headDim, context, blockTokens) {}
    Paged(KvFormat keys, KvFormat values, std::int64_t nKvHeads, std::int64_t headDim,
          std::int64_t context, std::int64_t blockTokens)
        : m_context(context) {
        const std::int64_t nBlocks = (context + blockTokens - 1) / blockTokens;
        m_table.resize(static_cast<std::size_t>(nBlocks));
        std::iota(m_table.begin(), m_table.end(), 0);
        std::shuffle(m_table.begin(), m_table.end(), std::mt19937(7));
        m_kv = {nullptr, nullptr, keys, values, m_table.data(), blockTokens, nKvHeads, headDim};
        // 0xFF bytes are NaN in all floats, and as scales.
        const auto bytes = [&](const KvSlice& slice) {
            return static_cast<std::size_t>(nBlocks * nKvHeads * slice.bytes);
        };
        m_k.assign(bytes(m_kv.keySlice()), 0xFF);
        m_v.assign(bytes(m_kv.valueSlice()), 0xFF);
        m_kv.k = m_k.data();
        m_kv.v = m_v.data();
        if (!codesWholeBlocks(keys, KvPart::Keys)) return;
        m_tails.resize(m_table.size());
        std::iota(m_tails.begin(), m_tails.end(), 0);
        std::shuffle(m_tails.begin(), m_tails.end(), std::mt19937(8));
        m_tail.assign(static_cast<std::size_t>(nBlocks * nKvHeads * blockTokens * headDim), 0xFFFF);
        m_kv.tail = m_tail.data();
        m_kv.tailTable = m_tails.data();
    }
    Paged(const Paged&) = delete;
    Paged& operator=(const Paged&) = delete;

    [[nodiscard]] const PagedKv& view() const { return m_kv; }

    /// Stores token rows [begin, end) of k and v [context, nKvHeads * headDim].
    void write(const OpTable& ops, const std::vector<float>& k, const std::vector<float>& v,
               std::int64_t begin, std::int64_t end) {
        std::vector<std::int32_t> positions(static_cast<std::size_t>(m_context));
        std::iota(positions.begin(), positions.end(), 0);
        KvWriteArgs args;
        args.k = k.data();
        args.v = v.data();
        args.kStride = args.vStride = m_kv.nKvHeads * m_kv.headDim;
        args.positions = positions.data();
        args.kv = m_kv;
        args.tokenBegin = begin;
        args.tokenEnd = end;
        ops.kvWrite(args);
        ops.kvSeal({m_kv, begin / m_kv.blockTokens, end / m_kv.blockTokens, 0, m_kv.nKvHeads});
    }
    /// What is not needed any more for queries from `position` on becomes NaN.
    void dropTailsBefore(std::int64_t position) {
        const std::int64_t bytes = m_kv.nKvHeads * m_kv.blockTokens * m_kv.headDim;
        for (std::int64_t b = 0; b < position / m_kv.blockTokens && !m_tails.empty(); ++b) {
            auto& tail = m_tails[static_cast<std::size_t>(b)];
            if (tail < 0) continue;
            std::fill_n(m_tail.begin() + tail * bytes, bytes, 0xFFFF);
            tail = -1;
        }
    }
    /// A block that has been given up.
    void loseBlock(std::int64_t index) { m_table[static_cast<std::size_t>(index)] = -1; }

    [[nodiscard]] const std::vector<std::uint8_t>& keyBytes() const { return m_k; }
    [[nodiscard]] const std::vector<std::uint8_t>& valueBytes() const { return m_v; }

  private:
    std::int64_t m_context;
    std::vector<std::int32_t> m_table;
    std::vector<std::uint8_t> m_k;
    std::vector<std::uint8_t> m_v;
    std::vector<std::int32_t> m_tails;
    std::vector<std::uint16_t> m_tail;
    PagedKv m_kv;
};

/// Runs all items with scratch of exactly the promised size.
inline void attend(const OpTable& ops, AttentionArgs args, std::int64_t maxContext) {
    std::vector<float> scratch(static_cast<std::size_t>(attentionScratchFloats(
        args.kind, args.nHeads, args.kv.nKvHeads, args.kv.headDim, maxContext)));
    args.scratch = scratch.data();
    args.itemBegin = 0;
    args.itemEnd = attentionItems(args);
    ops.attention(args);
}

/// The same with every item's keys shared out: the stretches one by one, the last first.
inline void attendShared(const OpTable& ops, AttentionArgs args, std::int64_t maxContext) {
    std::vector<float> scratch(static_cast<std::size_t>(attentionScratchFloats(
        args.kind, args.nHeads, args.kv.nKvHeads, args.kv.headDim, maxContext)));
    args.scratch = scratch.data();
    const std::int64_t items = attentionItems(args);
    const std::int64_t units = items * attentionStretches(args);
    // All units take the room of the largest: an item of fewer tokens uses less of it.
    const std::int64_t rows =
        std::min(args.nTokens, kAttentionTile) * (args.nHeads / args.kv.nKvHeads);
    std::vector<float> partial(
        static_cast<std::size_t>(units * attentionPartialFloats(rows, args.kv.headDim)));
    args.partial = partial.data();
    for (std::int64_t unit = units - 1; unit >= 0; --unit) {
        args.itemBegin = unit;
        args.itemEnd = unit + 1;
        ops.attention(args);
    }
    args.itemBegin = 0;
    args.itemEnd = items;
    ops.attentionCombine(args);
}

}  // namespace lanescope::kernels::test
