// Which blocks of the cache tokens may look at: the bits of the reference, and the Hadamard turn.

#include "tests/simt/kernel_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

class CudaSelect : public KernelTest {};
LANESCOPE_FOR_EACH_SCHEDULE(CudaSelect);

/// Two sequences whose pages lie mixed, with bounds of random keys.
struct Bounds {
    Bounds(std::int64_t nKvHeads, std::int64_t headDim, std::int64_t nBlocks) : stride(nBlocks) {
        kv.blockTokens = 8;
        kv.nKvHeads = nKvHeads;
        kv.headDim = headDim;
        kv.kFormat = kv.vFormat = KvFormat::F16;
        for (std::int64_t b = 0; b < 2 * nBlocks; ++b)
            tables.push_back(static_cast<std::int32_t>((b * 7 + 3) % (2 * nBlocks)));
        bounds.resize(static_cast<std::size_t>(2 * nBlocks * nKvHeads * 2 * headDim));
        kv.bounds = bounds.data();
    }
    PagedKv kv;
    std::int64_t stride;  ///< 2 stride and 7 have no common divisor: all pages are dealt once
    std::vector<std::int32_t> tables;
    std::vector<std::uint16_t> bounds;
};

TEST_P(CudaSelect, PicksTheBlocksOfTheReference) {
    constexpr std::int64_t kBlocks = 150;
    for (const auto& [nHeads, nKvHeads, headDim] : {std::tuple{3, 1, 64}, {4, 2, 8}, {2, 2, 40}}) {
        Bounds cache(nKvHeads, headDim, kBlocks);
        const auto x = normals(static_cast<std::int64_t>(cache.bounds.size()));
        for (std::size_t i = 0; i < x.size(); ++i) {
            // Coarse, so that there are equal scores.
            const float coarse = std::round(x[i]) + (i / headDim % 2 == 1 ? 1.0F : 0.0F);
            opTable(Isa::Reference).fromF32(DType::BF16, &coarse, &cache.bounds[i], 1);
        }
        std::vector<std::int32_t> positions, ofToken;
        for (const std::int32_t p : {0, 7, 8, 40, 1199, 640, 9, 511, 512, 513, 100, 77, 33, 800})
            positions.push_back(p);
        for (std::size_t t = 0; t < positions.size(); ++t)
            ofToken.push_back(static_cast<std::int32_t>(t % 2));
        for (std::int32_t p = 300; p < 309; ++p) {  // more tokens than scores are held of
            positions.push_back(p);
            ofToken.push_back(1);
        }
        const auto nTokens = static_cast<std::int64_t>(positions.size());
        auto q = normals(nTokens * nHeads * headDim);
        for (float& v : q) v = std::round(v);
        const std::int32_t firstPosition[] = {0, 34};
        for (const std::int64_t keep : {1, 5, 40, 200}) {
            constexpr std::int64_t kWords = kBlocks / 64 + 1;
            const auto size = static_cast<std::size_t>(nTokens * nKvHeads * kWords);
            std::vector<std::uint64_t> expected(size, 0x5555);
            std::vector<std::uint64_t> actual(size, 0x3333);
            std::vector<float> scores(kBlocks);
            std::vector<std::int32_t> order(kBlocks);
            for (std::int64_t t = 0; t < nTokens; ++t) {
                KvSelectArgs args;
                args.q = q.data();
                args.qStride = nHeads * headDim;
                args.nHeads = nHeads;
                args.positions = positions.data();
                args.kv = cache.kv;
                const auto sequence = ofToken[static_cast<std::size_t>(t)];
                args.kv.blockTable = cache.tables.data() + sequence * cache.stride;
                args.keep = keep;
                args.firstPosition = firstPosition[sequence];
                args.words = expected.data();
                args.wordsPerHead = kWords;
                args.scores = scores.data();
                args.order = order.data();
                args.tokenBegin = t;
                args.tokenEnd = t + 1;
                reference().kvSelect(args);
            }
            std::vector<float> room(static_cast<std::size_t>(kSelectTokens * nKvHeads * kBlocks));
            PagedSelectArgs args;
            args.q = q.data();
            args.qStride = nHeads * headDim;
            args.nHeads = nHeads;
            args.positions = positions.data();
            args.nTokens = nTokens;
            args.kv = cache.kv;
            args.tables = {ofToken.data(), cache.tables.data(), cache.stride, nullptr};
            args.keep = keep;
            args.firstPosition = firstPosition;
            args.words = actual.data();
            args.wordsPerHead = kWords;
            args.scores = room.data();
            args.scoreStride = kBlocks;
            ASSERT_EQ(kvSelect(args, nullptr), kSuccess);
            for (std::size_t i = 0; i < size; ++i)
                ASSERT_EQ(actual[i], expected[i])
                    << "keep " << keep << " token " << i / (nKvHeads * kWords) << " at "
                    << positions[i / static_cast<std::size_t>(nKvHeads * kWords)] << " word " << i;
        }
    }
}

TEST_P(CudaSelect, FixedPatternsHaveTheBitsOfTheirDefinition) {
    const std::int32_t positions[] = {0, 7, 8, 99, 5000, 70};
    for (const auto& [block, local, stride] :
         {std::tuple{8, 1, 1}, {8, 2, 3}, {64, 1, 4}, {11, 100, 7}, {16, 3, 1000}}) {
        const std::int64_t nWords = 5000 / block / 64 + 1;
        std::vector<std::uint64_t> words(static_cast<std::size_t>(6 * nWords), 0x77);
        ASSERT_EQ(keyBlocks({positions, 6, block, local, stride, words.data(), nWords}, nullptr),
                  kSuccess);
        for (std::int64_t t = 0; t < 6; ++t)
            for (std::int64_t g = 0; g < 64 * nWords; ++g) {
                const std::int64_t own = positions[t] / block;
                const bool wanted = g <= own && (own - g < local || g % stride == 0);
                const bool bit =
                    (words[static_cast<std::size_t>(t * nWords + g / 64)] >> (g % 64) & 1U) != 0;
                ASSERT_EQ(bit, wanted) << "position " << positions[t] << " block " << g;
            }
    }
}

TEST_P(CudaSelect, TurnedHeadsHaveTheBitsOfTheReference) {
    for (const auto& [nHeads, headDim] :
         {std::pair{1, 64}, {5, 16}, {3, 80}, {9, 96}, {2, 256}, {7, 8}, {2, 2}}) {
        auto expected = normals(4 * nHeads * headDim);
        auto actual = expected;
        HadamardArgs args{expected.data(), nHeads, headDim, 1, 4};
        reference().hadamard(args);
        args.x = actual.data();
        ASSERT_EQ(hadamard(args, nullptr), kSuccess);
        EXPECT_EQ(actual, expected) << nHeads << " heads of " << headDim;
    }
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
