// The pool against plain texts: random sequences grow, are taken back, forked, published and
// dropped; what a sequence reads must always be what a cache of its own would hold. A position's
// content is a number that stands for all tokens up to it, as keys and values are made of them.

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "engine/cache/block_pool.h"

namespace lanescope {
namespace {

constexpr std::int64_t kLayers = 2;
constexpr int kSequences = 8;
constexpr std::int64_t kMostTokens = 60;
using Text = std::vector<BlockPool::Token>;

std::uint64_t mixed(std::uint64_t before, BlockPool::Token token) {
    std::uint64_t h = (before + static_cast<std::uint64_t>(token) + 1) * 0x9E3779B97F4A7C15ULL;
    return h ^ (h >> 29U);
}

struct Sequence {
    BlockTable table;
    Text text;  ///< all of it is in the cache
};

class Model {
  public:
    Model(unsigned seed, std::int64_t blockTokens, std::int32_t nBlocks)
        : m_random(seed), m_sequences(kSequences) {
        // A position's row: one number of 8 bytes.
        auto pool = BlockPool::create({.nLayers = kLayers,
                                       .nKvHeads = 1,
                                       .headDim = 2,
                                       .blockTokens = blockTokens,
                                       .keys = kernels::KvFormat::F32,
                                       .values = kernels::KvFormat::F32},
                                      nBlocks);
        m_pool = *std::move(pool);
    }

    void step() {
        Sequence& s = any();
        switch (m_random() % 16) {
            case 0:
            case 1:
                s.text.resize(m_random() % (s.text.size() + 1));
                return m_pool->shrink(s.table, std::ssize(s.text), {});
            case 2:
            case 3:
                return fork(any(), s);
            case 4:
            case 5:
            case 6:
                return m_pool->publish(s.table, s.text, {});
            case 7:
                return drop(s);
            case 8:
            case 9:
                return begin(s);
            case 10:
                if (m_random() % 50 == 0) m_pool->forgetKept({});
                return;
            default:
                return extend(s);
        }
    }

    void checkOne() { check(any()); }

    void checkAll() {
        std::map<std::int32_t, std::int32_t> holders;
        for (const Sequence& s : m_sequences) {
            check(s);
            for (const std::int32_t block : s.table.blocks()) ++holders[block];
        }
        std::int32_t kept = 0, held = 0, shared = 0;
        for (std::int32_t block = 0; block < m_pool->nBlocks(); ++block) {
            const auto it = holders.find(block);
            const std::int32_t expected = it == holders.end() ? 0 : it->second;
            ASSERT_EQ(m_pool->references(block), expected);
            held += expected > 0 ? 1 : 0;
            shared += expected > 1 ? 1 : 0;
            kept += m_pool->state(block) == trace::BlockState::Kept ? 1 : 0;
        }
        ASSERT_EQ(m_pool->nInUse(), held);
        ASSERT_EQ(m_pool->nShared(), shared);
        ASSERT_EQ(m_pool->nKept(), kept);
        ASSERT_EQ(m_pool->nFree(), m_pool->nBlocks() - held);
    }

    /// Nothing is lost: with all sequences gone every block can be had.
    void finish() {
        for (Sequence& s : m_sequences) drop(s);
        ASSERT_EQ(m_pool->nFree(), m_pool->nBlocks());
        BlockTable all;
        const std::int64_t tokens = m_pool->nBlocks() * m_pool->layout().blockTokens;
        ASSERT_TRUE(m_pool->grow(all, 0, tokens, {}).ok());
        std::set<std::int32_t> different(all.blocks().begin(), all.blocks().end());
        ASSERT_EQ(std::ssize(different), m_pool->nBlocks());
        ASSERT_EQ(m_pool->nKept(), 0);
        m_pool->shrink(all, 0, {});
    }

    std::int64_t refusals = 0, adopted = 0;

  private:
    Sequence& any() { return m_sequences[m_random() % m_sequences.size()]; }
    BlockPool::Token token() { return static_cast<BlockPool::Token>(m_random() % 2); }

    void drop(Sequence& s) {
        m_pool->shrink(s.table, 0, {});
        s.text.clear();
    }

    void fork(const Sequence& from, Sequence& to) {
        if (&from == &to) return;
        drop(to);
        to.text.assign(
            from.text.begin(),
            from.text.begin() + static_cast<std::ptrdiff_t>(m_random() % (from.text.size() + 1)));
        ASSERT_TRUE(m_pool->fork(from.table, std::ssize(to.text), to.table, {}).ok());
    }

