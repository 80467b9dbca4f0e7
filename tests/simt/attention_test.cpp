// Attention over pages: against the reference, and the promise that a row's bits do not depend on
// the tile it is in, on the rows beside it, or on how many blocks share its keys.

#include "tests/simt/attention_batch.h"

namespace lanescope::kernels::cuda::test {
namespace {

using kernels::test::close;
using kernels::test::kAttentionBf16;
using kernels::test::kAttentionF16;
using kernels::test::kAttentionF32;
using kernels::test::Tolerance;

constexpr CacheFormat both(KvFormat format) {
    return {format, format};
}
constexpr CacheFormat kTypes[] = {both(KvFormat::F32), both(KvFormat::F16), both(KvFormat::BF16)};
/// Those that are converted on their way, keys and values alike or not.
constexpr CacheFormat kCoded[] = {both(KvFormat::E4M3),
                                  both(KvFormat::E5M2),
                                  both(KvFormat::Int8),
                                  both(KvFormat::Int4),
                                  {KvFormat::Int8, KvFormat::F16},
                                  {KvFormat::F16, KvFormat::Int4},
                                  {KvFormat::BF16, KvFormat::E4M3},
                                  {KvFormat::Int4, KvFormat::BF16},
                                  {KvFormat::F32, KvFormat::Int8},
                                  {KvFormat::Int4, KvFormat::F32},
                                  {KvFormat::F16, KvFormat::F32},
                                  {KvFormat::Int4, KvFormat::E5M2}};
constexpr CacheFormat kSomeCoded[] = {
    both(KvFormat::Int8), both(KvFormat::Int4), {KvFormat::Int4, KvFormat::F32}};

Tolerance toleranceOf(CacheFormat type) {
    const auto has = [type](KvFormat f) { return type.keys == f || type.values == f; };
    return has(KvFormat::F32)    ? kAttentionF32
           : has(KvFormat::BF16) ? kAttentionBf16
                                 : kAttentionF16;
}

std::string describe(const HeadShape& s, CacheFormat type) {
    return std::string(kvFormatName(type.keys)) + " / " + std::string(kvFormatName(type.values)) +
           " heads " + std::to_string(s.nHeads) + "/" + std::to_string(s.nKvHeads) + " headDim " +
           std::to_string(s.headDim) + " window " + std::to_string(s.window) + " sinks " +
           std::to_string(s.sinks) + " mask of " + std::to_string(s.maskGroup);
}

class CudaAttention : public KernelTest {
  protected:
    static void expectAgrees(const HeadShape& shape, CacheFormat type,
                             const std::vector<SequenceShape>& sequences) {
        AttentionBatch batch(shape, type, sequences);
        const auto expected = batch.expected();
        const auto actual = batch.run(batch.tiles());
        for (std::size_t i = 0; i < actual.size(); ++i)
            ASSERT_TRUE(close(actual[i], expected[i], 1.0, toleranceOf(type)))
                << describe(shape, type) << " token " << i / batch.width() << " element "
                << i % batch.width();
    }
};
LANESCOPE_FOR_EACH_SCHEDULE(CudaAttention);

TEST_P(CudaAttention, AgreesForEveryHeadSize) {
    for (const CacheFormat& type : kTypes)
        for (const std::int64_t headDim : {8, 16, 24, 32, 64, 80, 96, 128, 192, 256})
            expectAgrees({2, 1, headDim}, type, {{70, 3}});
}

TEST_P(CudaAttention, AgreesForEveryFormat) {
    for (const CacheFormat& type : kCoded)
        for (const std::int64_t headDim : {8, 64, 80})
            expectAgrees({2, 1, headDim}, type, {{70, 3}});
    for (const CacheFormat& type : kSomeCoded) {
        for (const std::int64_t headDim : {16, 128, 256})
            expectAgrees({4, 2, headDim}, type, {{39, 9}});
        // Blocks whose slices begin at odd places; stretches; windows.
        for (const std::int64_t blockTokens : {9, 10, 64})
            expectAgrees({3, 1, 24, blockTokens}, type, {{19, 19}, {64, 1}, {65, 17}});
        expectAgrees({2, 1, 16}, type, {{513, 2}, {1030, 17}});
        expectAgrees({2, 1, 16, 16, 33}, type, {{130, 18}, {64, 1}, {3, 3}});
    }
}

TEST_P(CudaAttention, AgreesForEveryGroup) {
    for (const CacheFormat& type : kTypes)
        for (const auto& [nHeads, nKvHeads] : {std::pair{1, 1}, {6, 2}, {4, 1}, {7, 1}, {16, 2}})
            expectAgrees({nHeads, nKvHeads, 16, 8}, type, {{19, 19}, {33, 1}, {5, 2}});
}

TEST_P(CudaAttention, AgreesForRaggedTokens) {
    for (const CacheFormat& type : kTypes)
        for (const std::int32_t nTokens : {1, 15, 16, 17, 70})
            expectAgrees({2, 2, 16, 7}, type, {{nTokens, nTokens}, {nTokens + 1, 1}});
}

TEST_P(CudaAttention, AgreesAcrossTilesAndStretches) {
    for (const CacheFormat& type : kTypes)
        expectAgrees({3, 1, 16, 32}, type,
                     {{15, 1}, {16, 1}, {17, 2}, {64, 2}, {65, 2}, {513, 2}, {1030, 17}});
}

TEST_P(CudaAttention, AgreesAtWindowEdgesAndWithSoftcap) {
    for (const CacheFormat& type : kTypes) {
        for (const std::int64_t window : {1, 16, 17, 63, 64, 65})
            expectAgrees({2, 1, 16, 16, window}, type, {{130, 18}, {64, 1}, {3, 3}});
        expectAgrees({2, 1, 16, 16, 530}, type, {{1100, 3}});
        expectAgrees({2, 1, 32, 16, 0, 5.0F}, type, {{40, 20}});
    }
}

TEST_P(CudaAttention, AgreesWithSinksBesideAWindow) {
    for (const CacheFormat& type : {kTypes[0], kTypes[1], kSomeCoded[1]}) {
        for (const std::int64_t sinks : {1, 4, 64, 70, 600})
            expectAgrees({2, 1, 16, 16, 20, 0.0F, sinks}, type,
                         {{130, 18}, {64, 1}, {3, 3}, {1030, 7}, {22, 3}});
        for (const std::int64_t headDim : {128, 256})  // queries in registers, or in their own room
            expectAgrees({4, 2, headDim, 16, 33, 0.0F, 5}, type, {{70, 9}, {4, 4}});
    }
}

TEST_P(CudaAttention, AgreesWithMasks) {
    for (const CacheFormat& type : {kTypes[0], kTypes[1], kSomeCoded[1]}) {
        for (const std::int64_t group : {8, 11, 16, 64, 100})
            expectAgrees({4, 2, 16, 16, 0, 0.0F, 0, group}, type,
                         {{130, 18}, {64, 1}, {3, 3}, {1030, 7}});
        expectAgrees({2, 1, 256, 16, 0, 0.0F, 0, 16}, type, {{300, 5}});
        expectAgrees({2, 2, 16, 16, 90, 0.0F, 0, 16}, type, {{300, 20}});
    }
}

void expectRowsAreTheirOwn(CacheFormat type) {
    const HeadShape shapes[] = {{6, 2, 16},
                                {3, 1, 64, 8, 40},
                                {2, 1, 16, 32, 530, 20.0F},
                                {2, 1, 16, 16, 70, 0.0F, 6},
                                {2, 1, 16, 16, 70, 0.0F, 520},
                                {4, 2, 16, 16, 0, 0.0F, 0, 16}};
    for (const HeadShape& shape : shapes) {
        AttentionBatch batch(shape, type, {{37, 20}, {1030, 7}, {520, 1}});
        const auto whole = batch.run(batch.tiles());
        // Decoded token by token; in other tiles; keys shared out over blocks, too few of them
        // and too many.
        EXPECT_EQ(batch.run(batch.tiles(1)), whole) << describe(shape, type);
        EXPECT_EQ(batch.run(batch.tiles(5)), whole) << describe(shape, type);
        for (const std::int64_t nSplits : {2, 3, 6}) {
            EXPECT_EQ(batch.run(batch.tiles(), nSplits), whole)
                << describe(shape, type) << " splits " << nSplits;
        }
        EXPECT_EQ(batch.run(batch.tiles(1), 3), whole) << describe(shape, type);
        // A launch with some of the rows.
        const auto part = batch.run(batch.tiles(16, 5, 23));
        for (std::int64_t i = 0; i < batch.nTokens() * batch.width(); ++i) {
            const bool in = i / batch.width() >= 5 && i / batch.width() < 23;
            ASSERT_EQ(part[static_cast<std::size_t>(i)],
                      in ? whole[static_cast<std::size_t>(i)] : AttentionBatch::kUntouched);
        }
    }
}

TEST_P(CudaAttention, BitsOfARowAreItsOwn) {
    for (const CacheFormat& type : kTypes) expectRowsAreTheirOwn(type);
    for (const CacheFormat& type : kSomeCoded) expectRowsAreTheirOwn(type);
}

TEST_P(CudaAttention, RowsThatSeeNothingAreZeroAndEmptyTilesAreNone) {
    for (const CacheFormat& type : kTypes) {
        AttentionBatch batch({4, 2, 32}, type, {{20, 20}});
        const auto normal = batch.run(batch.tiles());
        for (std::size_t t = 0; t < 18; ++t) batch.positions()[t] = -1;
        for (const std::int64_t nSplits : {1, 2}) {
            const auto out = batch.run(batch.tiles(), nSplits);
            for (std::size_t i = 0; i < out.size(); ++i)
                ASSERT_EQ(out[i], i < 18 * 128 ? 0.0F : normal[i]) << i;
            const auto none = batch.run({{0, 0}, {5, 0}}, nSplits);
            for (const float x : none) ASSERT_EQ(x, AttentionBatch::kUntouched);
            EXPECT_EQ(batch.run({}, nSplits), none);
        }
    }
}

TEST_P(CudaAttention, ANaNStaysInItsRow) {
    for (const CacheFormat& type : kTypes) {
        AttentionBatch batch({2, 1, 16}, type, {{20, 20}});
        const auto normal = batch.run(batch.tiles());
        batch.q()[static_cast<std::size_t>(7 * batch.qStride() + 3)] =
            std::numeric_limits<float>::quiet_NaN();
        const auto out = batch.run(batch.tiles());
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (i / 16 == 14)
                ASSERT_TRUE(std::isnan(out[i])) << i;
            else
                ASSERT_EQ(out[i], normal[i]) << i;
        }
    }
}

TEST(CudaAttentionTiles, HaveNoBankConflicts) {
    // Of keys, values and weights; where they are read, that is: pages arrive by cp.async.
    Options options;
    options.countBanks = true;
    for (const CacheFormat& type : kTypes) {
        for (const std::int64_t headDim : {16, 64, 80, 96, 128, 256}) {
            ScopedOptions scoped(options);
            AttentionBatch batch({4, 1, headDim}, type, {{70, 5}});
            batch.run(batch.tiles());
            EXPECT_GT(scoped.stats().sharedAccesses, 0U);
            EXPECT_EQ(scoped.stats().bankConflicts, 0U) << describe({4, 1, headDim}, type);
        }
    }
}

TEST(CudaAttentionTiles, HeadSizesThatWereNotBuiltAreRefused) {
    for (const std::int64_t headDim : {8, 16, 64, 80, 96, 128, 256})
        EXPECT_TRUE(canAttend(headDim));
    for (const std::int64_t headDim : {0, 5, 20, 264, 512}) EXPECT_FALSE(canAttend(headDim));
    PagedAttentionArgs args;
    args.kv.headDim = 20;
    EXPECT_NE(attention(args, nullptr), kSuccess);
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
