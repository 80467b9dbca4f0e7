// Reductions over rows of logits on the device, against the engine's own on the CPU.

#include "engine/decode/exp_sum.h"
#include "engine/decode/quality.h"
#include "engine/decode/sampler.h"
#include "tests/simt/kernel_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Case {
    const char* name;
    SamplingSettings settings;
};
const Case kCases[] = {
    {"greedy", {0.0F}},
    {"temperature 1", {1.0F}},
    {"temperature 0.3", {0.3F}},
    {"hot", {5.0F}},
    {"almost greedy", {1e-30F}},
    {"top-k 1", {1.0F, 1}},
    {"top-k 2", {1.0F, 2}},
    {"top-k 40", {0.8F, 40}},
    {"top-k above the vocabulary", {1.0F, 1 << 20}},
    {"top-p 0", {1.0F, 0, 0.0F}},
    {"top-p tiny", {1.0F, 0, 1e-9F}},
    {"top-p 0.9", {1.0F, 0, 0.9F}},
    {"min-p 0.05", {1.0F, 0, 1.0F, 0.05F}},
    {"min-p 1", {1.0F, 0, 1.0F, 1.0F}},
    {"all filters", {0.7F, 50, 0.95F, 0.02F}},
    {"penalty, greedy", {0.0F, 0, 1.0F, 0.0F, 1.5F}},
    {"penalty below 1", {1.0F, 0, 0.8F, 0.0F, 0.8F}},
    {"all with penalty", {0.9F, 20, 0.9F, 0.01F, 1.2F, 5}},
};
constexpr std::size_t kNCases = std::size(kCases);

/// A row of the kernel for each case, each with its own seed.
std::vector<SampledRow> sampleAll(const std::vector<float>& logits, std::int64_t vocab,
                                  const std::vector<TokenId>& history, std::uint64_t seed,
                                  std::size_t nCases = kNCases) {
    std::vector<float> rows;
    std::vector<SampleSettings> settings;
    for (std::size_t i = 0; i < nCases; ++i) {
        const SamplingSettings& s = kCases[i].settings;
        const auto n =
            std::min<std::int32_t>(static_cast<std::int32_t>(history.size()), s.repeatWindow);
        settings.push_back({s.temperature, s.topP, s.minP, s.repeatPenalty, s.topK,
                            static_cast<std::int32_t>(history.size()) - n, n,
                            RandomStream(seed + i).uniform()});
        rows.insert(rows.end(), logits.begin(), logits.end());
    }
    std::vector<float> scratch(nCases * static_cast<std::size_t>(vocab), kNaN);
    std::vector<SampledRow> out(nCases);
    const SampleArgs args{rows.data(),     static_cast<std::int64_t>(logits.size()),
                          vocab,           static_cast<std::int64_t>(nCases),
                          settings.data(), history.data(),
                          scratch.data(),  out.data()};
    EXPECT_EQ(sample(args, nullptr), kSuccess);
    return out;
}

/// A draw may fall to the other side of a border, if no further than rounding goes: then the two
/// tokens follow each other in the order of the draw.
bool areNeighbours(const std::vector<float>& logits, TokenId a, TokenId b) {
    if (std::abs(a - b) == 1) return true;
    const float low =
        std::min(logits[static_cast<std::size_t>(a)], logits[static_cast<std::size_t>(b)]);
    const float high =
        std::max(logits[static_cast<std::size_t>(a)], logits[static_cast<std::size_t>(b)]);
    return std::none_of(logits.begin(), logits.end(), [&](float x) { return x > low && x < high; });
}

