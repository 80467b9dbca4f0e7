// Attention over random shapes against the reference, and its promise that a row's bits do not
// depend on the rows beside it. Goldens are in attention_golden_test.cpp.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "tests/kernels/support/isa_test.h"
#include "tests/kernels/support/paged.h"

namespace lanescope::kernels::test {
namespace {

struct Shape {
    std::int64_t nHeads, nKvHeads, headDim, context, blockTokens, window;
    float softcap;
};

constexpr Shape kShapes[] = {
    {9, 3, 64, 200, 16, 0, 0.0F},    // SmolLM2
    {14, 2, 64, 150, 16, 0, 0.0F},   // Qwen2.5 0.5B
    {4, 4, 20, 70, 5, 0, 0.0F},      // a head that is no multiple of 8, odd blocks
    {2, 1, 5, 33, 1, 0, 0.0F},       // blocks of one token
    {4, 1, 256, 140, 32, 40, 0.0F},  // Gemma 3, window across tiles
    {6, 2, 96, 131, 7, 3, 30.0F},    // narrow window and soft cap
    {1, 1, 16, 1, 16, 0, 0.0F},
    {3, 1, 8, 1100, 16, 0, 0.0F},     // more than two stretches of keys
    {2, 2, 16, 1300, 16, 530, 0.0F},  // windows that cross them
};
/// Some tokens of a long context, where a reference is to be run for each.
constexpr std::int64_t kLongTail = 40;

constexpr KvFormat kFormats[] = {KvFormat::F32,  KvFormat::F16,  KvFormat::BF16, KvFormat::E4M3,
                                 KvFormat::E5M2, KvFormat::Int8, KvFormat::Int4};

class Attention : public IsaTest {
  protected:
    struct Data {
        std::vector<float> q, k, v;
        std::vector<std::int32_t> positions;
    };
    Data make(const Shape& s) {
        Data d{normals(s.context * s.nHeads * s.headDim),
               normals(s.context * s.nKvHeads * s.headDim),
               normals(s.context * s.nKvHeads * s.headDim),
               std::vector<std::int32_t>(static_cast<std::size_t>(s.context))};
        std::iota(d.positions.begin(), d.positions.end(), 0);
        return d;
    }
    /// What a call for tokens [begin, end) of the data reads; `out` has room for their rows.
    static AttentionArgs argsOf(const Shape& s, const Data& d, const PagedKv& kv,
                                AttentionKind kind, std::int64_t begin, std::int64_t end,
                                std::vector<float>& out) {
        const std::int64_t width = s.nHeads * s.headDim;
        out.assign(static_cast<std::size_t>((end - begin) * width), 1e9F);
        AttentionArgs args;
        args.kind = kind;
        args.q = d.q.data() + begin * width;
        args.qStride = width;
        args.out = out.data();
        args.positions = d.positions.data() + begin;
        args.nTokens = end - begin;
        args.nHeads = s.nHeads;
        args.kv = kv;
        return args;
    }
    /// Attention of tokens [begin, end) of the data.
    static std::vector<float> run(const OpTable& table, const Shape& s, const Data& d,
                                  const PagedKv& kv, AttentionKind kind, std::int64_t begin,
                                  std::int64_t end, bool shared = false) {
        std::vector<float> out;
        AttentionArgs args = argsOf(s, d, kv, kind, begin, end, out);
        args.scale = 1.0F / std::sqrt(static_cast<float>(s.headDim));
        args.window = s.window;
        args.softcap = s.softcap;
        if (shared)
            attendShared(table, args, s.context);
        else
            attend(table, args, s.context);
        return out;
    }
};
LANESCOPE_FOR_EACH_ISA(Attention);

TEST_P(Attention, AgreesWithReferenceForEveryShape) {
    for (const Shape& s : kShapes) {
        const Data d = make(s);
        for (const KvFormat type : kFormats) {
            if (!canStore(type, s.headDim)) continue;
            Paged paged(type, s.nKvHeads, s.headDim, s.context, s.blockTokens);
            paged.write(reference(), d.k, d.v, 0, s.context);
            const std::int64_t begin = s.context > 1000 ? s.context - kLongTail : 0;
            const auto expected =
                run(reference(), s, d, paged.view(), AttentionKind::Naive, begin, s.context);
            for (const AttentionKind kind : {AttentionKind::Naive, AttentionKind::Flash}) {
                const auto actual = run(ops(), s, d, paged.view(), kind, begin, s.context);
                for (std::size_t i = 0; i < actual.size(); ++i)
                    ASSERT_TRUE(close(actual[i], expected[i], 1.0, kAttentionF32))
                        << kvFormatName(type) << " headDim " << s.headDim << " element " << i;
            }
        }
    }
}

TEST_P(Attention, BitsDoNotDependOnTheChunking) {
    for (const Shape& s : kShapes) {
        const Data d = make(s);
        Paged paged(KvFormat::F16, s.nKvHeads, s.headDim, s.context, s.blockTokens);
        paged.write(ops(), d.k, d.v, 0, s.context);
        for (const AttentionKind kind : {AttentionKind::Naive, AttentionKind::Flash}) {
            const auto whole = run(ops(), s, d, paged.view(), kind, 0, s.context);
            for (const std::int64_t chunk : {1, 2, 3, 7, 16, 29}) {
                const std::int64_t start =
                    s.context > 1000 ? s.context / chunk * chunk - kLongTail / chunk * chunk : 0;
                for (std::int64_t t = start; t < s.context; t += chunk) {
                    const std::int64_t end = std::min(s.context, t + chunk);
                    const auto part = run(ops(), s, d, paged.view(), kind, t, end);
                    ASSERT_EQ(std::memcmp(part.data(), whole.data() + t * s.nHeads * s.headDim,
                                          part.size() * 4),
                              0)
                        << "headDim " << s.headDim << " chunk " << chunk << " token " << t;
                }
            }
        }
    }
}

TEST_P(Attention, BitsDoNotDependOnWhenTheKeysOfABlockAreCoded) {
    // Chunk by chunk: written, seen by its own queries, sealed; tails go as soon as they may.
    for (const Shape& s : kShapes) {
        if (!canStore(KvFormat::Int4, s.headDim)) continue;
        const Data d = make(s);
        Paged all(KvFormat::Int4, s.nKvHeads, s.headDim, s.context, s.blockTokens);
        all.write(ops(), d.k, d.v, 0, s.context);
        for (const AttentionKind kind : {AttentionKind::Naive, AttentionKind::Flash}) {
            const auto whole = run(ops(), s, d, all.view(), kind, 0, s.context);
            for (const std::int64_t chunk : {1, 3, 16, 29}) {
                Paged paged(KvFormat::Int4, s.nKvHeads, s.headDim, s.context, s.blockTokens);
                for (std::int64_t t = 0; t < s.context; t += chunk) {
                    const std::int64_t end = std::min(s.context, t + chunk);
                    paged.write(ops(), d.k, d.v, t, end);
                    const bool late = s.context > 1000 && t + kLongTail < s.context;
                    if (!late) {
                        const auto part = run(ops(), s, d, paged.view(), kind, t, end);
                        ASSERT_EQ(std::memcmp(part.data(), whole.data() + t * s.nHeads * s.headDim,
                                              part.size() * 4),
                                  0)
                            << "headDim " << s.headDim << " chunk " << chunk << " token " << t;
                    }
                    paged.dropTailsBefore(end);
                }
            }
        }
    }
}

TEST_P(Attention, KeysAndValuesMayHaveDifferentFormats) {
    const Shape s{6, 2, 64, 90, 16, 0, 0.0F};
    const Data d = make(s);
    for (const KvFormat keys : kFormats)
        for (const KvFormat values : kFormats) {
            Paged paged(keys, values, s.nKvHeads, s.headDim, s.context, s.blockTokens);
            paged.write(ops(), d.k, d.v, 0, s.context);
            const auto expected =
                run(reference(), s, d, paged.view(), AttentionKind::Naive, 0, s.context);
            const auto actual = run(ops(), s, d, paged.view(), AttentionKind::Flash, 0, s.context);
            for (std::size_t i = 0; i < actual.size(); ++i)
                ASSERT_TRUE(close(actual[i], expected[i], 1.0, kAttentionF32))
                    << kvFormatName(keys) << " " << kvFormatName(values) << " element " << i;
        }
}

/// Masks over groups of positions, and a window behind sinks, against plain loops; blocks that
/// nobody sees are gone.
TEST_P(Attention, MasksAndSinksAgreeWithPlainLoopsWhateverTheChunk) {
    const Shape s{6, 2, 32, 230, 16, 0, 0.0F};
    const Data d = make(s);
    const auto turned = normals(s.context * s.nHeads * s.headDim);
    for (const KvFormat format : {KvFormat::F16, KvFormat::Int4}) {
        for (const std::int64_t group : {8, 16, 24, 64}) {
            const std::int64_t nGroups = s.context / group + 1;
            const std::int64_t words = (nGroups + 63) / 64;
            std::vector<std::uint64_t> bits(
                static_cast<std::size_t>(s.context * s.nKvHeads * words));
            for (auto& word : bits)
                word = (static_cast<std::uint64_t>(m_random()) << 32U | m_random()) &
                       (static_cast<std::uint64_t>(m_random()) << 32U | m_random());
            // Groups 1 and 2 are seen by nobody, so their blocks can go.
            for (auto& word : bits) word &= ~std::uint64_t{6};
            Paged paged(format, s.nKvHeads, s.headDim, s.context, s.blockTokens);
            paged.write(ops(), d.k, d.v, 0, s.context);
            if (group >= 16) paged.loseBlock(group / 16 + (group % 16 != 0 ? 1 : 0));
            const auto runPart = [&](const OpTable& table, AttentionKind kind, std::int64_t begin,
                                     std::int64_t end, bool sinks) {
                std::vector<float> out;
                AttentionArgs args = argsOf(s, d, paged.view(), kind, begin, end, out);
                args.scale = 0.17F;
                args.mask = {bits.data() + begin * s.nKvHeads * words, group, s.nKvHeads * words,
                             words};
                if (sinks) {
                    args.window = 50;
                    args.sinks = 5;
                    args.qSinks = turned.data() + begin * args.qStride;
                }
                attend(table, args, s.context);
                return out;
            };
            for (const bool sinks : {false, true}) {
                const auto expected =
                    runPart(reference(), AttentionKind::Naive, 0, s.context, sinks);
                for (const AttentionKind kind : {AttentionKind::Naive, AttentionKind::Flash}) {
                    const auto whole = runPart(ops(), kind, 0, s.context, sinks);
                    for (std::size_t i = 0; i < whole.size(); ++i)
                        ASSERT_TRUE(close(whole[i], expected[i], 1.0, kAttentionF32))
                            << "group " << group << " element " << i;
                    for (const std::int64_t chunk : {1, 7, 16})
                        for (std::int64_t t = 0; t < s.context; t += chunk) {
                            const auto part =
                                runPart(ops(), kind, t, std::min(s.context, t + chunk), sinks);
                            ASSERT_EQ(
                                std::memcmp(part.data(), whole.data() + t * s.nHeads * s.headDim,
                                            part.size() * 4),
                                0)
                                << "chunk " << chunk << " token " << t;
                        }
                }
            }
        }
    }
}

/// The weight of every block, per KV head: the reference's, all of it, and whatever the chunk.
TEST_P(Attention, TellsTheWeightOfEveryBlock) {
    for (const Shape& s : kShapes) {
        const Data d = make(s);
        Paged paged(KvFormat::F16, s.nKvHeads, s.headDim, s.context, s.blockTokens);
        paged.write(ops(), d.k, d.v, 0, s.context);
        const std::int64_t first = s.context > 1000 ? s.context - kLongTail : 0;
        const std::int64_t stride = (s.context - 1) / s.blockTokens + 3;
        const auto massOf = [&](const OpTable& table, std::int64_t begin, std::int64_t end) {
            std::vector<float> out;
            std::vector<float> mass(static_cast<std::size_t>((end - begin) * s.nKvHeads * stride),
                                    -1.0F);
            AttentionArgs args = argsOf(s, d, paged.view(), AttentionKind::Naive, begin, end, out);
            args.scale = 1.0F / std::sqrt(static_cast<float>(s.headDim));
            args.window = s.window;
            args.softcap = s.softcap;
            args.mass = mass.data();
            args.massGroup = s.blockTokens;
            args.massStride = stride;
            attend(table, args, s.context);
            return mass;
        };
        const auto expected = massOf(reference(), first, s.context);
        const auto actual = massOf(ops(), first, s.context);
        ASSERT_EQ(actual.size(), expected.size());
        const double heads = static_cast<double>(s.nHeads / s.nKvHeads);
        for (std::int64_t t = first; t < s.context; ++t)
            for (std::int64_t h = 0; h < s.nKvHeads; ++h) {
                const std::int64_t row = ((t - first) * s.nKvHeads + h) * stride;
                double sum = 0.0;
                for (std::int64_t g = 0; g < stride; ++g) {
                    const auto at = static_cast<std::size_t>(row + g);
                    if (g > t / s.blockTokens) {
                        ASSERT_EQ(actual[at], -1.0F) << "token " << t << " block " << g;
                        continue;
                    }
                    ASSERT_NEAR(actual[at], expected[at], 1e-4 * heads)
                        << "token " << t << " block " << g;
                    sum += static_cast<double>(actual[at]);
                }
                ASSERT_NEAR(sum, heads, 1e-4 * heads);
            }
        const std::int64_t middle = first + (s.context - first) / 2;
        auto parts = massOf(ops(), first, middle);
        const auto rest = massOf(ops(), middle, s.context);
        parts.insert(parts.end(), rest.begin(), rest.end());
        EXPECT_EQ(parts, actual);
    }
}

TEST_P(Attention, KeysSharedOutGiveTheSameBits) {
    if (ops().attentionCombine == nullptr) GTEST_SKIP() << "does not share out keys";
    for (const Shape& s : kShapes) {
        const Data d = make(s);
        Paged paged(KvFormat::F16, s.nKvHeads, s.headDim, s.context, s.blockTokens);
        paged.write(ops(), d.k, d.v, 0, s.context);
        for (const std::int64_t nTokens : {1, 3, 16, 20}) {
            const std::int64_t begin = std::max<std::int64_t>(0, s.context - nTokens);
            const auto alone =
                run(ops(), s, d, paged.view(), AttentionKind::Flash, begin, s.context);
            const auto shared =
                run(ops(), s, d, paged.view(), AttentionKind::Flash, begin, s.context, true);
            ASSERT_EQ(std::memcmp(alone.data(), shared.data(), alone.size() * 4), 0)
                << "headDim " << s.headDim << " context " << s.context << " tokens " << nTokens;
        }
    }
}

TEST_P(Attention, NeverReadsUnwrittenPositions) {
    // The cache is NaN beyond what was written; tokens 0 to 36 must not notice.
    const Shape s{6, 2, 64, 160, 16, 0, 0.0F};
    const Data d = make(s);
    Paged paged(KvFormat::F16, s.nKvHeads, s.headDim, s.context, s.blockTokens);
    paged.write(ops(), d.k, d.v, 0, 37);
    for (const AttentionKind kind : {AttentionKind::Naive, AttentionKind::Flash})
        for (const float x : run(ops(), s, d, paged.view(), kind, 0, 37))
            ASSERT_TRUE(std::isfinite(x));
}

TEST_P(Attention, RowsThatSeeNothingAreZero) {
    const Shape s{4, 2, 32, 20, 16, 0, 0.0F};
    Data d = make(s);
    Paged paged(KvFormat::F32, s.nKvHeads, s.headDim, s.context, s.blockTokens);
    paged.write(ops(), d.k, d.v, 0, s.context);
    const auto normal = run(ops(), s, d, paged.view(), AttentionKind::Flash, 0, 20);
    for (std::size_t t = 0; t < 18; ++t) d.positions[t] = -1;
    for (const AttentionKind kind : {AttentionKind::Naive, AttentionKind::Flash}) {
        const auto out = run(ops(), s, d, paged.view(), kind, 0, 20);
        for (std::size_t i = 0; i < 18 * 128; ++i) ASSERT_EQ(out[i], 0.0F);
        for (std::size_t i = 18 * 128; i < out.size(); ++i)
            ASSERT_TRUE(close(out[i], normal[i], 1.0, kAttentionF32));
        const auto none = run(ops(), s, d, paged.view(), kind, 0, 5);
        EXPECT_TRUE(std::all_of(none.begin(), none.end(), [](float x) { return x == 0.0F; }));
    }
}

TEST_P(Attention, FlashScratchDoesNotGrowWithTheContext) {
    const auto bytes = [](AttentionKind kind, std::int64_t context) {
        return 4 * attentionScratchFloats(kind, 9, 3, 64, context);
    };
    for (const std::int64_t context : {1 << 10, 1 << 13, 1 << 15}) {
        std::printf("scratch a thread at %lld tokens: flash %lld bytes, naive %lld bytes\n",
                    static_cast<long long>(context),
                    static_cast<long long>(bytes(AttentionKind::Flash, context)),
                    static_cast<long long>(bytes(AttentionKind::Naive, context)));
        EXPECT_EQ(bytes(AttentionKind::Flash, context), bytes(AttentionKind::Flash, 128));
    }
    EXPECT_GT(bytes(AttentionKind::Naive, 1 << 20), 64 * (1 << 20));
}

TEST_P(Attention, ItemsCoverEveryHeadAndTokenOnce) {
    AttentionArgs args;
    args.kv.nKvHeads = 3;
    for (const std::int64_t nTokens : {0, 1, 16, 17, 80, 100}) {
        args.nTokens = nTokens;
        std::vector<int> seen(static_cast<std::size_t>(3 * nTokens), 0);
        for (std::int64_t i = 0; i < attentionItems(args); ++i) {
            const AttentionItem item = attentionItem(args, i);
            for (std::int64_t t = item.tokenBegin; t < item.tokenEnd; ++t)
                ++seen[static_cast<std::size_t>(item.kvHead * nTokens + t)];
        }
        EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; })) << nTokens;
    }
}

}  // namespace
}  // namespace lanescope::kernels::test
