#pragma once
// The paged KV cache: one pool of blocks a lane, a table of blocks a sequence (arXiv 2309.06180). A
// block holds blockTokens tokens of every layer, K and V each in storage of its own. Sequences
// share blocks: a fork reads its parent's, a new text reads those of a beginning that is known
// already; who writes into a block that others read gets a copy first. Memory is reserved at once
// and committed by the system as blocks are first written. Not thread-safe: the engine thread owns
// it. Read next: kernels/ops/attention.h, which reads what is here.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/cache/prefix_tree.h"
#include "engine/trace/sink.h"
#include "kernels/ops/attention.h"

namespace lanescope {

/// Shape of a cache. All numbers positive.
struct KvLayout {
    std::int64_t nLayers = 0;
    std::int64_t nKvHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t blockTokens = 16;
    kernels::KvFormat keys = kernels::KvFormat::F16;
    kernels::KvFormat values = kernels::KvFormat::F16;
    bool bounds = false;  ///< with each channel's least and largest key (kernels::PagedKv::bounds)

    /// Bytes of one block's keys or values in one layer: a slice a KV head.
    [[nodiscard]] std::uint64_t partBytes(kernels::KvPart part) const;
    /// Bytes of one block's bounds in one layer.
    [[nodiscard]] std::uint64_t boundsBytes() const {
        return bounds ? static_cast<std::uint64_t>(nKvHeads * 2 * headDim) * sizeof(std::uint16_t)
                      : 0;
    }
    /// Bytes of one block: all layers, K, V and bounds.
    [[nodiscard]] std::uint64_t blockBytes() const {
        return static_cast<std::uint64_t>(nLayers) * layerBytes();
    }
    [[nodiscard]] std::uint64_t layerBytes() const {
        return partBytes(kernels::KvPart::Keys) + partBytes(kernels::KvPart::Values) +
               boundsBytes();
    }
    /// Its share of a block's bytes, rounded up.
    [[nodiscard]] std::uint64_t bytesPerToken() const {
        const auto n = static_cast<std::uint64_t>(blockTokens);
        return (blockBytes() + n - 1) / n;
    }
    /// Bytes of one block's keys as they are, in one layer; 0 where the format needs no tails
    /// (kernels::PagedKv::tail).
    [[nodiscard]] std::uint64_t tailBytes() const;
    /// Tails that passes of at most maxTokens tokens of nSequences sequences need.
    [[nodiscard]] std::int32_t tailsFor(std::int64_t maxTokens, std::int64_t nSequences) const;
    /// Where the tails begin behind nBlocks blocks, and bytes of all.
    [[nodiscard]] std::uint64_t tailOffset(std::int32_t nBlocks) const;
    [[nodiscard]] std::uint64_t poolBytes(std::int32_t nBlocks, std::int32_t nTails) const;
    /// Blocks that nTokens tokens need.
    [[nodiscard]] std::int64_t blocksFor(std::int64_t nTokens) const {
        return (nTokens + blockTokens - 1) / blockTokens;
    }
};

/// Blocks of one sequence, in order of position. Filled and emptied by a BlockPool only.
class BlockTable {
  public:
    /// -1: given up (BlockPool::forget).
    [[nodiscard]] const std::vector<std::int32_t>& blocks() const { return m_blocks; }
    [[nodiscard]] std::int64_t nBlocks() const {
        return static_cast<std::int64_t>(m_blocks.size());
    }
    /// Those that are there.
    [[nodiscard]] std::int64_t nHeld() const { return nBlocks() - m_nForgotten; }

  private:
    friend class BlockPool;
    std::vector<std::int32_t> m_blocks;
    std::vector<std::int32_t> m_tails;  ///< [blocks] its tail, -1: none
    std::int64_t m_nForgotten = 0;
    /// Nodes of the first blocks, as far as their content is known to the pool.
    std::vector<PrefixTree::Node> m_known;
};

/// Where the blocks are, how bytes of them are copied, and how the memory is given back.
struct KvStorage {
    std::byte* data = nullptr;  ///< null: refused
    std::function<void()> release;
    /// In order with the passes that read and write the blocks; null: std::memcpy.
    std::function<void(std::byte* to, const std::byte* from, std::uint64_t bytes)> copy;
};
/// Gives so many bytes of the memory that the lane's backend computes in.
using KvAllocator = std::function<KvStorage(std::uint64_t bytes)>;

class BlockPool {
  public:
    using Token = PrefixTree::Token;

    /// Reserves nBlocks blocks and, where the layout needs them, nTails tails; without an allocator
    /// in the host's memory. Errors: OutOfMemory with the bytes asked for; Usage for a layout that
    /// makes no sense.
    static Result<std::unique_ptr<BlockPool>> create(const KvLayout& layout, std::int32_t nBlocks,
                                                     std::int32_t nTails = 0,
                                                     const KvAllocator& allocator = {});
    ~BlockPool();
    BlockPool(const BlockPool&) = delete;
    BlockPool& operator=(const BlockPool&) = delete;

    [[nodiscard]] const KvLayout& layout() const { return m_layout; }
    [[nodiscard]] std::int32_t nBlocks() const { return m_nBlocks; }
    /// Blocks that can be had: unused ones, and kept ones whose content would be lost.
    [[nodiscard]] std::int32_t nFree() const {
        return static_cast<std::int32_t>(m_free.size()) + m_nKept;
    }
    /// Held by sequences.
    [[nodiscard]] std::int32_t nInUse() const { return m_nBlocks - nFree(); }
    /// Held by none, content known.
    [[nodiscard]] std::int32_t nKept() const { return m_nKept; }
    /// Held by two or more.
    [[nodiscard]] std::int32_t nShared() const { return m_nShared; }
    [[nodiscard]] std::uint64_t reservedBytes() const { return m_storageBytes; }
    [[nodiscard]] std::uint64_t bytesInUse() const {
        return static_cast<std::uint64_t>(nInUse()) * m_layout.blockBytes();
    }
    /// Sequences that hold a block.
    [[nodiscard]] std::int32_t references(std::int32_t block) const {
        return slot(block).references;
    }
    [[nodiscard]] trace::BlockState state(std::int32_t block) const;

