#include "profiler/collect/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <random>
#include <thread>

#include "engine/base/clock.h"
#include "profiler/collect/run_builder.h"
#include "profiler/collect/span_ring.h"

namespace lanescope::profiler {

namespace {

trace::RunHeader header() {
    trace::RunHeader h;
    h.id = "00112233445566778899aabbccddeeff";
    h.epochNs = 1'000'000;
    return h;
}

trace::Span spanAt(std::int64_t start, std::int64_t end, trace::Op op = trace::Op::Qkv) {
    trace::Span span;
    span.tStartNs = start;
    span.tEndNs = end;
    span.op = op;
    span.lane = 0;
    return span;
}

trace::RequestRecord request(std::int32_t id) {
    trace::RequestRecord record;
    record.id = id;
    record.promptTokens = {1, 2, 3};
    record.tStartNs = 2'000'000;
    return record;
}

trace::TokenRecord token(std::int32_t requestId, std::int32_t index) {
    trace::TokenRecord t;
    t.request = requestId;
    t.index = index;
    t.token = index;
    t.piece = "p" + std::to_string(index);
    t.tNs = 3'000'000 + index * 1000;
    return t;
}

}  // namespace

TEST(Recorder, MakesTimesRelativeToTheRunsStart) {
    auto recorder = Recorder::create({});
    recorder->runStarted(header());
    recorder->laneReady({});
    recorder->requestStarted(request(7));
    recorder->span(spanAt(2'500'000, 2'600'000));
    recorder->kv({2'400'000, 7, 0, trace::KvAction::Allocate, 1, 1, 64});
    recorder->prefillProgress(7, 3, 3);
    recorder->token(token(7, 0));
    auto done = request(7);
    done.tPrefillEndNs = 2'900'000;
    done.tEndNs = 4'000'000;
    done.finish = trace::FinishReason::EndOfText;
    recorder->requestFinished(done);
    recorder->runFinished(trace::RunStatus::Finished, "");
    recorder->flush();
    const auto run = recorder->snapshot();
    ASSERT_EQ(run->requests.size(), 1U);
    EXPECT_EQ(run->requests[0].record.tStartNs, 1'000'000);
    EXPECT_EQ(run->requests[0].record.tPrefillEndNs, 1'900'000);
    EXPECT_EQ(run->requests[0].record.tEndNs, 3'000'000);
    EXPECT_EQ(run->requests[0].prefillDone, 3);
    ASSERT_EQ(run->requests[0].tokens.size(), 1U);
    EXPECT_EQ(run->requests[0].tokens[0].tNs, 2'000'000);
    ASSERT_EQ(run->spans.size(), 1U);
    EXPECT_EQ(run->spans[0].tStartNs, 1'500'000);
    ASSERT_EQ(run->kvEvents.size(), 1U);
    EXPECT_EQ(run->kvEvents[0].tNs, 1'400'000);
    EXPECT_EQ(run->status, trace::RunStatus::Finished);
    EXPECT_EQ(run->droppedSpans, 0U);
    EXPECT_EQ(run->droppedEvents, 0U);
    EXPECT_GT(run->spanCostNs, 0.0);
}

TEST(Recorder, ASnapshotNeverChangesAndTheSameOneIsGivenWhenNothingHappened) {
    auto recorder = Recorder::create({});
    recorder->runStarted(header());
    recorder->requestStarted(request(0));
    recorder->token(token(0, 0));
    recorder->flush();
    const auto first = recorder->snapshot();
    EXPECT_EQ(first, recorder->snapshot());
    const auto revision = recorder->revision();
    recorder->token(token(0, 1));
    recorder->flush();
    EXPECT_GT(recorder->revision(), revision);
    const auto second = recorder->snapshot();
    EXPECT_EQ(first->requests[0].tokens.size(), 1U);
    EXPECT_EQ(second->requests[0].tokens.size(), 2U);
}

TEST(Recorder, CountsSpansThatTheRingCannotTake) {
    // Before the run starts nothing is drained, so the ring of 8 must overflow.
    RecorderSettings settings;
    settings.spanRingCapacity = 8;
    auto recorder = Recorder::create(settings);
    for (int i = 0; i < 11; ++i) recorder->span(spanAt(2'000'000 + i, 2'000'001 + i));
    recorder->runStarted(header());
    recorder->flush();
    const auto run = recorder->snapshot();
    EXPECT_EQ(run->spans.size(), 8U);
    EXPECT_EQ(run->droppedSpans, 3U);
    EXPECT_EQ(run->overheadNs, static_cast<std::uint64_t>(run->spanCostNs * 11));
}

TEST(Recorder, CountsSpansOverTheLimitOfARun) {
    RecorderSettings settings;
    settings.limits.spans = 5;
    auto recorder = Recorder::create(settings);
    recorder->runStarted(header());
    for (int i = 0; i < 9; ++i) recorder->span(spanAt(2'000'000 + i, 2'000'001 + i));
    recorder->flush();
    EXPECT_EQ(recorder->snapshot()->spans.size(), 5U);
    EXPECT_EQ(recorder->snapshot()->droppedSpans, 4U);
}

TEST(Recorder, CountsTokensOfRequestsThatNeverStarted) {
    auto recorder = Recorder::create({});
    recorder->runStarted(header());
    recorder->token(token(99, 0));
    recorder->flush();
    EXPECT_EQ(recorder->snapshot()->droppedEvents, 1U);
}

TEST(Recorder, KeepsARequestThatFailedBeforeItStarted) {
    auto recorder = Recorder::create({});
    recorder->runStarted(header());
    auto record = request(4);
    record.finish = trace::FinishReason::Error;
    record.error = "no memory";
    recorder->requestFinished(record);
    recorder->flush();
    ASSERT_EQ(recorder->snapshot()->requests.size(), 1U);
    EXPECT_EQ(recorder->snapshot()->requests[0].record.error, "no memory");
    EXPECT_EQ(recorder->snapshot()->requests[0].record.tStartNs, 1'000'000);
}

TEST(RunBuilder, PutsEnclosingSpansBeforeThoseInsideThem) {
    RunBuilder builder({}, 50.0);
    trace::RunHeader h = header();
    h.epochNs = 1;
    builder.apply(h);
    std::vector<trace::Span> expected;
    std::vector<trace::Span> batch;
    std::mt19937 random(1);
    for (int step = 0; step < 60; ++step) {
        const std::int64_t base = 1 + step * 100'000;
        for (int i = 0; i < 90; ++i) {
            batch.push_back(spanAt(base + i * 1000, base + i * 1000 + 900));
            if (random() % 40 == 0) builder.addSpans(batch), batch.clear();
        }
        batch.push_back(spanAt(base, base + 91'000, trace::Op::DecodeStep));
    }
    batch.push_back(spanAt(1, 60 * 100'000, trace::Op::Warmup));
    builder.addSpans(batch);
    const auto run = builder.snapshot();
    ASSERT_EQ(run->spans.size(), 60U * 91 + 1);
    EXPECT_EQ(run->spans[0].op, trace::Op::Warmup);
    EXPECT_EQ(run->spans[1].op, trace::Op::DecodeStep);
    EXPECT_TRUE(std::is_sorted(
        run->spans.begin(), run->spans.end(), [](const trace::Span& a, const trace::Span& b) {
            return a.tStartNs != b.tStartNs ? a.tStartNs < b.tStartNs : a.tEndNs > b.tEndNs;
        }));
}

TEST(Recorder, ReadersAndTheEngineThreadDoNotDisturbEachOther) {
    auto recorder = Recorder::create({});
    recorder->runStarted(header());
    recorder->requestStarted(request(0));
    constexpr int kTokens = 400;
    std::atomic<bool> stop{false};
    std::thread reader([&] {
        std::size_t seen = 0;
        while (!stop) {
            const auto run = recorder->snapshot();
            if (run->requests.empty()) continue;
            ASSERT_GE(run->requests[0].tokens.size(), seen);
            seen = run->requests[0].tokens.size();
            for (std::size_t i = 0; i < seen; ++i) {
                ASSERT_EQ(run->requests[0].tokens[i].index, static_cast<std::int32_t>(i));
            }
            std::int64_t last = 0;
            for (const auto& span : run->spans) {
                ASSERT_GE(span.tStartNs, last);
                last = span.tStartNs;
            }
        }
    });
    for (int i = 0; i < kTokens; ++i) {
        const std::int64_t base = 2'000'000 + i * 10'000;
        for (int s = 0; s < 50; ++s) recorder->span(spanAt(base + s * 10, base + s * 10 + 9));
        recorder->span(spanAt(base, base + 600, trace::Op::DecodeStep));
        recorder->token(token(0, i));
        if (i % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    recorder->flush();
    stop = true;
    reader.join();
    const auto run = recorder->snapshot();
    EXPECT_EQ(run->requests[0].tokens.size(), static_cast<std::size_t>(kTokens));
    EXPECT_EQ(run->spans.size() + run->droppedSpans, static_cast<std::size_t>(kTokens) * 51);
    EXPECT_EQ(run->droppedEvents, 0U);
}

TEST(Recorder, ASpanCostsTheEngineThreadLittle) {
    RecorderSettings settings;
    settings.spanRingCapacity = 1U << 20;
    settings.limits.spans = 1U << 21;
    auto recorder = Recorder::create(settings);
    recorder->runStarted(header());
    recorder->flush();
    constexpr int kSpans = 500'000;
    const trace::Span probe = spanAt(2'000'000, 2'000'100);
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
        const std::int64_t start = nowNs();
        for (int i = 0; i < kSpans; ++i) recorder->span(probe);
        best = std::min(best, static_cast<double>(nowNs() - start) / kSpans);
        recorder->flush();
    }
    const auto run = recorder->snapshot();
    const std::int64_t start = nowNs();
    for (int i = 0; i < 100; ++i) {
        recorder->span(probe);
        recorder->flush();
        (void)recorder->snapshot();
    }
    std::cout << "Sink::span " << best << " ns; with both clock reads (calibrated) "
              << run->spanCostNs << " ns; drain + snapshot with " << run->spans.size()
              << " spans held " << static_cast<double>(nowNs() - start) / 1e5 << " us\n";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(best, 100.0);
#endif
}

}  // namespace lanescope::profiler