class CudaSample : public KernelTest {
  protected:
    /// Logits of one of a few kinds.
    std::vector<float> logitsOf(std::int64_t n, int kind) {
        auto out = normals(n, kind == 0 ? 1.0F : kind == 1 ? 4.0F : 15.0F);
        if (kind == 2)  // many ties
            for (float& x : out) x = std::round(x / 4.0F);
        if (kind == 3)  // what is not finite is never chosen
            for (std::size_t i = 0; i < out.size(); i += 3)
                if (i > 0) out[i] = i % 2 == 0 ? kNaN : -kInf;
        return out;
    }
    /// Runs every case on logits and holds it against the CPU.
    void expectAgrees(const std::vector<float>& logits, std::int64_t vocab) {
        std::vector<TokenId> history;
        std::uniform_int_distribution<TokenId> token(-1, static_cast<TokenId>(vocab));
        for (int i = 0; i < 9; ++i) history.push_back(token(m_random));
        history.push_back(history.front());
        history.push_back(static_cast<TokenId>(
            std::max_element(logits.begin(), logits.begin() + vocab) - logits.begin()));
        const std::uint64_t seed = m_seed += 100;
        const auto actual = sampleAll(logits, vocab, history, seed);
        for (std::size_t i = 0; i < kNCases; ++i) {
            SamplingSettings settings = kCases[i].settings;
            settings.seed = seed + i;
            Sampler sampler(settings, static_cast<std::int32_t>(vocab));
            const auto expected = sampler.sample(logits, history);
            ASSERT_TRUE(expected.ok());
            const SampledRow& row = actual[i];
            const std::string where =
                std::string(kCases[i].name) + ", vocab " + std::to_string(vocab);
            ++m_nDraws;
            if (row.token != expected.value().token) {
                ++m_nOther;
                EXPECT_TRUE(areNeighbours(logits, row.token, expected.value().token))
                    << where << ": " << row.token << " instead of " << expected.value().token;
                continue;
            }
            EXPECT_EQ(row.nonFinite, expected.value().nonFinite) << where;
            EXPECT_EQ(row.nPlusInf, 0) << where;
            EXPECT_TRUE(near(row.logProbability, expected.value().logProbability, 2e-5)) << where;
            EXPECT_TRUE(near(row.entropy, expected.value().entropy, 2e-5)) << where;
            EXPECT_TRUE(near(row.expSum, expected.value().expSum, 1e-6 * expected.value().expSum))
                << where;
        }
    }

    std::uint64_t m_seed = 0;
    int m_nDraws = 0;
    int m_nOther = 0;  ///< draws that fell to the other side of a border
};
LANESCOPE_FOR_EACH_SCHEDULE(CudaSample);

TEST_P(CudaSample, ChoosesTheTokenOfTheCpu) {
    for (const std::int64_t vocab : {1, 2, 33, 512, 1100})
        for (const int kind : {0, 1, 2, 3}) expectAgrees(logitsOf(vocab + 5, kind), vocab);
    EXPECT_LE(m_nOther, 1) << "of " << m_nDraws;
}

TEST_P(CudaSample, SaysWhenNothingOrTooMuchIsThere) {
    const std::vector<float> nothing = {kNaN, -kInf, kNaN};
    for (const SampledRow& row : sampleAll(nothing, 3, {1}, 1)) {
        EXPECT_EQ(row.token, -1);
        EXPECT_EQ(row.nonFinite, 3);
    }
    const std::vector<float> tooMuch = {1.0F, kInf, kInf, 0.0F};
    for (const SampledRow& row : sampleAll(tooMuch, 4, {1}, 1)) {
        EXPECT_EQ(row.nPlusInf, 2);
        EXPECT_EQ(row.nonFinite, 2);
    }
}

TEST_P(CudaSample, ZerosOfBothSignsAreATie) {
    const std::vector<float> logits = {-1.0F, -0.0F, 0.0F, -2.0F};
    EXPECT_EQ(sampleAll(logits, 4, {}, 1)[0].token, 1);
}