    /// Makes room for `end` tokens in all, of which `nTokens` are there: tokens from there on may
    /// be written afterwards. Error: OutOfMemory with needed and free blocks; the first nTokens
    /// tokens are then as they were.
    Result<void> grow(BlockTable& table, std::int64_t nTokens, std::int64_t end,
                      const trace::Cursor& cursor);
    /// The first nTokens tokens have been computed: tails of whole blocks are given back.
    void settle(BlockTable& table, std::int64_t nTokens);
    /// Gives up blocks [blockBegin, blockEnd) in the middle of a sequence: nobody will look at
    /// them.
    void forget(BlockTable& table, std::int64_t blockBegin, std::int64_t blockEnd,
                const trace::Cursor& cursor);
    /// Gives back the blocks after the first nTokens tokens (a rejected draft; 0 = all).
    void shrink(BlockTable& table, std::int64_t nTokens, const trace::Cursor& cursor);
    /// Makes `to` (empty) read the blocks of the first nTokens tokens of `from`. The last of them
    /// may be a part of a block: whoever writes into it first gets a copy (grow). Error:
    /// OutOfMemory when that part needs a tail and none is left.
    Result<void> fork(const BlockTable& from, std::int64_t nTokens, BlockTable& to,
                      const trace::Cursor& cursor);

    /// Makes `table` (empty) read blocks that hold the beginning of a text, as much of it as is
    /// known in whole blocks. Returns how many tokens that are, at most `atMost`.
    std::int64_t adopt(BlockTable& table, std::span<const Token> text, std::int64_t atMost,
                       const trace::Cursor& cursor);
    /// The table's blocks hold keys and values of `text`, from the beginning of a sequence on:
    /// whole blocks of it can be adopted from now on. A block whose content is known already in
    /// another one is given back for that. To be called only with tokens that will not be taken
    /// back.
    void publish(BlockTable& table, std::span<const Token> text, const trace::Cursor& cursor);
    /// Forgets what kept blocks hold.
    void forgetKept(const trace::Cursor& cursor);

    /// One layer's storage with a sequence's table, as the kernels take it.
    [[nodiscard]] kernels::PagedKv view(std::int64_t layer, const BlockTable& table) const;

  private:
    /// A block as the pool keeps it. Kept ones are a list, the one to go first at its head.
    struct Slot {
        std::int32_t references = 0;
        PrefixTree::Node node = PrefixTree::kNone;  ///< content is known: its node
        std::int32_t before = kEnd, next = kEnd;    ///< in the list of kept blocks
    };
    static constexpr std::int32_t kEnd = -1;

    BlockPool(const KvLayout& layout, std::int32_t nBlocks, std::int32_t nTails, KvStorage storage,
              std::uint64_t storageBytes);
    [[nodiscard]] Slot& slot(std::int32_t block) {
        return m_slots[static_cast<std::size_t>(block)];
    }
    [[nodiscard]] const Slot& slot(std::int32_t block) const {
        return m_slots[static_cast<std::size_t>(block)];
    }
    /// Precondition: nFree() > 0.
    std::int32_t take(std::int64_t index, const trace::Cursor& cursor);
    void hold(std::int32_t block, std::int64_t index, const trace::Cursor& cursor);
    /// True: nobody holds it any more.
    bool letGo(std::int32_t block, std::int64_t index, const trace::Cursor& cursor);
    void keep(std::int32_t block);
    void unlink(std::int32_t block);
    /// Frees the kept block that goes first, and what is known behind it.
    void evictOldest(const trace::Cursor& cursor);
    void copyBlock(std::int32_t to, std::int32_t from);
    /// nSlices pieces of `bytes` each, `stride` apart from each other, from one number to another.
    void copyPieces(std::uint64_t offset, std::uint64_t bytes, std::uint64_t stride,
                    std::int32_t to, std::int32_t from);
    /// A tail for every block from the one of token nTokens on. False: there are not enough.
    bool takeTails(BlockTable& table, std::int64_t nTokens);
    void dropTails(BlockTable& table, std::size_t from, std::size_t end);
    [[nodiscard]] bool readByOthers(const BlockTable& table, std::int64_t nTokens) const;
    [[nodiscard]] std::span<const Token> blockOf(std::span<const Token> text,
                                                 std::size_t index) const;
    void report(const trace::Cursor& cursor, trace::KvAction action, std::int64_t nBlocks) const;
    void reportBlock(const trace::Cursor& cursor, std::int32_t block, std::int64_t index) const;

    KvLayout m_layout;
    std::int32_t m_nBlocks;
    /// [nLayers, {[nBlocks] parts of K, [nBlocks] parts of V, [nBlocks] bounds}], then [nLayers,
    /// nTails] tails.
    KvStorage m_storage;
    std::uint64_t m_storageBytes;
    std::vector<std::int32_t> m_free;  ///< a stack: the block freed last is used next
    std::vector<Slot> m_slots;         ///< [nBlocks]
    std::int32_t m_nTails = 0;
    std::vector<std::int32_t> m_freeTails;
    PrefixTree m_tree;
    std::int32_t m_oldest = kEnd, m_newest = kEnd;  ///< of the kept
    std::int32_t m_nKept = 0;
    std::int32_t m_nShared = 0;
};

}  // namespace lanescope
