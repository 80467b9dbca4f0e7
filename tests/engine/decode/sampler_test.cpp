// Sampling against plain double-precision soft-max: filters, edge values, broken logits, seeds.

#include "engine/decode/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "engine/base/json.h"
#include "engine/base/mapped_file.h"
#include "engine/decode/exp_sum.h"

namespace lanescope {
namespace {

std::vector<float> randomLogits(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0F, 3.0F);
    std::vector<float> logits(n);
    for (float& x : logits) x = normal(random);
    return logits;
}

std::vector<TokenId> draws(const SamplingSettings& settings, const std::vector<float>& logits,
                           int count) {
    Sampler sampler(settings, static_cast<std::int32_t>(logits.size()));
    std::vector<TokenId> tokens;
    for (int i = 0; i < count; ++i) {
        auto sampled = sampler.sample(logits, {});
        EXPECT_TRUE(sampled.ok());
        tokens.push_back(sampled->token);
    }
    return tokens;
}

std::vector<double> softmax(const std::vector<float>& logits, double temperature = 1.0) {
    double maximum = -1e300, sum = 0.0;
    for (const float x : logits) maximum = std::max(maximum, static_cast<double>(x));
    std::vector<double> p;
    for (const float x : logits) p.push_back(std::exp((x - maximum) / temperature));
    for (const double x : p) sum += x;
    for (double& x : p) x /= sum;
    return p;
}

TEST(ExpSums, MatchDoublePrecisionForEveryLength) {
    for (const std::size_t n : {1U, 7U, 8U, 9U, 1023U, 1024U, 5000U}) {
        const auto logits = randomLogits(n, static_cast<unsigned>(n));
        const LogitScan scan = scanLogits(logits);
        double sum = 0.0, weighted = 0.0;
        for (const float x : logits) {
            const double d = static_cast<double>(x) - static_cast<double>(scan.maximum);
            sum += std::exp(d);
            weighted += std::exp(d) * d;
        }
        const ExpSums sums = expSums(logits, scan.maximum);
        EXPECT_NEAR(sums.sum, sum, 1e-6 * sum) << n;
        EXPECT_NEAR(sums.weighted, weighted, 2e-6 * std::abs(weighted) + 1e-9) << n;
    }
}

TEST(LogitScan, FindsWhatAPlainLoopFinds) {
    std::mt19937 random(5);
    const float specials[] = {HUGE_VALF, -HUGE_VALF, std::nanf(""), 0.0F, -0.0F, -3.4e38F, 1.0F};
    for (std::size_t n = 0; n < 150; ++n) {
        for (int round = 0; round < 6; ++round) {
            std::vector<float> x(n);
            for (float& v : x) {
                const unsigned pick = random() % 40;
                v = pick < 7 && round > 0 ? specials[pick]
                                          : static_cast<float>(random() % 9) - 9.0F;
            }
            LogitScan expected;
            float best = -HUGE_VALF;
            for (std::size_t i = 0; i < n; ++i) {
                if (x[i] == HUGE_VALF) ++expected.nPlusInf;
                if (!std::isfinite(x[i])) continue;
                ++expected.nFinite;
                if (expected.argmax >= 0 && x[i] <= best) continue;
                best = x[i];
                expected.argmax = static_cast<std::int32_t>(i);
            }
            const LogitScan scan = scanLogits(x);
            ASSERT_EQ(scan.nFinite, expected.nFinite) << n;
            ASSERT_EQ(scan.nPlusInf, expected.nPlusInf) << n;
            ASSERT_EQ(scan.argmax, expected.argmax) << n;
            if (scan.nFinite > 0) {
                ASSERT_EQ(scan.maximum, best);
            }
            for (const float threshold : {-HUGE_VALF, -5.0F, best, HUGE_VALF}) {
                const std::size_t from = n / 3;
                std::size_t first = from;
                while (first < n && !(x[first] > threshold)) ++first;
                ASSERT_EQ(firstAbove(x, from, threshold), first) << n << " above " << threshold;
            }
        }
    }
}

TEST(ExpSums, ExpIsAccurateAndEndsInZero) {
    for (float x = 0.0F; x > -87.0F; x -= 0.037F)
        EXPECT_NEAR(expNegative(x), std::exp(static_cast<double>(x)),
                    3e-7 * std::exp(static_cast<double>(x)))
            << x;
    EXPECT_EQ(expNegative(0.0F), 1.0F);
    EXPECT_EQ(expNegative(-100.0F), 0.0F);
    EXPECT_EQ(expNegative(-HUGE_VALF), 0.0F);
}

TEST(Sampler, ReportsProbabilityAndEntropyOfTheRawLogits) {
    const auto logits = randomLogits(5000, 3);
    const auto p = softmax(logits);
    double entropy = 0.0;
    for (const double x : p) entropy -= x > 0.0 ? x * std::log(x) : 0.0;
    Sampler sampler({.temperature = 0.3F, .topK = 5, .seed = 9}, 5000);
    const auto sampled = sampler.sample(logits, {});
    ASSERT_TRUE(sampled.ok());
    EXPECT_NEAR(sampled->logProbability, std::log(p[static_cast<std::size_t>(sampled->token)]),
                1e-5);
    EXPECT_NEAR(sampled->entropy, entropy, 1e-5);
    EXPECT_EQ(sampled->nonFinite, 0);
}

TEST(Sampler, SameSeedGivesTheSameTokensAndAnotherSeedOthers) {
    const auto logits = randomLogits(300, 1);
    const SamplingSettings settings{.temperature = 1.0F, .seed = 7};
    SamplingSettings other = settings;
    other.seed = 8;
    EXPECT_EQ(draws(settings, logits, 50), draws(settings, logits, 50));
    EXPECT_NE(draws(settings, logits, 50), draws(other, logits, 50));
}

TEST(Sampler, DrawsAreStableAcrossBuilds) {
    // Recorded once; a change means that stored seeds no longer repeat their runs.
    const auto ramp = [] {
        std::vector<float> logits(100);
        for (std::size_t i = 0; i < logits.size(); ++i)
            logits[i] = static_cast<float>((i * 37) % 100) * 0.05F;
        return logits;
    }();
    EXPECT_THAT(draws({.temperature = 1.0F, .seed = 1}, ramp, 8),
                ::testing::ElementsAre(94, 97, 29, 13, 18, 35, 21, 94));
    EXPECT_THAT(draws({.temperature = 0.8F, .topK = 20, .topP = 0.9F, .seed = 1}, ramp, 8),
                ::testing::ElementsAre(32, 59, 8, 54, 54, 35, 81, 32));
}

TEST(Sampler, FrequenciesFollowTheDistribution) {
    const auto logits = randomLogits(20, 5);
    for (const bool filtered : {false, true}) {
        SamplingSettings settings{.temperature = 0.7F, .seed = 11};
        if (filtered) settings.topK = 1000;  // keeps all, but takes the other path
        const auto p = softmax(logits, 0.7);
        std::map<TokenId, int> counts;
        constexpr int kDraws = 20000;
        for (const TokenId token : draws(settings, logits, kDraws)) ++counts[token];
        for (std::size_t i = 0; i < p.size(); ++i)
            EXPECT_NEAR(counts[static_cast<TokenId>(i)] / static_cast<double>(kDraws), p[i],
                        4.5 * std::sqrt(p[i] * (1 - p[i]) / kDraws) + 1e-4)
                << i;
    }
}

TEST(Sampler, FiltersKeepExactlyWhatTheirDefinitionsSay) {
    const std::vector<float> logits{std::log(0.4F), std::log(0.05F), std::log(0.3F),
                                    std::log(0.15F), std::log(0.1F)};
    const auto kept = [&](SamplingSettings settings) {
        settings.temperature = 1.0F;
        const auto tokens = draws(settings, logits, 3000);
        return std::set<TokenId>(tokens.begin(), tokens.end());
    };
    using Set = std::set<TokenId>;
    EXPECT_EQ(kept({}), (Set{0, 1, 2, 3, 4}));
    EXPECT_EQ(kept({.topK = 2}), (Set{0, 2}));
    EXPECT_EQ(kept({.topP = 0.69F}), (Set{0, 2}));
    EXPECT_EQ(kept({.topP = 0.72F}), (Set{0, 2, 3}));
    EXPECT_EQ(kept({.minP = 0.3F}), (Set{0, 2, 3}));
    EXPECT_EQ(kept({.topK = 3, .topP = 0.8F}), (Set{0, 2}));  // 0.7 / 0.85 is over 0.8
    EXPECT_EQ(kept({.topK = 3, .topP = 0.9F, .minP = 0.6F}), (Set{0, 2}));
}

TEST(Sampler, EdgeValuesAloneAndTogetherAreGreedy) {  // case C38
    const auto logits = randomLogits(64, 2);
    const TokenId best = scanLogits(logits).argmax;
    const std::vector<TokenId> expected(20, best);
    EXPECT_EQ(draws({.temperature = 0.0F}, logits, 20), expected);
    EXPECT_EQ(draws({.temperature = 1e-30F}, logits, 20), expected);
    EXPECT_EQ(draws({.temperature = 1e-45F, .topK = 9}, logits, 20), expected);
    EXPECT_EQ(draws({.temperature = 1.0F, .topP = 0.0F}, logits, 20), expected);
    EXPECT_EQ(draws({.temperature = 1.0F, .topK = 1}, logits, 20), expected);
    EXPECT_EQ(draws({.temperature = 1.0F, .minP = 1.0F}, logits, 20), expected);
    EXPECT_EQ(draws({.temperature = 0.0F, .topK = 1, .topP = 0.0F, .minP = 1.0F}, logits, 20),
              expected);
    // top-k 0 is off, not "keep nothing"
    const auto free = draws({.temperature = 5.0F, .topK = 0}, logits, 200);
    EXPECT_GT(std::set<TokenId>(free.begin(), free.end()).size(), 10U);
}

TEST(Sampler, PaddedIdsAreNeverSampled) {
    std::vector<float> logits(40, 0.0F);
    logits[35] = 50.0F;
    Sampler greedy({}, 32);
    EXPECT_EQ(greedy.sample(logits, {})->token, 0);
    Sampler warm({.temperature = 2.0F}, 32);
    for (int i = 0; i < 200; ++i) EXPECT_LT(warm.sample(logits, {})->token, 32);
    for (const auto& candidate : topCandidates(logits, 32, 5)) EXPECT_LT(candidate.token, 32);
}

TEST(Sampler, RepeatPenaltyWorksOnBothSignsWithinItsWindow) {
    const std::vector<float> logits{2.0F, 1.8F, -1.0F};
    const std::vector<TokenId> history{0, 0};
    Sampler penal({.repeatPenalty = 1.5F}, 3);
    EXPECT_EQ(penal.sample(logits, history)->token, 1);  // 2 / 1.5, once, is under 1.8
    Sampler mild({.repeatPenalty = 1.1F}, 3);
    EXPECT_EQ(mild.sample(logits, history)->token, 0);  // twice would be under 1.8
    const std::vector<TokenId> old{0, 2, 2, 2};
    Sampler window({.repeatPenalty = 1.5F, .repeatWindow = 3}, 3);
    EXPECT_EQ(window.sample(logits, old)->token, 0);
    const std::vector<float> negative{-1.0F, -1.2F};
    Sampler sign({.repeatPenalty = 1.5F}, 2);
    EXPECT_EQ(sign.sample(negative, history)->token, 1);
    const std::vector<TokenId> strange{-5, 999};
    EXPECT_EQ(sign.sample(negative, strange)->token, 0);
}

TEST(Sampler, RefusesSettingsOutOfRangeByName) {
    const float nan = std::nanf("");
    const auto message = [](const SamplingSettings& settings) {
        const auto valid = validate(settings);
        return valid ? std::string() : valid.error().message;
    };
    EXPECT_EQ(message({}), "");
    EXPECT_EQ(message({.temperature = 2.0F, .topK = 40, .topP = 0.0F, .minP = 1.0F}), "");
    using ::testing::HasSubstr;
    EXPECT_THAT(message({.temperature = nan}), HasSubstr("temperature"));
    EXPECT_THAT(message({.temperature = -0.1F}), HasSubstr("temperature is -0.1"));
    EXPECT_THAT(message({.topK = -1}), HasSubstr("top-k"));
    EXPECT_THAT(message({.topP = 1.5F}), HasSubstr("top-p is 1.5"));
    EXPECT_THAT(message({.topP = nan}), HasSubstr("top-p"));
    EXPECT_THAT(message({.minP = -0.5F}), HasSubstr("min-p"));
    EXPECT_THAT(message({.repeatPenalty = 0.0F}), HasSubstr("repeat penalty"));
    EXPECT_THAT(message({.repeatWindow = -2}), HasSubstr("repeat window"));
}

TEST(TopCandidates, AreTheBestInOrderWithTheirProbabilities) {
    const auto logits = randomLogits(2000, 8);
    const auto p = softmax(logits);
    std::vector<TokenId> order(logits.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<TokenId>(i);
    std::sort(order.begin(), order.end(), [&](TokenId a, TokenId b) {
        return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
    });
    const auto best = topCandidates(logits, 2000, 7);
    ASSERT_EQ(best.size(), 7U);
    for (std::size_t i = 0; i < best.size(); ++i) {
        EXPECT_EQ(best[i].token, order[i]);
        EXPECT_NEAR(best[i].probability, p[static_cast<std::size_t>(order[i])], 1e-6);
    }
    EXPECT_TRUE(topCandidates(logits, 2000, 0).empty());
    EXPECT_EQ(topCandidates(std::vector<float>{1.0F, std::nanf(""), 0.5F}, 3, 9).size(), 2U);
}

TEST(Sampler, BrokenLogitsNeverPoisonTheChoice) {  // case C39
    const char* shared = std::getenv("LANESCOPE_SHARED");
    const std::filesystem::path folder =
        shared != nullptr ? shared : LANESCOPE_SOURCE_DIR "/../shared";
    const auto text = readTextFile((folder / "cases/C39/logits.json").string(), 1 << 20);
    if (!text) GTEST_SKIP() << "no " << folder << "/cases/C39";
    const auto json = parseJson(*text, "logits.json");
    ASSERT_TRUE(json.ok());
    for (const auto& row : (*json)["rows"]) {
        SCOPED_TRACE(row["name"].get<std::string>());
        std::vector<float> logits;
        for (const auto& x : row["logits"])
            logits.push_back(x.is_number() ? x.get<float>()
                                           : std::strtof(x.get<std::string>().c_str(), nullptr));
        const auto n = static_cast<std::int32_t>(logits.size());
        const auto greedy = Sampler({}, n).sample(logits, {});
        if (row.value("outcome", "") == "error") {
            ASSERT_FALSE(greedy.ok());
            EXPECT_EQ(greedy.error().code, ErrorCode::BadInput);
        } else if (row.contains("greedy_or_error")) {
            if (greedy.ok()) {
                EXPECT_EQ(greedy->token, row["greedy_or_error"].get<int>());
            }
        } else {
            ASSERT_TRUE(greedy.ok());
            EXPECT_EQ(greedy->token, row["greedy"].get<int>());
        }
        Sampler sampler({.temperature = 0.8F, .topK = 3, .topP = 0.9F, .minP = 0.05F}, n);
        for (int i = 0; i < 1000; ++i) {
            const auto drawn = sampler.sample(logits, {});
            ASSERT_EQ(drawn.ok(), greedy.ok());
            if (!drawn) break;
            EXPECT_TRUE(std::isfinite(drawn->logProbability));
            EXPECT_TRUE(std::isfinite(drawn->entropy));
            if (row.contains("never")) {
                for (const auto& id : row["never"]) EXPECT_NE(drawn->token, id.get<int>());
            }
            if (row.contains("sampled_always")) {
                EXPECT_EQ(drawn->token, row["sampled_always"].get<int>());
            }
        }
    }
}

}  // namespace
}  // namespace lanescope
