#pragma once
// The paged KV cache: one pool of blocks a lane, a table of blocks a sequence (arXiv 2309.06180). A
// block holds blockTokens tokens of every layer, K and V each in storage of its own. Memory is
// reserved at once and committed by the system as blocks are first written. Not thread-safe: the
// engine thread owns it. Read next: kernels/ops/attention.h, which reads what is here.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/trace/sink.h"
#include "kernels/ops/attention.h"

namespace lanescope {

/// Shape of a cache. All fields positive; dtype F32, F16 or BF16.
struct KvLayout {
    std::int64_t nLayers = 0;
    std::int64_t nKvHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t blockTokens = 16;
    kernels::DType dtype = kernels::DType::F16;

    /// Bytes of one block of K (or of V) in one layer.
    [[nodiscard]] std::uint64_t sliceBytes() const;
    /// Bytes of one block: all layers, K and V.
    [[nodiscard]] std::uint64_t blockBytes() const {
        return 2 * static_cast<std::uint64_t>(nLayers) * sliceBytes();
    }
    /// Blocks that nTokens tokens need.
    [[nodiscard]] std::int64_t blocksFor(std::int64_t nTokens) const {
        return (nTokens + blockTokens - 1) / blockTokens;
    }
};

/// Blocks of one sequence, in order of position. Filled and emptied by a BlockPool only.
class BlockTable {
  public:
    [[nodiscard]] const std::vector<std::int32_t>& blocks() const { return m_blocks; }
    [[nodiscard]] std::int64_t nBlocks() const {
        return static_cast<std::int64_t>(m_blocks.size());
    }

  private:
    friend class BlockPool;
    std::vector<std::int32_t> m_blocks;
};

/// Where the blocks are, and how the memory is given back.
struct KvStorage {
    std::byte* data = nullptr;  ///< null: refused
    std::function<void()> release;
};
/// Gives so many bytes of the memory that the lane's backend computes in.
using KvAllocator = std::function<KvStorage(std::uint64_t bytes)>;

class BlockPool {
  public:
    /// Reserves nBlocks blocks, without an allocator in the host's memory. Errors: OutOfMemory with
    /// the bytes asked for; Usage for a layout that makes no sense.
    static Result<std::unique_ptr<BlockPool>> create(const KvLayout& layout, std::int32_t nBlocks,
                                                     const KvAllocator& allocator = {});
    ~BlockPool();
    BlockPool(const BlockPool&) = delete;
    BlockPool& operator=(const BlockPool&) = delete;

    [[nodiscard]] const KvLayout& layout() const { return m_layout; }
    [[nodiscard]] std::int32_t nBlocks() const { return m_nBlocks; }
    [[nodiscard]] std::int32_t nFree() const { return static_cast<std::int32_t>(m_free.size()); }
    [[nodiscard]] std::int32_t nInUse() const { return m_nBlocks - nFree(); }
    [[nodiscard]] std::uint64_t reservedBytes() const { return m_storageBytes; }
    [[nodiscard]] std::uint64_t bytesInUse() const {
        return static_cast<std::uint64_t>(nInUse()) * m_layout.blockBytes();
    }
    /// Sequences that hold a block; 0 = free.
    [[nodiscard]] std::int32_t references(std::int32_t block) const {
        return m_references[static_cast<std::size_t>(block)];
    }

    /// Makes room for nTokens tokens in all. Error: OutOfMemory with needed and free blocks; the
    /// table is then as it was.
    Result<void> grow(BlockTable& table, std::int64_t nTokens, const trace::Cursor& cursor);
    /// Gives back the blocks after the first nTokens tokens (a rejected draft; 0 = all).
    void shrink(BlockTable& table, std::int64_t nTokens, const trace::Cursor& cursor);
    /// Makes `to` (empty) share the first nBlocks blocks of `from`. Shared blocks must only be
    /// read.
    void share(const BlockTable& from, std::int64_t nBlocks, BlockTable& to,
               const trace::Cursor& cursor);

    /// One layer's storage with a sequence's table, as the kernels take it.
    [[nodiscard]] kernels::PagedKv view(std::int64_t layer, const BlockTable& table) const;

  private:
    BlockPool(const KvLayout& layout, std::int32_t nBlocks, KvStorage storage,
              std::uint64_t storageBytes);
    void report(const trace::Cursor& cursor, trace::KvAction action, std::int64_t nBlocks) const;

    KvLayout m_layout;
    std::int32_t m_nBlocks;
    KvStorage m_storage;  ///< [nLayers, {K, V}, nBlocks, nKvHeads, blockTokens, headDim] dtype
    std::uint64_t m_storageBytes;
    std::vector<std::int32_t> m_free;        ///< a stack: the block freed last is used next
    std::vector<std::int32_t> m_references;  ///< [nBlocks]
};

}  // namespace lanescope
