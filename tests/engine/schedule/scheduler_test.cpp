// What is planned for which requests; no model: a token is whatever its request's id says.

#include "engine/schedule/scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace lanescope {
namespace {

std::unique_ptr<BlockPool> poolOf(std::int32_t nBlocks) {
    auto pool = BlockPool::create({.nLayers = 1,
                                   .nKvHeads = 1,
                                   .headDim = 2,
                                   .blockTokens = 8,
                                   .keys = kernels::KvFormat::F32,
                                   .values = kernels::KvFormat::F32},
                                  nBlocks);
    return *std::move(pool);
}

BatchJob job(std::int32_t id, int nTokens, int priority = 0, std::string client = {}) {
    BatchJob job{id, {}, priority, std::move(client)};
    for (int i = 0; i < nTokens; ++i) job.prompt.push_back(1000 * id + i);
    return job;
}

/// Computes a plan and gives every request that decides a token.
void compute(Scheduler& scheduler, std::span<const BatchShare> plan) {
    std::vector<std::int32_t> deciding;
    for (const BatchShare& share : plan)
        if (share.decides) deciding.push_back(share.id);
    scheduler.computed();
    for (const std::int32_t id : deciding) scheduler.append(id, -id);
}

std::map<std::int32_t, std::int64_t> tokensById(std::span<const BatchShare> plan) {
    std::map<std::int32_t, std::int64_t> tokens;
    for (const BatchShare& share : plan) tokens[share.id] = share.nTokens;
    return tokens;
}

using Tokens = std::map<std::int32_t, std::int64_t>;

TEST(Scheduler, AStepOfDecodingGoesBeforeChunksOfPrompts) {
    const auto pool = poolOf(64);
    Scheduler scheduler(*pool, {.maxRunning = 4, .tokenBudget = 10}, {});
    ASSERT_TRUE(scheduler.submit(job(1, 4), 0).ok());
    compute(scheduler, scheduler.next(0));
    ASSERT_TRUE(scheduler.submit(job(2, 25), 0).ok());
    auto plan = scheduler.next(0);
    EXPECT_EQ(tokensById(plan), (Tokens{{1, 1}, {2, 9}}));
    EXPECT_TRUE(plan[0].decides);
    EXPECT_FALSE(plan[1].decides);
    EXPECT_TRUE(plan[1].prompt);
    compute(scheduler, plan);
    compute(scheduler, scheduler.next(0));
    plan = scheduler.next(0);
    EXPECT_EQ(tokensById(plan), (Tokens{{1, 1}, {2, 7}}));
    EXPECT_TRUE(plan[1].decides);
    EXPECT_EQ(plan[1].begin, 18);
    EXPECT_EQ(plan[1].tokens.front(), 2018);
}

TEST(Scheduler, WithoutChunksNobodyDecodesWhileAPromptIsComputed) {
    const auto pool = poolOf(64);
    Scheduler scheduler(
        *pool, {.mixing = PromptMixing::PrefillFirst, .maxRunning = 4, .tokenBudget = 10}, {});
    ASSERT_TRUE(scheduler.submit(job(1, 4), 0).ok());
    compute(scheduler, scheduler.next(0));
    ASSERT_TRUE(scheduler.submit(job(2, 15), 0).ok());
    auto plan = scheduler.next(0);
    EXPECT_EQ(tokensById(plan), (Tokens{{2, 9}}));
    compute(scheduler, plan);
    compute(scheduler, scheduler.next(0));
    EXPECT_EQ(tokensById(scheduler.next(0)), (Tokens{{1, 1}, {2, 1}}));
}

TEST(Scheduler, AStaticBatchIsFilledAndThenRunsToItsEnd) {
    const auto pool = poolOf(64);
    Scheduler scheduler(*pool, {.policy = BatchPolicy::Static, .maxRunning = 2, .tokenBudget = 8},
                        {});
    for (const int id : {1, 2, 3}) ASSERT_TRUE(scheduler.submit(job(id, 8), 0).ok());
    compute(scheduler, scheduler.next(0));  // all of the budget is the first one's
    EXPECT_EQ(scheduler.nRunning(), 2);
    compute(scheduler, scheduler.next(0));
    scheduler.retire(1);
    while (scheduler.info(2).blocks < 3) compute(scheduler, scheduler.next(0));
    EXPECT_EQ(scheduler.nRunning(), 1);
    EXPECT_EQ(scheduler.nWaiting(), 1);
    scheduler.retire(2);
    EXPECT_EQ(tokensById(scheduler.next(0)), (Tokens{{3, 8}}));
}

TEST(Scheduler, RowsOfAStaticBatchAreComputedOnUntilItsLastRequestEnds) {
    const auto pool = poolOf(64);
    Scheduler scheduler(*pool, {.policy = BatchPolicy::Static, .maxRunning = 2, .tokenBudget = 32},
                        {});
    for (const int id : {1, 2, 3}) ASSERT_TRUE(scheduler.submit(job(id, 8), 0).ok());
    compute(scheduler, scheduler.next(0));
    scheduler.finish(1);
    for (int i = 0; i < 3; ++i) {
        const auto plan = scheduler.next(0);
        ASSERT_EQ(plan.size(), 2U);
        EXPECT_TRUE(plan[0].filler);
        EXPECT_EQ(plan[0].begin, 7);
        EXPECT_FALSE(plan[1].filler);
        scheduler.computed();
        scheduler.append(2, 5);
    }
    scheduler.finish(2);
    EXPECT_EQ(scheduler.nRunning(), 0);
    EXPECT_EQ(tokensById(scheduler.next(0)), (Tokens{{3, 8}}));
}

TEST(Scheduler, SequentialRunsOneAtATime) {
    const auto pool = poolOf(64);
    Scheduler scheduler(*pool, {.policy = BatchPolicy::Sequential, .maxRunning = 8}, {});
    for (const int id : {1, 2}) ASSERT_TRUE(scheduler.submit(job(id, 8), 0).ok());
    EXPECT_EQ(tokensById(scheduler.next(0)), (Tokens{{1, 8}}));
    scheduler.retire(1);
    EXPECT_EQ(tokensById(scheduler.next(0)), (Tokens{{2, 8}}));
}

TEST(Scheduler, WhenBlocksRunOutTheLastOneGoesAndIsComputedAgain) {
    const auto pool = poolOf(4);
    Scheduler scheduler(*pool, {.maxRunning = 2, .reusePrefixes = false}, {});
    ASSERT_TRUE(scheduler.submit(job(1, 8), 0).ok());
    ASSERT_TRUE(scheduler.submit(job(2, 15), 0).ok());
    compute(scheduler, scheduler.next(0));
    EXPECT_EQ(scheduler.nRunning(), 2);
    for (int i = 0; i < 8; ++i) compute(scheduler, scheduler.next(0));
    // The first one has 17 tokens and takes the third of the four blocks.
    compute(scheduler, scheduler.next(0));
    EXPECT_EQ(scheduler.nRunning(), 1);
    EXPECT_EQ(scheduler.info(2).preemptions, 1);
    scheduler.retire(1);
    const auto plan = scheduler.next(0);
    ASSERT_EQ(plan.size(), 1U);
    EXPECT_EQ(plan[0].id, 2);
    EXPECT_EQ(plan[0].begin, 0);
    EXPECT_GT(plan[0].nTokens, 15);  // with what it had said
    EXPECT_EQ(plan[0].tokens.back(), -2);
}

TEST(Scheduler, AHigherPriorityStartsFirstAndWaitingRaisesIt) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const auto pool = poolOf(64);
    Scheduler scheduler(*pool, {.maxRunning = 1, .agingSeconds = 5.0}, {});
    ASSERT_TRUE(scheduler.submit(job(1, 8), 0).ok());
    ASSERT_TRUE(scheduler.submit(job(2, 8, 1), 0).ok());
    EXPECT_EQ(tokensById(scheduler.next(0)), (Tokens{{2, 8}}));
    scheduler.retire(2);
    ASSERT_TRUE(scheduler.submit(job(3, 8, 1), 9 * kSecond).ok());
    EXPECT_EQ(tokensById(scheduler.next(9 * kSecond)), (Tokens{{1, 8}}));
}

