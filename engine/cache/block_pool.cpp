#include "engine/cache/block_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/format.h"

namespace lanescope {

namespace {

constexpr std::uint64_t kHugePage = 2U << 20U;
// Far beyond any machine; keeps every product below in 64 bits.
constexpr std::int64_t kMaxDimension = 1 << 20;

KvStorage hostStorage(const KvLayout& layout, std::int32_t nBlocks, std::uint64_t bytes) {
    void* storage = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (storage == MAP_FAILED) return {};
    // Whole huge pages only where a slice fills them: else the first block would commit megabytes.
    if (layout.partBytes(kernels::KvPart::Keys) * static_cast<std::uint64_t>(nBlocks) >=
        4 * kHugePage)
        madvise(storage, bytes, MADV_HUGEPAGE);
    return {static_cast<std::byte*>(storage), [storage, bytes] { munmap(storage, bytes); }, {}};
}

}  // namespace

std::uint64_t KvLayout::partBytes(kernels::KvPart part) const {
    const kernels::KvFormat format = part == kernels::KvPart::Keys ? keys : values;
    return static_cast<std::uint64_t>(nKvHeads *
                                      kernels::kvSlice(format, part, blockTokens, headDim).bytes);
}

std::uint64_t KvLayout::tailBytes() const {
    if (!kernels::codesWholeBlocks(keys, kernels::KvPart::Keys)) return 0;
    return static_cast<std::uint64_t>(nKvHeads * blockTokens * headDim) * sizeof(std::uint16_t);
}

std::uint64_t KvLayout::tailOffset(std::int32_t nBlocks) const {
    constexpr std::uint64_t kAlignment = 256;  // what devices copy best
    const std::uint64_t blocks = static_cast<std::uint64_t>(nBlocks) * blockBytes();
    return tailBytes() == 0 ? blocks : (blocks + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint64_t KvLayout::poolBytes(std::int32_t nBlocks, std::int32_t nTails) const {
    return tailOffset(nBlocks) +
           static_cast<std::uint64_t>(nLayers) * static_cast<std::uint64_t>(nTails) * tailBytes();
}

std::int32_t KvLayout::tailsFor(std::int64_t maxTokens, std::int64_t nSequences) const {
    if (tailBytes() == 0) return 0;
    // Each sequence may begin and end inside a block; a fork has one of its own meanwhile.
    return static_cast<std::int32_t>(maxTokens / blockTokens + 3 * nSequences);
}

Result<std::unique_ptr<BlockPool>> BlockPool::create(const KvLayout& layout, std::int32_t nBlocks,
                                                     std::int32_t nTails,
                                                     const KvAllocator& allocator) {
    const auto inRange = [](std::int64_t n) { return n > 0 && n <= kMaxDimension; };
    if (!inRange(layout.nLayers) || !inRange(layout.nKvHeads) || !inRange(layout.headDim) ||
        !inRange(layout.blockTokens) || nBlocks <= 0)
        return usageError("a KV cache needs at least one layer, head, token and block");
    for (const kernels::KvFormat format : {layout.keys, layout.values})
        if (!kernels::canStore(format, layout.headDim))
            return usageError("heads of " + std::to_string(layout.headDim) +
                                  " columns cannot be stored as " +
                                  std::string(kernels::kvFormatName(format)),
                              "use fp16");
    if (layout.tailBytes() == 0) nTails = 0;
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(layout.blockBytes(), static_cast<std::uint64_t>(nBlocks), &bytes) ||
        bytes > (1ULL << 46U))
        return outOfMemory("a KV cache of " + std::to_string(nBlocks) + " blocks is over 64 TiB",
                           "KV cache", "choose a shorter context");
    bytes = layout.poolBytes(nBlocks, nTails);
    KvStorage storage = allocator ? allocator(bytes) : hostStorage(layout, nBlocks, bytes);
    if (storage.data == nullptr)
        return outOfMemory((allocator ? "the device refused " : "the system refused ") +
                               formatBytes(bytes) + " for " + std::to_string(nBlocks) + " blocks",
                           "KV cache", "choose a shorter context or a smaller KV format");
    return std::unique_ptr<BlockPool>(
        new BlockPool(layout, nBlocks, nTails, std::move(storage), bytes));
}

BlockPool::BlockPool(const KvLayout& layout, std::int32_t nBlocks, std::int32_t nTails,
                     KvStorage storage, std::uint64_t storageBytes)
    : m_layout(layout),
      m_nBlocks(nBlocks),
      m_storage(std::move(storage)),
      m_storageBytes(storageBytes),
      m_slots(static_cast<std::size_t>(nBlocks)),
      m_nTails(nTails) {
    m_free.reserve(static_cast<std::size_t>(nBlocks));
    for (std::int32_t block = nBlocks; block-- > 0;) m_free.push_back(block);
    for (std::int32_t tail = nTails; tail-- > 0;) m_freeTails.push_back(tail);
}

BlockPool::~BlockPool() {
    if (m_storage.release) m_storage.release();
}

trace::BlockState BlockPool::state(std::int32_t block) const {
    if (references(block) > 0) return trace::BlockState::Held;
    return slot(block).node == PrefixTree::kNone ? trace::BlockState::Free
                                                 : trace::BlockState::Kept;
}

bool BlockPool::readByOthers(const BlockTable& table, std::int64_t nTokens) const {
    const std::int64_t index = nTokens / m_layout.blockTokens;
    if (nTokens % m_layout.blockTokens == 0 || index >= table.nBlocks()) return false;
    const Slot& last = slot(table.m_blocks[static_cast<std::size_t>(index)]);
    return last.references > 1 || last.node != PrefixTree::kNone;
}

Result<void> BlockPool::grow(BlockTable& table, std::int64_t nTokens, std::int64_t end,
                             const trace::Cursor& cursor) {
    const std::int64_t copies = end > nTokens && readByOthers(table, nTokens) ? 1 : 0;
    if (copies > 0) shrink(table, nTokens, cursor);  // what lies behind is written anew
    const std::int64_t missing =
        std::max<std::int64_t>(m_layout.blocksFor(end) - table.nBlocks(), 0);
    if (missing + copies > nFree())
        return outOfMemory(
            std::to_string(end) + " tokens need " + std::to_string(missing + copies) +
                " more blocks of " + std::to_string(m_layout.blockTokens) + " tokens, " +
                std::to_string(nFree()) + " of " + std::to_string(m_nBlocks) + " are free",
            "KV cache", "shorten the prompt or raise the context");
    if (copies > 0) {
        const auto index = static_cast<std::size_t>(nTokens / m_layout.blockTokens);
        const std::int32_t own = take(static_cast<std::int64_t>(index), cursor);
        copyBlock(own, table.m_blocks[index]);
        letGo(table.m_blocks[index], static_cast<std::int64_t>(index), cursor);
        table.m_blocks[index] = own;
        if (table.m_known.size() > index) table.m_known.resize(index);
        report(cursor, trace::KvAction::Copy, 1);
    }
    if (missing > 0) {
        table.m_blocks.reserve(static_cast<std::size_t>(m_layout.blocksFor(end)));
        for (std::int64_t i = 0; i < missing; ++i) {
            const std::int32_t block = take(table.nBlocks(), cursor);
            table.m_blocks.push_back(block);
        }
        report(cursor, trace::KvAction::Allocate, missing);
    }
    if (!takeTails(table, nTokens)) {
        shrink(table, nTokens, cursor);
        return internalError("the keys of a block's tokens are not there, or of more than " +
                             std::to_string(m_nTails) + " blocks at once");
    }
    return {};
}

bool BlockPool::takeTails(BlockTable& table, std::int64_t nTokens) {
    if (m_nTails == 0) return true;
    table.m_tails.resize(table.m_blocks.size(), kEnd);
    const auto first = static_cast<std::size_t>(nTokens / m_layout.blockTokens);
    for (std::size_t i = first; i < table.m_blocks.size(); ++i) {
        if (table.m_tails[i] != kEnd) continue;
        // The first tokens of a block that is gone on with are nowhere else.
        const bool lost = i == first && nTokens % m_layout.blockTokens != 0;
        if (lost || m_freeTails.empty()) return false;
        table.m_tails[i] = m_freeTails.back();
        m_freeTails.pop_back();
    }
    return true;
}

void BlockPool::dropTails(BlockTable& table, std::size_t from, std::size_t end) {
    for (std::size_t i = from; i < std::min(end, table.m_tails.size()); ++i) {
        if (table.m_tails[i] == kEnd) continue;
        m_freeTails.push_back(table.m_tails[i]);
        table.m_tails[i] = kEnd;
    }
}

void BlockPool::settle(BlockTable& table, std::int64_t nTokens) {
    if (m_nTails > 0) dropTails(table, 0, static_cast<std::size_t>(nTokens / m_layout.blockTokens));
}

void BlockPool::shrink(BlockTable& table, std::int64_t nTokens, const trace::Cursor& cursor) {
    const std::int64_t keep = m_layout.blocksFor(nTokens);
    std::int64_t freed = 0;
    // From the last on: of kept blocks those at the end of a text are the first to go.
    while (table.nBlocks() > keep) {
        const std::int32_t block = table.m_blocks.back();
        table.m_blocks.pop_back();
        if (block == kEnd)
            --table.m_nForgotten;
        else if (letGo(block, table.nBlocks(), cursor))
            ++freed;
    }
    if (std::ssize(table.m_known) > table.nBlocks()) table.m_known.resize(table.m_blocks.size());
    dropTails(table, table.m_blocks.size(), table.m_tails.size());
    if (table.m_tails.size() > table.m_blocks.size()) table.m_tails.resize(table.m_blocks.size());
    if (freed > 0) report(cursor, trace::KvAction::Free, freed);
}

void BlockPool::forget(BlockTable& table, std::int64_t blockBegin, std::int64_t blockEnd,
                       const trace::Cursor& cursor) {
    std::int64_t freed = 0;
    for (std::int64_t i = std::min(blockEnd, table.nBlocks()); i-- > blockBegin;) {
        std::int32_t& block = table.m_blocks[static_cast<std::size_t>(i)];
        if (block == kEnd) break;  // those before it went earlier
        if (letGo(block, i, cursor)) ++freed;
        block = kEnd;
        ++table.m_nForgotten;
    }
    if (blockBegin < blockEnd && std::ssize(table.m_known) > blockBegin)
        table.m_known.resize(static_cast<std::size_t>(blockBegin));
    if (freed > 0) report(cursor, trace::KvAction::Free, freed);
}

Result<void> BlockPool::fork(const BlockTable& from, std::int64_t nTokens, BlockTable& to,
                             const trace::Cursor& cursor) {
    const auto count =
        static_cast<std::size_t>(std::min(m_layout.blocksFor(nTokens), from.nBlocks()));
    const bool needsTail = m_nTails > 0 && nTokens % m_layout.blockTokens != 0;
    if (needsTail && (m_freeTails.empty() || from.m_tails[count - 1] == kEnd))
        return outOfMemory("the keys of a part of a block cannot be had twice", "KV cache",
                           "fork where a block begins");
    to.m_blocks.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (from.m_blocks[i] == kEnd)
            ++to.m_nForgotten;
        else
            hold(from.m_blocks[i], static_cast<std::int64_t>(i), cursor);
        to.m_blocks.push_back(from.m_blocks[i]);
    }
    to.m_known.assign(
        from.m_known.begin(),
        from.m_known.begin() + static_cast<std::ptrdiff_t>(std::min(count, from.m_known.size())));
    to.m_tails.assign(m_nTails > 0 ? count : 0, kEnd);
    if (needsTail) {
        to.m_tails.back() = m_freeTails.back();
        m_freeTails.pop_back();
        copyPieces(m_layout.tailOffset(m_nBlocks), m_layout.tailBytes(),
                   static_cast<std::uint64_t>(m_nTails) * m_layout.tailBytes(), to.m_tails.back(),
                   from.m_tails[count - 1]);
    }
    if (count > 0) report(cursor, trace::KvAction::Reuse, static_cast<std::int64_t>(count));
    return {};
}

std::span<const BlockPool::Token> BlockPool::blockOf(std::span<const Token> text,
                                                     std::size_t index) const {
    const auto n = static_cast<std::size_t>(m_layout.blockTokens);
    return text.subspan(index * n, n);
}

std::int64_t BlockPool::adopt(BlockTable& table, std::span<const Token> text, std::int64_t atMost,
                              const trace::Cursor& cursor) {
    const auto nBlocks = static_cast<std::size_t>(
        std::clamp<std::int64_t>(atMost, 0, std::ssize(text)) / m_layout.blockTokens);
    PrefixTree::Node before = PrefixTree::kRoot;
    for (std::size_t i = 0; i < nBlocks; ++i) {
        const PrefixTree::Node node = m_tree.find(before, blockOf(text, i));
        if (node == PrefixTree::kNone) break;
        const std::int32_t block = m_tree.block(node);
        hold(block, static_cast<std::int64_t>(i), cursor);
        table.m_blocks.push_back(block);
        table.m_known.push_back(node);
        before = node;
    }
    if (table.nBlocks() > 0) report(cursor, trace::KvAction::Reuse, table.nBlocks());
    return table.nBlocks() * m_layout.blockTokens;
}

void BlockPool::publish(BlockTable& table, std::span<const Token> text,
                        const trace::Cursor& cursor) {
    const auto nBlocks = static_cast<std::size_t>(
        std::min<std::int64_t>(std::ssize(text) / m_layout.blockTokens, table.nBlocks()));
    if (table.m_nForgotten > 0) return;  // its middle is not there
    std::int64_t doubles = 0;
    for (std::size_t i = table.m_known.size(); i < nBlocks; ++i) {
        const PrefixTree::Node before = i == 0 ? PrefixTree::kRoot : table.m_known[i - 1];
        const std::int32_t own = table.m_blocks[i];
        PrefixTree::Node node = m_tree.find(before, blockOf(text, i));
        if (node == PrefixTree::kNone) {
            node = m_tree.insert(before, blockOf(text, i), own);
            slot(own).node = node;
            reportBlock(cursor, own, static_cast<std::int64_t>(i));
        } else if (m_tree.block(node) != own) {
            // The same bits: one block is enough.
            hold(m_tree.block(node), static_cast<std::int64_t>(i), cursor);
            table.m_blocks[i] = m_tree.block(node);
            letGo(own, static_cast<std::int64_t>(i), cursor);
            ++doubles;
        }
        table.m_known.push_back(node);
    }
    if (doubles > 0) report(cursor, trace::KvAction::Reuse, doubles);
}

void BlockPool::forgetKept(const trace::Cursor& cursor) {
    const std::int64_t evicted = m_nKept;
    while (m_nKept > 0) evictOldest(cursor);
    if (evicted > 0) report(cursor, trace::KvAction::Evict, evicted);
}

std::int32_t BlockPool::take(std::int64_t index, const trace::Cursor& cursor) {
    if (m_free.empty()) {
        evictOldest(cursor);
        report(cursor, trace::KvAction::Evict, std::ssize(m_free));
    }
    const std::int32_t block = m_free.back();
    m_free.pop_back();
    slot(block).references = 1;
    reportBlock(cursor, block, index);
    return block;
}

void BlockPool::hold(std::int32_t block, std::int64_t index, const trace::Cursor& cursor) {
    Slot& s = slot(block);
    if (s.references == 0) unlink(block);
    if (++s.references == 2) ++m_nShared;
    reportBlock(cursor, block, index);
}

bool BlockPool::letGo(std::int32_t block, std::int64_t index, const trace::Cursor& cursor) {
    Slot& s = slot(block);
    if (s.references == 2) --m_nShared;
    if (--s.references == 0) {
        if (s.node == PrefixTree::kNone)
            m_free.push_back(block);
        else
            keep(block);
    }
    reportBlock(cursor, block, index);
    return s.references == 0;
}

void BlockPool::keep(std::int32_t block) {
    Slot& s = slot(block);
    s.before = m_newest;
    s.next = kEnd;
    (m_newest == kEnd ? m_oldest : slot(m_newest).next) = block;
    m_newest = block;
    ++m_nKept;
}

void BlockPool::unlink(std::int32_t block) {
    Slot& s = slot(block);
    (s.before == kEnd ? m_oldest : slot(s.before).next) = s.next;
    (s.next == kEnd ? m_newest : slot(s.next).before) = s.before;
    s.before = s.next = kEnd;
    --m_nKept;
}

void BlockPool::evictOldest(const trace::Cursor& cursor) {
    // As a rule nothing is behind it: who holds a block of a text holds those before it and lets go
    // of them later. But a fork may hold a block that its relative made known behind another one's.
    // What is behind a block that is not known cannot be found any more.
    const PrefixTree::Node top = slot(m_oldest).node;
    for (bool more = true; more;) {
        PrefixTree::Node node = top;
        while (m_tree.firstBehind(node) != PrefixTree::kNone) node = m_tree.firstBehind(node);
        more = node != top;
        const std::int32_t block = m_tree.block(node);
        m_tree.erase(node);
        slot(block).node = PrefixTree::kNone;
        if (slot(block).references > 0) continue;
        unlink(block);
        m_free.push_back(block);
        reportBlock(cursor, block, 0);
    }
}

void BlockPool::copyPieces(std::uint64_t offset, std::uint64_t bytes, std::uint64_t stride,
                           std::int32_t to, std::int32_t from) {
    for (std::int64_t layer = 0; layer < m_layout.nLayers; ++layer) {
        std::byte* base = m_storage.data + offset + static_cast<std::uint64_t>(layer) * stride;
        std::byte* out = base + static_cast<std::uint64_t>(to) * bytes;
        const std::byte* in = base + static_cast<std::uint64_t>(from) * bytes;
        if (m_storage.copy)
            m_storage.copy(out, in, bytes);
        else
            std::memcpy(out, in, bytes);
    }
}

void BlockPool::copyBlock(std::int32_t to, std::int32_t from) {
    const auto nBlocks = static_cast<std::uint64_t>(m_nBlocks);
    const std::uint64_t keys = m_layout.partBytes(kernels::KvPart::Keys);
    const std::uint64_t values = m_layout.partBytes(kernels::KvPart::Values);
    // A block that is gone on with is not whole: it has no bounds.
    copyPieces(0, keys, nBlocks * m_layout.layerBytes(), to, from);
    copyPieces(nBlocks * keys, values, nBlocks * m_layout.layerBytes(), to, from);
}

kernels::PagedKv BlockPool::view(std::int64_t layer, const BlockTable& table) const {
    const auto nBlocks = static_cast<std::uint64_t>(m_nBlocks);
    const auto index = static_cast<std::uint64_t>(layer);
    std::byte* base = m_storage.data + index * nBlocks * m_layout.layerBytes();
    kernels::PagedKv kv;
    kv.k = base;
    base += nBlocks * m_layout.partBytes(kernels::KvPart::Keys);
    kv.v = base;
    base += nBlocks * m_layout.partBytes(kernels::KvPart::Values);
    if (m_layout.bounds) kv.bounds = reinterpret_cast<std::uint16_t*>(base);
    kv.kFormat = m_layout.keys;
    kv.vFormat = m_layout.values;
    kv.blockTable = table.m_blocks.data();
    kv.blockTokens = m_layout.blockTokens;
    kv.nKvHeads = m_layout.nKvHeads;
    kv.headDim = m_layout.headDim;
    if (m_nTails > 0) {
        const std::uint64_t tails = static_cast<std::uint64_t>(m_nTails) * m_layout.tailBytes();
        kv.tail = m_storage.data + m_layout.tailOffset(m_nBlocks) + index * tails;
        kv.tailTable = table.m_tails.data();
    }
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

void BlockPool::reportBlock(const trace::Cursor& cursor, std::int32_t block,
                            std::int64_t index) const {
    if (cursor.sink == nullptr || !cursor.sink->wantsBlocks()) return;
    trace::BlockEvent event;
    event.tNs = nowNs();
    event.request = cursor.request;
    event.lane = cursor.lane;
    event.block = block;
    event.index = static_cast<std::int32_t>(index);
    event.references = references(block);
    event.state = state(block);
    cursor.sink->block(event);
}

}  // namespace lanescope