TEST_P(CudaSample, CandidatesAreThoseOfTheCpu) {
    for (const std::int64_t vocab : {1, 3, 40, 700}) {
        for (const int kind : {1, 2, 3}) {
            const auto logits = logitsOf(vocab, kind);
            const auto sampled = sampleAll(logits, vocab, {}, 1, 1);
            for (const int n : {1, 5, 64}) {
                std::vector<std::int32_t> ids(static_cast<std::size_t>(n), -7);
                std::vector<float> probabilities(ids.size(), kNaN);
                ASSERT_EQ(topCandidates({logits.data(), vocab, vocab, 1, sampled.data(), n,
                                         ids.data(), probabilities.data()},
                                        nullptr),
                          kSuccess);
                const auto expected =
                    ::lanescope::topCandidates(logits, static_cast<std::int32_t>(vocab), n);
                for (std::size_t i = 0; i < ids.size(); ++i) {
                    if (i >= expected.size()) {
                        EXPECT_EQ(ids[i], -1);
                        continue;
                    }
                    EXPECT_EQ(ids[i], expected[i].token) << "vocab " << vocab << " place " << i;
                    EXPECT_TRUE(near(probabilities[i], expected[i].probability,
                                     2e-6 * expected[i].probability + 1e-30));
                }
            }
        }
    }
}

TEST_P(CudaSample, ComparesRowsAsTheTextQualityDoes) {
    for (const std::int64_t vocab : {1, 2, 100, 1300}) {
        for (const float difference : {0.0F, 1e-3F, 0.1F, 3.0F}) {
            const auto reference = normals(2 * vocab, 4.0F);
            auto logits = normals(2 * (vocab + 1), difference);
            for (std::int64_t row = 0; row < 2; ++row)
                for (std::int64_t i = 0; i < vocab; ++i)
                    logits[static_cast<std::size_t>(row * (vocab + 1) + i)] +=
                        reference[static_cast<std::size_t>(row * vocab + i)] + 7.0F;
            const std::vector<std::int32_t> next = {static_cast<std::int32_t>(vocab / 2), 0};
            CompareArgs::Row rows[2];
            ASSERT_EQ(compare({logits.data(), reference.data(), vocab + 1, vocab, vocab, 2,
                               next.data(), rows},
                              nullptr),
                      kSuccess);
            for (std::size_t row = 0; row < 2; ++row) {
                const auto n = static_cast<std::size_t>(vocab);
                const Distribution of({logits.data() + row * (n + 1), n});
                const Distribution by({reference.data() + row * n, n});
                const auto id = static_cast<std::size_t>(next[row]);
                const double kl = klDivergence(by, of);
                EXPECT_TRUE(near(rows[row].divergence, kl, 2e-6 + 2e-5 * kl))
                    << "vocab " << vocab << " difference " << difference;
                EXPECT_EQ(rows[row].best, static_cast<std::int32_t>(of.best()));
                EXPECT_EQ(rows[row].referenceBest, static_cast<std::int32_t>(by.best()));
                EXPECT_TRUE(near(rows[row].logProbability, of.logProbability(id), 1e-5));
                EXPECT_TRUE(near(rows[row].referenceLogProbability, by.logProbability(id), 1e-5));
                EXPECT_TRUE(near(rows[row].deltaP,
                                 std::exp(of.logProbability(id)) - std::exp(by.logProbability(id)),
                                 2e-6));
            }
        }
    }
}

/// Vocabularies of real models, in one schedule.
class CudaSampleLarge : public CudaSample {};
INSTANTIATE_TEST_SUITE_P(Schedules, CudaSampleLarge, ::testing::Values(Options{}), scheduleName);

TEST_P(CudaSampleLarge, ChoosesTheTokenOfTheCpu) {
    expectAgrees(logitsOf(32000, 0), 32000);
    expectAgrees(logitsOf(49152, 1), 49152);
    expectAgrees(logitsOf(262144, 1), 262144);
    EXPECT_LE(m_nOther, 2) << "of " << m_nDraws;
}

TEST(CudaSampleLimits, SizesOutOfRangeAreRefused) {
    SampleArgs args;
    args.nRows = 1;
    EXPECT_NE(sample(args, nullptr), kSuccess);
    args.vocab = 1 << 20;
    EXPECT_NE(sample(args, nullptr), kSuccess);
    TopCandidatesArgs top;
    top.vocab = 10;
    top.n = kMaxTopCandidates + 1;
    EXPECT_NE(topCandidates(top, nullptr), kSuccess);
    top.n = 0;
    EXPECT_EQ(topCandidates(top, nullptr), kSuccess);
    EXPECT_NE(compare({}, nullptr), kSuccess);
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test