TEST(Scheduler, AClientWithManyRequestsDoesNotHoldUpAnother) {
    const auto pool = poolOf(64);
    Scheduler fair(*pool, {.maxRunning = 1}, {});
    for (int id = 1; id <= 5; ++id) ASSERT_TRUE(fair.submit(job(id, 8, 0, "many"), 0).ok());
    compute(fair, fair.next(0));
    ASSERT_TRUE(fair.submit(job(9, 8, 0, "one"), 0).ok());
    fair.retire(1);
    // A newcomer starts level, so the oldest goes; then the newcomer, who got less.
    compute(fair, fair.next(0));
    fair.retire(2);
    EXPECT_EQ(tokensById(fair.next(0)), (Tokens{{9, 8}}));
}

TEST(Scheduler, AKnownBeginningIsNotComputedAgain) {
    const auto pool = poolOf(64);
    Scheduler scheduler(*pool, {.maxRunning = 2}, {});
    BatchJob first = job(1, 24);
    BatchJob second = first;
    second.id = 2;
    ASSERT_TRUE(scheduler.submit(first, 0).ok());
    compute(scheduler, scheduler.next(0));
    ASSERT_TRUE(scheduler.submit(second, 0).ok());
    const auto plan = scheduler.next(0);
    ASSERT_EQ(plan.size(), 2U);
    EXPECT_EQ(plan[1].begin, 16);  // the last block's last token has to be computed
    EXPECT_EQ(scheduler.info(2).reusedTokens, 16);
    EXPECT_EQ(pool->nShared(), 2);
}

