// The pool against a plain map from (sequence, block index) to block, over random growth, shrinking
// and sharing.

#include "engine/cache/block_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

namespace lanescope {
namespace {

KvLayout smallLayout(kernels::DType dtype = kernels::DType::F16) {
    return {.nLayers = 3, .nKvHeads = 2, .headDim = 8, .blockTokens = 16, .dtype = dtype};
}

struct Events : trace::Sink {
    std::vector<trace::KvEvent> events;
    void kv(const trace::KvEvent& event) override { events.push_back(event); }
};

TEST(BlockPool, BytesFollowTheClosedForm) {
    EXPECT_EQ(smallLayout().blockBytes(), 2U * 3 * 2 * 16 * 8 * 2);
    EXPECT_EQ(smallLayout(kernels::DType::F32).blockBytes(), 2U * 3 * 2 * 16 * 8 * 4);
    auto pool = BlockPool::create(smallLayout(), 10);
    ASSERT_TRUE(pool.ok());
    EXPECT_EQ((*pool)->reservedBytes(), 10 * smallLayout().blockBytes());
}

TEST(BlockPool, RefusesLayoutsThatMakeNoSense) {
    KvLayout none = smallLayout();
    none.nKvHeads = 0;
    EXPECT_EQ(BlockPool::create(none, 4).error().code, ErrorCode::Usage);
    EXPECT_EQ(BlockPool::create(smallLayout(kernels::DType::Q4_0), 4).error().code,
              ErrorCode::Usage);
    KvLayout huge = smallLayout();
    huge.headDim = 1 << 20;
    huge.nKvHeads = 1 << 20;
    EXPECT_EQ(BlockPool::create(huge, 1 << 20).error().code, ErrorCode::OutOfMemory);
}

TEST(BlockPool, OutOfBlocksNamesBothNumbersAndLeavesTheTable) {
    auto pool = BlockPool::create(smallLayout(), 4);
    ASSERT_TRUE(pool.ok());
    BlockTable table;
    ASSERT_TRUE((*pool)->grow(table, 33, {}).ok());
    EXPECT_EQ(table.nBlocks(), 3);
    const auto refused = (*pool)->grow(table, 200, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
    EXPECT_NE(refused.error().message.find("10 more blocks"), std::string::npos);
    EXPECT_NE(refused.error().message.find("1 of 4"), std::string::npos);
    EXPECT_EQ(table.nBlocks(), 3);
    EXPECT_TRUE((*pool)->grow(table, 64, {}).ok());
}

TEST(BlockPool, EventsCountBlocksAndBytes) {
    Events sink;
    const trace::Cursor cursor{&sink, 2, 7, 0};
    auto pool = BlockPool::create(smallLayout(), 8);
    ASSERT_TRUE(pool.ok());
    BlockTable table, other;
    ASSERT_TRUE((*pool)->grow(table, 20, cursor).ok());
    ASSERT_TRUE((*pool)->grow(table, 32, cursor).ok());  // fits already: no event
    (*pool)->share(table, 1, other, cursor);
    (*pool)->shrink(table, 0, cursor);
    (*pool)->shrink(other, 0, cursor);
    ASSERT_EQ(sink.events.size(), 4U);
    EXPECT_EQ(sink.events[0].action, trace::KvAction::Allocate);
    EXPECT_EQ(sink.events[0].blocks, 2);
    EXPECT_EQ(sink.events[0].lane, 2);
    EXPECT_EQ(sink.events[0].request, 7);
    EXPECT_EQ(sink.events[0].bytesInUse, 2 * smallLayout().blockBytes());
    EXPECT_EQ(sink.events[1].action, trace::KvAction::Reuse);
    EXPECT_EQ(sink.events[1].blocksInUse, 2);
    EXPECT_EQ(sink.events[2].blocks, 1);  // the shared one stays with `other`
    EXPECT_EQ(sink.events[2].blocksInUse, 1);
    EXPECT_EQ(sink.events[3].blocksInUse, 0);
}

/// Bytes of one block in one layer of K or V.
std::byte* slice(const BlockPool& pool, void* storage, std::int32_t block) {
    return static_cast<std::byte*>(storage) +
           static_cast<std::uint64_t>(block) * pool.layout().sliceBytes();
}

TEST(BlockPool, RandomUseMatchesAPlainMap) {
    constexpr int kSequences = 6;
    constexpr std::int32_t kBlocks = 24;
    auto created = BlockPool::create(smallLayout(), kBlocks);
    ASSERT_TRUE(created.ok());
    BlockPool& pool = **created;
    std::mt19937 random(7);
    std::vector<BlockTable> tables(kSequences);
    std::map<std::pair<int, std::int64_t>, std::int32_t> model;  // (sequence, index) -> block
    std::map<std::int32_t, unsigned char> content;               // what was written into a block

    const auto forget = [&](int s, std::int64_t from) {
        for (auto it = model.begin(); it != model.end();)
            it = it->first.first == s && it->first.second >= from ? model.erase(it) : ++it;
    };
    for (int round = 0; round < 4000; ++round) {
        const int s = static_cast<int>(random() % kSequences);
        BlockTable& table = tables[static_cast<std::size_t>(s)];
        const auto nTokens = static_cast<std::int64_t>(random() % 150);
        const int action = static_cast<int>(random() % 5);
        if (action < 2) {
            const std::int64_t before = table.nBlocks();
            std::set<std::int32_t> held;
            for (const auto& [key, block] : model) held.insert(block);
            const bool fits = (nTokens + 15) / 16 - before <= kBlocks - std::ssize(held);
            ASSERT_EQ(pool.grow(table, nTokens, {}).ok(), fits);
            for (std::int64_t i = before; i < table.nBlocks(); ++i) {
                const std::int32_t block = table.blocks()[static_cast<std::size_t>(i)];
                ASSERT_FALSE(held.contains(block)) << "a block was given out twice";
                model[{s, i}] = block;
                const auto mark = static_cast<unsigned char>(random());
                content[block] = mark;
                for (std::int64_t layer = 0; layer < 3; ++layer) {
                    const auto kv = pool.view(layer, table);
                    std::memset(slice(pool, kv.k, block), mark, pool.layout().sliceBytes());
                    std::memset(slice(pool, kv.v, block), mark ^ 0xFF, pool.layout().sliceBytes());
                }
            }
        } else if (action < 4) {
            pool.shrink(table, nTokens, {});
            forget(s, (nTokens + 15) / 16);
        } else {
            const int other = static_cast<int>(random() % kSequences);
            if (other == s) continue;
            const auto count = static_cast<std::int64_t>(random() % 4);
            forget(s, 0);
            pool.share(tables[static_cast<std::size_t>(other)], count, table, {});
            for (std::int64_t i = 0; i < count; ++i)
                if (const auto it = model.find({other, i}); it != model.end())
                    model[{s, i}] = it->second;
        }
        std::map<std::int32_t, int> uses;
        for (const auto& [key, block] : model) {
            ++uses[block];
            const auto& blocks = tables[static_cast<std::size_t>(key.first)].blocks();
            ASSERT_EQ(blocks.at(static_cast<std::size_t>(key.second)), block);
        }
        ASSERT_EQ(pool.nInUse(), std::ssize(uses));
        for (std::int32_t block = 0; block < kBlocks; ++block)
            ASSERT_EQ(pool.references(block), uses.contains(block) ? uses[block] : 0);
    }
    for (const auto& [key, block] : model)
        for (std::int64_t layer = 0; layer < 3; ++layer) {
            const auto kv = pool.view(layer, tables[static_cast<std::size_t>(key.first)]);
            ASSERT_EQ(slice(pool, kv.k, block)[5], std::byte{content[block]});
            ASSERT_EQ(slice(pool, kv.v, block)[5],
                      std::byte{static_cast<unsigned char>(content[block] ^ 0xFF)});
        }
    for (auto& table : tables) pool.shrink(table, 0, {});
    EXPECT_EQ(pool.nFree(), kBlocks);
}

}  // namespace
}  // namespace lanescope
