// The pool's figures, messages and events; its contents: block_pool_model_test.cpp.

#include "engine/cache/block_pool.h"

#include <gtest/gtest.h>

#include <vector>

namespace lanescope {
namespace {

KvLayout smallLayout(kernels::KvFormat format = kernels::KvFormat::F16, std::int64_t headDim = 8) {
    return {.nLayers = 3,
            .nKvHeads = 2,
            .headDim = headDim,
            .blockTokens = 16,
            .keys = format,
            .values = format};
}

struct Events : trace::Sink {
    std::vector<trace::KvEvent> events;
    void kv(const trace::KvEvent& event) override { events.push_back(event); }
};

TEST(BlockPool, BytesFollowTheClosedForm) {
    EXPECT_EQ(smallLayout().blockBytes(), 2U * 3 * 2 * 16 * 8 * 2);
    EXPECT_EQ(smallLayout(kernels::KvFormat::F32).blockBytes(), 2U * 3 * 2 * 16 * 8 * 4);
    EXPECT_EQ(smallLayout(kernels::KvFormat::E4M3).blockBytes(), 2U * 3 * 2 * 16 * 8);
    // A scale a token and head; a pair a token (values) or a channel (keys).
    EXPECT_EQ(smallLayout(kernels::KvFormat::Int8).blockBytes(), 2U * 3 * 2 * 16 * (8 + 4));
    EXPECT_EQ(smallLayout(kernels::KvFormat::Int4).blockBytes(),
              3U * 2 * (2 * 16 * 4 + 4 * 16 + 4 * 8));
    auto pool = BlockPool::create(smallLayout(), 10);
    ASSERT_TRUE(pool.ok());
    EXPECT_EQ((*pool)->reservedBytes(), 10 * smallLayout().blockBytes());
}

TEST(BlockPool, RefusesLayoutsThatMakeNoSense) {
    KvLayout none = smallLayout();
    none.nKvHeads = 0;
    EXPECT_EQ(BlockPool::create(none, 4).error().code, ErrorCode::Usage);
    EXPECT_EQ(BlockPool::create(smallLayout(kernels::KvFormat::Int4, 12), 4).error().code,
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
    ASSERT_TRUE((*pool)->grow(table, 0, 33, {}).ok());
    EXPECT_EQ(table.nBlocks(), 3);
    const auto refused = (*pool)->grow(table, 33, 200, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
    EXPECT_NE(refused.error().message.find("10 more blocks"), std::string::npos);
    EXPECT_NE(refused.error().message.find("1 of 4"), std::string::npos);
    EXPECT_EQ(table.nBlocks(), 3);
    EXPECT_TRUE((*pool)->grow(table, 33, 64, {}).ok());
}

TEST(BlockPool, EventsCountBlocksAndBytes) {
    Events sink;
    const trace::Cursor cursor{&sink, 2, 7, 0};
    auto pool = BlockPool::create(smallLayout(), 8);
    ASSERT_TRUE(pool.ok());
    BlockTable table, other;
    ASSERT_TRUE((*pool)->grow(table, 0, 20, cursor).ok());
    ASSERT_TRUE((*pool)->grow(table, 20, 32, cursor).ok());  // fits already: no event
    ASSERT_TRUE((*pool)->fork(table, 16, other, cursor).ok());
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

TEST(BlockPool, AForkReadsItsParentsBlocksUntilOneOfThemWrites) {
    auto pool = BlockPool::create(smallLayout(), 8);
    ASSERT_TRUE(pool.ok());
    BlockTable parent, child;
    ASSERT_TRUE((*pool)->grow(parent, 0, 24, {}).ok());
    ASSERT_TRUE((*pool)->fork(parent, 20, child, {}).ok());
    EXPECT_EQ((*pool)->nInUse(), 2);
    EXPECT_EQ((*pool)->nShared(), 2);
    ASSERT_TRUE((*pool)->grow(child, 20, 21, {}).ok());  // inside a block that both read
    EXPECT_EQ(child.blocks()[0], parent.blocks()[0]);
    EXPECT_NE(child.blocks()[1], parent.blocks()[1]);
    EXPECT_EQ((*pool)->nShared(), 1);
    const auto before = parent.blocks();
    ASSERT_TRUE((*pool)->grow(parent, 24, 25, {}).ok());  // nobody else reads it any more
    EXPECT_EQ(parent.blocks(), before);
}

std::vector<BlockPool::Token> text(int n) {
    std::vector<BlockPool::Token> tokens;
    tokens.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) tokens.push_back(7 * i % 50);
    return tokens;
}

TEST(BlockPool, AKnownBeginningIsReadByTheNextText) {
    auto pool = BlockPool::create(smallLayout(), 8);
    ASSERT_TRUE(pool.ok());
    BlockTable first, second;
    ASSERT_TRUE((*pool)->grow(first, 0, 40, {}).ok());
    (*pool)->publish(first, text(40), {});
    const std::int32_t block = first.blocks()[0];
    (*pool)->shrink(first, 0, {});
    EXPECT_EQ((*pool)->nKept(), 2);  // whole blocks only
    EXPECT_EQ((*pool)->nFree(), 8);
    EXPECT_EQ((*pool)->adopt(second, text(32), 31, {}), 16);  // one token is left to compute
    EXPECT_EQ(second.blocks()[0], block);
    (*pool)->shrink(second, 0, {});
    auto other = text(32);
    other[3] = 49;
    EXPECT_EQ((*pool)->adopt(second, other, 32, {}), 0);
}

TEST(BlockPool, KeptBlocksGoOldestFirstAndTheEndOfATextBeforeItsBeginning) {
    auto pool = BlockPool::create(smallLayout(), 4);
    ASSERT_TRUE(pool.ok());
    BlockTable a, b;
    ASSERT_TRUE((*pool)->grow(a, 0, 48, {}).ok());
    (*pool)->publish(a, text(48), {});
    (*pool)->shrink(a, 0, {});
    ASSERT_TRUE((*pool)->grow(b, 0, 32, {}).ok());  // one unused block, one kept
    EXPECT_EQ((*pool)->nKept(), 2);
    EXPECT_EQ((*pool)->adopt(a, text(48), 48, {}), 32);
    EXPECT_FALSE((*pool)->grow(b, 32, 33, {}).ok());
}

TEST(BlockPool, EqualBlocksBecomeOne) {
    auto pool = BlockPool::create(smallLayout(), 8);
    ASSERT_TRUE(pool.ok());
    BlockTable a, b;
    ASSERT_TRUE((*pool)->grow(a, 0, 32, {}).ok());
    ASSERT_TRUE((*pool)->grow(b, 0, 32, {}).ok());
    (*pool)->publish(a, text(32), {});
    (*pool)->publish(b, text(32), {});
    EXPECT_EQ(a.blocks(), b.blocks());
    EXPECT_EQ((*pool)->nInUse(), 2);
}

}  // namespace
}  // namespace lanescope
