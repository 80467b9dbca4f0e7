#include "engine/cache/block_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "engine/base/format.h"

namespace lanescope {

namespace {

constexpr std::uint64_t kHugePage = 2U << 20U;
// Far beyond any machine; keeps every product below in 64 bits.
constexpr std::int64_t kMaxDimension = 1 << 20;

bool storable(kernels::DType type) {
    return type == kernels::DType::F32 || type == kernels::DType::F16 ||
           type == kernels::DType::BF16;
}

KvStorage hostStorage(const KvLayout& layout, std::int32_t nBlocks, std::uint64_t bytes) {
    void* storage = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (storage == MAP_FAILED) return {};
    // Whole huge pages only where a slice fills them: else the first block would commit megabytes.
    if (layout.sliceBytes() * static_cast<std::uint64_t>(nBlocks) >= 4 * kHugePage)
        madvise(storage, bytes, MADV_HUGEPAGE);
    return {static_cast<std::byte*>(storage), [storage, bytes] { munmap(storage, bytes); }};
}

}  // namespace

std::uint64_t KvLayout::sliceBytes() const {
    return static_cast<std::uint64_t>(nKvHeads * blockTokens) *
           static_cast<std::uint64_t>(kernels::rowBytes(dtype, headDim));
}

Result<std::unique_ptr<BlockPool>> BlockPool::create(const KvLayout& layout, std::int32_t nBlocks,
                                                     const KvAllocator& allocator) {
    const auto inRange = [](std::int64_t n) { return n > 0 && n <= kMaxDimension; };
    if (!inRange(layout.nLayers) || !inRange(layout.nKvHeads) || !inRange(layout.headDim) ||
        !inRange(layout.blockTokens) || nBlocks <= 0)
        return usageError("a KV cache needs at least one layer, head, token and block");
    if (!storable(layout.dtype))
        return usageError(
            "KV cache cannot be stored as " + std::string(kernels::info(layout.dtype).name),
            "use f32, f16 or bf16");
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(2 * static_cast<std::uint64_t>(layout.nLayers), layout.sliceBytes(),
                               &bytes) ||
        __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(nBlocks), &bytes) ||
        bytes > (1ULL << 46U))
        return outOfMemory("a KV cache of " + std::to_string(nBlocks) + " blocks is over 64 TiB",
                           "KV cache", "choose a shorter context");
    KvStorage storage = allocator ? allocator(bytes) : hostStorage(layout, nBlocks, bytes);
    if (storage.data == nullptr)
        return outOfMemory((allocator ? "the device refused " : "the system refused ") +
                               formatBytes(bytes) + " for " + std::to_string(nBlocks) + " blocks",
                           "KV cache", "choose a shorter context or a smaller KV format");
    return std::unique_ptr<BlockPool>(new BlockPool(layout, nBlocks, std::move(storage), bytes));
}

BlockPool::BlockPool(const KvLayout& layout, std::int32_t nBlocks, KvStorage storage,
                     std::uint64_t storageBytes)
    : m_layout(layout),
      m_nBlocks(nBlocks),
      m_storage(std::move(storage)),
      m_storageBytes(storageBytes),
      m_references(static_cast<std::size_t>(nBlocks), 0) {
    m_free.reserve(static_cast<std::size_t>(nBlocks));
    for (std::int32_t block = nBlocks; block-- > 0;) m_free.push_back(block);
}

BlockPool::~BlockPool() {
    if (m_storage.release) m_storage.release();
}

Result<void> BlockPool::grow(BlockTable& table, std::int64_t nTokens, const trace::Cursor& cursor) {
    const std::int64_t missing = m_layout.blocksFor(nTokens) - table.nBlocks();
    if (missing <= 0) return {};
    if (missing > nFree())
        return outOfMemory(std::to_string(nTokens) + " tokens need " + std::to_string(missing) +
                               " more blocks of " + std::to_string(m_layout.blockTokens) +
                               " tokens, " + std::to_string(nFree()) + " of " +
                               std::to_string(m_nBlocks) + " are free",
                           "KV cache", "shorten the prompt or raise the context");
    table.m_blocks.reserve(static_cast<std::size_t>(m_layout.blocksFor(nTokens)));
    for (std::int64_t i = 0; i < missing; ++i) {
        const std::int32_t block = m_free.back();
        m_free.pop_back();
        m_references[static_cast<std::size_t>(block)] = 1;
        table.m_blocks.push_back(block);
    }
    report(cursor, trace::KvAction::Allocate, missing);
    return {};
}

void BlockPool::shrink(BlockTable& table, std::int64_t nTokens, const trace::Cursor& cursor) {
    const std::int64_t keep = m_layout.blocksFor(nTokens);
    std::int64_t freed = 0;
    while (table.nBlocks() > keep) {
        const std::int32_t block = table.m_blocks.back();
        table.m_blocks.pop_back();
        if (--m_references[static_cast<std::size_t>(block)] > 0) continue;
        m_free.push_back(block);
        ++freed;
    }
    if (freed > 0) report(cursor, trace::KvAction::Free, freed);
}

void BlockPool::share(const BlockTable& from, std::int64_t nBlocks, BlockTable& to,
                      const trace::Cursor& cursor) {
    shrink(to, 0, cursor);
    const auto count = static_cast<std::size_t>(std::min(nBlocks, from.nBlocks()));
    to.m_blocks.assign(from.m_blocks.begin(),
                       from.m_blocks.begin() + static_cast<std::ptrdiff_t>(count));
    for (const std::int32_t block : to.m_blocks) ++m_references[static_cast<std::size_t>(block)];
    if (count > 0) report(cursor, trace::KvAction::Reuse, static_cast<std::int64_t>(count));
}

kernels::PagedKv BlockPool::view(std::int64_t layer, const BlockTable& table) const {
    const std::uint64_t half = m_layout.sliceBytes() * static_cast<std::uint64_t>(m_nBlocks);
    std::byte* base = m_storage.data + static_cast<std::uint64_t>(2 * layer) * half;
    kernels::PagedKv kv;
    kv.k = base;
    kv.v = base + half;
    kv.dtype = m_layout.dtype;
    kv.blockTable = table.m_blocks.data();
    kv.blockTokens = m_layout.blockTokens;
    kv.nKvHeads = m_layout.nKvHeads;
    kv.headDim = m_layout.headDim;
    return kv;
}

void BlockPool::report(const trace::Cursor& cursor, trace::KvAction action,
                       std::int64_t nBlocks) const {
    if (cursor.sink == nullptr) return;
    trace::KvEvent event;
    event.tNs = nowNs();
    event.request = cursor.request;
    event.lane = cursor.lane;
    event.action = action;
    event.blocks = static_cast<std::int32_t>(nBlocks);
    event.blocksInUse = nInUse();
    event.bytesInUse = bytesInUse();
    cursor.sink->kv(event);
}

}  // namespace lanescope
