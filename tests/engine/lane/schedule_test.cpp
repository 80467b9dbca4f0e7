// The order of requests, as text: "A0.1" is lane A, prompt 0, repetition 1; "(A)" a warm-up.

#include "engine/lane/schedule.h"

#include <gtest/gtest.h>

#include <map>

namespace lanescope {
namespace {

Plan makePlan(int nPrompts, int repetitions, int warmup, RunOrder order) {
    Plan plan;
    plan.prompts.assign(static_cast<std::size_t>(nPrompts), {PromptKind::Text, "x", "", {}});
    plan.repetitions = repetitions;
    plan.warmup = warmup;
    plan.order = order;
    return plan;
}

std::string describe(const std::vector<ScheduledRequest>& requests) {
    std::string out;
    for (const ScheduledRequest& r : requests) {
        const std::string lane(1, static_cast<char>('A' + r.lane));
        out += out.empty() ? "" : " ";
        out += r.warmup ? "(" + lane + ")"
                        : lane + std::to_string(r.prompt) + "." + std::to_string(r.repetition);
    }
    return out;
}

TEST(Schedule, TwoLanesGoForwardsAndBackwardsInTurn) {
    EXPECT_EQ(describe(scheduleRequests(makePlan(1, 3, 1, RunOrder::Interleaved), {0, 1})),
              "(A) (B) A0.0 B0.0 B0.1 A0.1 A0.2 B0.2");
}

TEST(Schedule, ThreeLanesGoForwardsAndBackwardsInTurn) {
    EXPECT_EQ(describe(scheduleRequests(makePlan(1, 2, 2, RunOrder::Interleaved), {0, 1, 2})),
              "(A) (A) (B) (B) (C) (C) A0.0 B0.0 C0.0 C0.1 B0.1 A0.1");
}

TEST(Schedule, APromptStartsItsNextRepetitionInTheOtherDirection) {
    EXPECT_EQ(describe(scheduleRequests(makePlan(2, 2, 0, RunOrder::Interleaved), {0, 1})),
              "A0.0 B0.0 B1.0 A1.0 B0.1 A0.1 A1.1 B1.1");
}

TEST(Schedule, SequentialFinishesALaneBeforeTheNext) {
    EXPECT_EQ(describe(scheduleRequests(makePlan(2, 2, 1, RunOrder::Sequential), {0, 2})),
              "(A) A0.0 A1.0 A0.1 A1.1 (C) C0.0 C1.0 C0.1 C1.1");
}

TEST(Schedule, EveryLaneGoesFirstEquallyOften) {
    std::map<std::int32_t, int> first;
    const auto requests = scheduleRequests(makePlan(3, 4, 0, RunOrder::Interleaved), {0, 1});
    for (std::size_t i = 0; i < requests.size(); i += 2) ++first[requests[i].lane];
    EXPECT_EQ(first[0], first[1]);
}

}  // namespace
}  // namespace lanescope