    /// A new text: what is known of its beginning is not written again.
    void begin(Sequence& s) {
        drop(s);
        Text text(m_random() % 40);
        for (auto& t : text) t = token();
        const std::int64_t known = m_pool->adopt(s.table, text, std::ssize(text) - 1, {});
        adopted += known;
        ASSERT_LE(known, std::max<std::int64_t>(std::ssize(text) - 1, 0));
        s.text.assign(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(known));
        write(s, std::span(text).subspan(static_cast<std::size_t>(known)));
    }

    void extend(Sequence& s) {
        const auto room = static_cast<std::size_t>(kMostTokens - std::ssize(s.text));
        if (room == 0) return drop(s);
        Text more(1 + m_random() % std::min<std::size_t>(room, 12));
        for (auto& t : more) t = token();
        write(s, more);
    }

    /// When the pool is full others go until there is room: that has to come to an end.
    void write(Sequence& s, std::span<const BlockPool::Token> more) {
        const std::int64_t before = std::ssize(s.text);
        const std::int64_t end = before + std::ssize(more);
        const Text text = s.text;
        for (int tries = 0; !m_pool->grow(s.table, before, end, {}).ok(); ++tries) {
            ASSERT_LT(tries, 200);
            ++refusals;
            Sequence& other = any();
            if (&other != &s) drop(other);
        }
        ASSERT_EQ(s.text, text);
        std::uint64_t hash = 0;
        for (const auto t : s.text) hash = mixed(hash, t);
        for (const auto t : more) {
            s.text.push_back(t);
            hash = mixed(hash, t);
            for (std::int64_t layer = 0; layer < kLayers; ++layer) {
                const auto kv = m_pool->view(layer, s.table);
                const std::int64_t at = rowOf(s, std::ssize(s.text) - 1);
                const std::uint64_t value = hash + static_cast<std::uint64_t>(layer);
                const std::uint64_t inverse = ~value;
                std::memcpy(static_cast<std::byte*>(kv.k) + 8 * at, &value, 8);
                std::memcpy(static_cast<std::byte*>(kv.v) + 8 * at, &inverse, 8);
            }
        }
    }

    [[nodiscard]] std::int64_t rowOf(const Sequence& s, std::int64_t position) const {
        const std::int64_t n = m_pool->layout().blockTokens;
        return s.table.blocks()[static_cast<std::size_t>(position / n)] * n + position % n;
    }

    void check(const Sequence& s) const {
        ASSERT_GE(s.table.nBlocks(), m_pool->layout().blocksFor(std::ssize(s.text)));
        std::uint64_t hash = 0;
        for (std::int64_t i = 0; i < std::ssize(s.text); ++i) {
            hash = mixed(hash, s.text[static_cast<std::size_t>(i)]);
            for (std::int64_t layer = 0; layer < kLayers; ++layer) {
                const auto kv = m_pool->view(layer, s.table);
                std::uint64_t key = 0, value = 0;
                std::memcpy(&key, static_cast<const std::byte*>(kv.k) + 8 * rowOf(s, i), 8);
                std::memcpy(&value, static_cast<const std::byte*>(kv.v) + 8 * rowOf(s, i), 8);
                ASSERT_EQ(key, hash + static_cast<std::uint64_t>(layer)) << "position " << i;
                ASSERT_EQ(value, ~key);
            }
        }
    }

    std::mt19937 m_random;
    std::unique_ptr<BlockPool> m_pool;
    std::vector<Sequence> m_sequences;
};

class BlockPoolModel : public testing::TestWithParam<unsigned> {};

TEST_P(BlockPoolModel, SequencesReadWhatTheyWouldHaveAlone) {
    constexpr int kOperations = 100000;
    const unsigned seed = GetParam();
    const std::int64_t blockTokens = 2 + static_cast<std::int64_t>(seed % 4);
    // From so few that the pool is full most of the time to so many that nothing is evicted.
    Model model(seed, blockTokens, 32 + 16 * static_cast<std::int32_t>(seed));
    for (int i = 0; i < kOperations; ++i) {
        model.step();
        if (i % 4 == 0) model.checkOne();
        if (i % 64 == 0) model.checkAll();
        if (testing::Test::HasFatalFailure()) FAIL() << "operation " << i;
    }
    model.checkAll();
    model.finish();
    EXPECT_GT(model.adopted, 0);
    if (seed == 0) {
        EXPECT_GT(model.refusals, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BlockPoolModel, testing::Range(0U, 20U));

}  // namespace
}  // namespace lanescope