TEST(Scheduler, WhatCannotGoOnAloneIsSaidAndWhatNeverFitsIsRefused) {
    const auto pool = poolOf(2);
    Scheduler scheduler(*pool, {.maxRunning = 2}, {});
    EXPECT_EQ(scheduler.submit(job(1, 16), 0).error().code, ErrorCode::OutOfMemory);
    ASSERT_TRUE(scheduler.submit(job(2, 14), 0).ok());
    compute(scheduler, scheduler.next(0));
    compute(scheduler, scheduler.next(0));
    compute(scheduler, scheduler.next(0));
    EXPECT_TRUE(scheduler.next(0).empty());
    EXPECT_EQ(scheduler.starved(), 2);
    scheduler.retire(2);
    EXPECT_EQ(pool->nInUse(), 0);
}

/// Requests of all kinds at random, with too few blocks: all of them come to an end.
TEST(Scheduler, NothingIsLostOrStuckInRandomUse) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        const auto pool = poolOf(8 + static_cast<std::int32_t>(random() % 20));
        BatchSettings settings;
        settings.policy = static_cast<BatchPolicy>(random() % 3);
        settings.mixing = static_cast<PromptMixing>(random() % 2);
        settings.fairness = static_cast<Fairness>(random() % 2);
        settings.maxRunning = 1 + random() % 6;
        settings.tokenBudget = 1 + random() % 40;
        settings.reusePrefixes = random() % 2 == 0;
        settings.singleStepsAfterPrompt = random() % 4 == 0;
        Scheduler scheduler(*pool, settings, {});
        std::map<std::int32_t, std::int64_t> left;  // tokens a request has yet to say
        std::int32_t nextId = 0;
        std::int64_t now = 0;
        for (int passes = 0; passes < 200 || !left.empty(); ++passes) {
            ASSERT_LT(passes, 20000) << "stuck with seed " << seed;
            now += 100'000'000;
            if (passes < 200 && random() % 3 == 0) {
                BatchJob some = job(nextId, 1 + static_cast<int>(random() % 60),
                                    static_cast<int>(random() % 3), random() % 2 ? "a" : "b");
                if (random() % 2 == 0)  // texts with the same beginning
                    for (auto& token : some.prompt) token %= 1000;
                if (scheduler.submit(some, now).ok())
                    left[nextId] = 1 + static_cast<std::int64_t>(random() % 40);
                ++nextId;
            }
            const auto plan = scheduler.next(now);
            if (const auto id = scheduler.starved()) {
                scheduler.retire(*id);
                left.erase(*id);
                continue;
            }
            ASSERT_EQ(plan.empty(), left.empty())
                << "seed " << seed << ", pass " << passes << ", policy "
                << static_cast<int>(settings.policy) << ", mixing "
                << static_cast<int>(settings.mixing) << ", running " << scheduler.nRunning()
                << " of " << settings.maxRunning << ", waiting " << scheduler.nWaiting()
                << ", budget " << settings.tokenBudget << ", blocks free " << pool->nFree()
                << " of " << pool->nBlocks();
            std::int64_t tokens = 0;
            std::set<std::int32_t> ids;
            std::vector<std::int32_t> deciding;
            for (const BatchShare& share : plan) {
                tokens += share.nTokens;
                ASSERT_TRUE(ids.insert(share.id).second);
                ASSERT_GT(share.nTokens, 0);
                ASSERT_EQ(std::ssize(share.tokens), share.nTokens);
                ASSERT_GE(share.table->nBlocks() * 8, share.begin + share.nTokens);
                if (share.decides && !share.filler) deciding.push_back(share.id);
            }
            ASSERT_LE(tokens, std::max(settings.tokenBudget, settings.maxRunning));
            ASSERT_LE(scheduler.nRunning(), settings.maxRunning);
            scheduler.computed();
            for (const std::int32_t id : deciding) {
                if (--left[id] > 0) {
                    scheduler.append(id, static_cast<BlockPool::Token>(random() % 3));
                } else {
                    scheduler.finish(id);
                    left.erase(id);
                }
            }
            if (random() % 50 == 0 && !left.empty()) {
                const std::int32_t id = left.begin()->first;
                scheduler.finish(id);
                left.erase(id);
            }
        }
        EXPECT_EQ(pool->nInUse(), 0) << "seed " << seed;
    }
}

}  // namespace
}  // namespace lanescope
