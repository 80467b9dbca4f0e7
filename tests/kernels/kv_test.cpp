// Writing and sealing rows of the cache: every form gives the reference's bytes; rounding is what
// the formats say.

#include <bit>
#include <cstring>
#include <numeric>

#include "kernels/reference/reference.h"
#include "kernels/types/float8.h"
#include "tests/kernels/support/isa_test.h"
#include "tests/kernels/support/paged.h"

namespace lanescope::kernels::test {
namespace {

constexpr KvFormat kFormats[] = {KvFormat::F32,  KvFormat::F16,  KvFormat::BF16, KvFormat::E4M3,
                                 KvFormat::E5M2, KvFormat::Int8, KvFormat::Int4};

class KvCache : public IsaTest {};
LANESCOPE_FOR_EACH_ISA(KvCache);

TEST_P(KvCache, WritingStoresTheSameBytes) {
    for (const KvFormat format : kFormats) {
        for (const auto& [headDim, blockTokens] :
             {std::pair{64, 16}, {80, 8}, {24, 24}, {20, 5}, {3, 1}}) {
            if (!canStore(format, headDim)) continue;
            auto k = normals(50 * 2 * headDim);
            auto v = normals(50 * 2 * headDim);
            // Rows of zeros, of one number, huge and tiny ones.
            for (std::int64_t i = 0; i < 2 * headDim; ++i) {
                const auto at = [i, width = 2 * headDim](std::int64_t t) {
                    return static_cast<std::size_t>(t * width + i);
                };
                k[at(3)] = v[at(3)] = 0.0F;
                k[at(4)] = v[at(4)] = -0.75F;
                k[at(5)] *= 1e6F;
                v[at(5)] *= 1e6F;
                k[at(6)] *= 1e-7F;
                v[at(6)] *= 1e-7F;
            }
            Paged expected(format, 2, headDim, 50, blockTokens);
            Paged actual(format, 2, headDim, 50, blockTokens);
            expected.write(reference(), k, v, 0, 49);
            actual.write(ops(), k, v, 0, 11);
            actual.write(ops(), k, v, 11, 49);
            EXPECT_EQ(actual.keyBytes(), expected.keyBytes())
                << kvFormatName(format) << " headDim " << headDim;
            EXPECT_EQ(actual.valueBytes(), expected.valueBytes())
                << kvFormatName(format) << " headDim " << headDim;
        }
    }
}

TEST_P(KvCache, SmallFloatsRoundLikeTheirDefinitionForAllHalves) {
    // Every half, and numbers in between, eight at a time.
    std::vector<float> x;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const float half = halfToF32(static_cast<std::uint16_t>(bits));
        x.push_back(half);
        x.push_back(half * 1.0009765F);
    }
    const auto n = static_cast<std::int64_t>(x.size());
    for (const KvFormat format : {KvFormat::E4M3, KvFormat::E5M2}) {
        std::vector<std::uint8_t> k(x.size()), v(x.size());
        const std::int32_t position = 0, block = 0;
        KvWriteArgs args{x.data(), x.data(), n, n, &position, {}, 0, 1};
        args.kv = {k.data(), v.data(), format, format, &block, 1, 1, n};
        ops().kvWrite(args);
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_EQ(k[i], format == KvFormat::E4M3 ? f32ToE4m3(x[i]) : f32ToE5m2(x[i])) << x[i];
    }
}

TEST_P(KvCache, CodedRowsAreWithinHalfAStep) {
    constexpr std::int64_t kHeadDim = 64;
    constexpr std::int64_t kTokens = 48;
    const auto k = normals(kTokens * kHeadDim);
    const auto v = normals(kTokens * kHeadDim);
    for (const KvFormat format : {KvFormat::Int8, KvFormat::Int4}) {
        Paged paged(format, 1, kHeadDim, kTokens, 16);
        paged.write(ops(), k, v, 0, kTokens);
        std::vector<float> row(kHeadDim);
        for (std::int64_t t = 0; t < kTokens; ++t) {
            const float* from = v.data() + t * kHeadDim;
            const auto [low, high] = std::minmax_element(from, from + kHeadDim);
            const float step = format == KvFormat::Int8
                                   ? std::max(std::fabs(*low), std::fabs(*high)) / 127.0F
                                   : (*high - *low) / 15.0F;
            reference::loadKvRow(paged.view(), KvPart::Values, t, 0, kTokens + 16, row.data());
            for (std::int64_t i = 0; i < kHeadDim; ++i)
                ASSERT_NEAR(row[static_cast<std::size_t>(i)], from[i], 0.52F * step + 2e-3F);
        }
    }
}

TEST_P(KvCache, TurningIsItsOwnInverseAndKeepsDotProducts) {
    for (const std::int64_t headDim : {4, 16, 20, 64, 80, 96, 128, 256}) {
        const auto a = normals(3 * 2 * headDim);
        const auto b = normals(3 * 2 * headDim);
        auto turnedA = a;
        auto turnedB = b;
        ops().hadamard({turnedA.data(), 2, headDim, 0, 3});
        ops().hadamard({turnedB.data(), 2, headDim, 0, 3});
        auto expected = a;
        reference().hadamard({expected.data(), 2, headDim, 0, 3});
        EXPECT_EQ(turnedA, expected);
        for (std::int64_t h = 0; h < 6; ++h) {
            double plain = 0.0, turned = 0.0;
            for (std::int64_t i = h * headDim; i < (h + 1) * headDim; ++i) {
                plain += static_cast<double>(a[static_cast<std::size_t>(i)]) *
                         b[static_cast<std::size_t>(i)];
                turned += static_cast<double>(turnedA[static_cast<std::size_t>(i)]) *
                          turnedB[static_cast<std::size_t>(i)];
            }
            EXPECT_NEAR(turned, plain, 1e-4) << headDim;
        }
        ops().hadamard({turnedA.data(), 2, headDim, 0, 3});
        for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(turnedA[i], a[i], 1e-5);
    }
}

/// Bounds lie outside of all keys of a block and near them; the blocks picked are those of the
/// greatest upper bounds.
TEST_P(KvCache, BlocksArePickedByTheBoundsOfTheirKeys) {
    constexpr std::int64_t kHeads = 6, kKvHeads = 2, kHeadDim = 40, kTokens = 200, kBlock = 8;
    constexpr std::int64_t kKeep = 5;
    const auto k = normals(kTokens * kKvHeads * kHeadDim);
    const auto q = normals(kTokens * kHeads * kHeadDim);
    for (const KvFormat format : {KvFormat::F16, KvFormat::E4M3, KvFormat::Int8, KvFormat::Int4}) {
        Paged paged(format, kKvHeads, kHeadDim, kTokens, kBlock);
        paged.write(reference(), k, k, 0, kTokens);
        PagedKv kv = paged.view();
        std::vector<std::uint16_t> expected(kTokens / kBlock * kKvHeads * 2 * kHeadDim);
        auto actual = expected;
        kv.bounds = expected.data();
        reference().kvSeal({kv, 0, kTokens / kBlock, 0, kKvHeads});
        kv.bounds = actual.data();
        ops().kvSeal({kv, 0, kTokens / kBlock, 0, kKvHeads});
        ASSERT_EQ(actual, expected) << kvFormatName(format);

        std::vector<std::int32_t> positions(kTokens);
        std::iota(positions.begin(), positions.end(), 0);
        std::vector<float> scores(kTokens / kBlock + 1);
        std::vector<std::int32_t> order(kTokens / kBlock + 1);
        const auto pick = [&](const OpTable& table) {
            std::vector<std::uint64_t> words(kTokens * kKvHeads);
            table.kvSelect({.q = q.data(),
                            .qStride = kHeads * kHeadDim,
                            .nHeads = kHeads,
                            .positions = positions.data(),
                            .kv = kv,
                            .keep = kKeep,
                            .firstPosition = 70,
                            .words = words.data(),
                            .wordsPerHead = 1,
                            .scores = scores.data(),
                            .order = order.data(),
                            .tokenBegin = 0,
                            .tokenEnd = kTokens});
            return words;
        };
        const auto words = pick(ops());
        EXPECT_EQ(words, pick(reference()));
        std::vector<float> row(kHeadDim);
        for (std::int64_t t = 0; t < kTokens; ++t) {
            for (std::int64_t h = 0; h < kKvHeads; ++h) {
                const std::uint64_t bits = words[static_cast<std::size_t>(t * kKvHeads + h)];
                const std::int64_t own = t / kBlock;
                if (t < 70 || own <= kKeep + 1) {
                    EXPECT_EQ(bits, ~std::uint64_t{0});
                    continue;
                }
                ASSERT_EQ(std::popcount(bits), kKeep + 2) << "token " << t;
                EXPECT_TRUE((bits & 1U) != 0 && (bits >> own & 1U) != 0);
                // The least bound among the picked is no less than the greatest among the others,
                // and no dot product is beyond its block's bound.
                double least = 1e30, most = -1e30;
                for (std::int64_t b = 1; b < own; ++b) {
                    const std::uint16_t* low =
                        actual.data() + (kv.blockTable[b] * kKvHeads + h) * 2 * kHeadDim;
                    double bound = 0.0, dots = -1e30;
                    for (std::int64_t g = 0; g < kHeads / kKvHeads; ++g) {
                        const float* query =
                            q.data() + (t * kHeads + h * (kHeads / kKvHeads) + g) * kHeadDim;
                        for (std::int64_t i = 0; i < kHeadDim; ++i)
                            bound += std::max(query[i] * bf16ToF32(low[i]),
                                              query[i] * bf16ToF32(low[kHeadDim + i]));
                    }
                    for (std::int64_t p = b * kBlock; p < (b + 1) * kBlock; ++p) {
                        reference::loadKvRow(kv, KvPart::Keys, p, h, kTokens + kBlock, row.data());
                        double dot = 0.0;
                        for (std::int64_t g = 0; g < kHeads / kKvHeads; ++g) {
                            const float* query =
                                q.data() + (t * kHeads + h * (kHeads / kKvHeads) + g) * kHeadDim;
                            for (std::int64_t i = 0; i < kHeadDim; ++i)
                                dot += static_cast<double>(query[i]) *
                                       row[static_cast<std::size_t>(i)];
                        }
                        dots = std::max(dots, dot);
                    }
                    ASSERT_LE(dots, bound + 1e-3);
                    if ((bits >> b & 1U) != 0)
                        least = std::min(least, bound);
                    else
                        most = std::max(most, bound);
                }
                ASSERT_GE(least, most - 1e-3) << "token " << t;
            }
        }
    }
}

TEST(KvFormats, SizesFollowTheClosedForm) {
    EXPECT_EQ(kvSlice(KvFormat::F32, KvPart::Keys, 16, 128).bytes, 16 * 128 * 4);
    EXPECT_EQ(kvSlice(KvFormat::E5M2, KvPart::Values, 16, 64).bytes, 16 * 64);
    EXPECT_EQ(kvSlice(KvFormat::Int8, KvPart::Keys, 16, 64).bytes, 16 * 64 + 16 * 4);
    EXPECT_EQ(kvSlice(KvFormat::Int4, KvPart::Keys, 16, 64).bytes, 16 * 32 + 64 * 4);
    EXPECT_EQ(kvSlice(KvFormat::Int4, KvPart::Values, 16, 64).bytes, 16 * 32 + 16 * 4);
    EXPECT_FALSE(canStore(KvFormat::Int4, 20));
    EXPECT_TRUE(canStore(KvFormat::Int8, 20));
}

}  // namespace
}  // namespace lanescope::kernels::test
