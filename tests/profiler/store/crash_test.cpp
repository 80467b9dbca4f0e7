// What is on disk after the writer was killed, and what a full disk does.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "engine/base/clock.h"
#include "profiler/collect/recorder.h"
#include "tests/profiler/make_run.h"
#include "tests/profiler/same_run.h"
#include "tests/profiler/scratch_folder.h"

namespace lanescope::profiler {

namespace {

using std::chrono::milliseconds;

/// Records for ever: one token and 20 spans a millisecond. Writes to `progress` after each token.
[[noreturn]] void recordUntilKilled(const std::string& path, int progress) {
    auto store = RunStore::open(path);
    if (!store) ::_exit(9);
    RecorderSettings settings;
    settings.store = *store;
    settings.saveIntervalMs = 50;
    auto recorder = Recorder::create(settings);
    trace::RunHeader header;
    header.id = "feedfacefeedfacefeedfacefeedface";
    header.epochNs = nowNs();
    recorder->runStarted(header);
    recorder->laneReady(test::makeLane(0));
    trace::RequestRecord request;
    request.tStartNs = nowNs();
    recorder->requestStarted(request);
    for (int i = 0;; ++i) {
        trace::Span span;
        span.lane = 0;
        span.request = 0;
        span.step = i;
        for (int s = 0; s < 20; ++s) {
            span.tStartNs = nowNs();
            span.tEndNs = nowNs();
            recorder->span(span);
        }
        DeviceActivityBatch batch;
        batch.names = {"kernel " + std::to_string(i % 100)};
        DeviceActivity kernel;
        kernel.tStartNs = kernel.tEndNs = nowNs();
        kernel.name = 0;
        batch.activities = {kernel, kernel};
        recorder->deviceActivities(std::move(batch));
        trace::TokenRecord token;
        token.index = i;
        token.tNs = nowNs();
        recorder->token(token);
        const char byte = 1;
        if (::write(progress, &byte, 1) != 1) ::_exit(9);
        std::this_thread::sleep_for(milliseconds(1));
    }
}

}  // namespace

TEST(Crash, AKilledWriterLosesAtMostTheLastSecond) {
    const test::ScratchFolder folder;
    const std::string path = folder.file("runs.db");
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) recordUntilKilled(path, pipe[1]);
    ::close(pipe[1]);
    auto waitTokens = [&](int n) {
        char byte = 0;
        for (int i = 0; i < n; ++i) ASSERT_EQ(::read(pipe[0], &byte, 1), 1);
    };
    waitTokens(500);
    // While it lives it is seen as running, from outside and already with its data.
    for (int i = 0; i < 100; ++i) {
        const auto store = RunStore::open(path);
        if (store && !(*store)->list()->empty()) break;
        std::this_thread::sleep_for(milliseconds(20));
    }
    {
        const auto store = RunStore::open(path);
        ASSERT_TRUE(store) << store.error().toString();
        ASSERT_EQ((*store)->list()->size(), 1U);
        EXPECT_EQ((*store)->list()->front().status, trace::RunStatus::Running);
        EXPECT_FALSE((*store)->exportRun("feed", folder.file("x"))) << "not while it goes on";
    }
    waitTokens(500);
    const std::int64_t killedAt = nowNs();
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ::close(pipe[0]);

    const auto store = RunStore::open(path);
    ASSERT_TRUE(store) << store.error().toString();
    ASSERT_EQ((*store)->list()->size(), 1U);
    EXPECT_EQ((*store)->list()->front().status, trace::RunStatus::Interrupted);
    const auto run = (*store)->load("feed");
    ASSERT_TRUE(run) << run.error().toString();
    EXPECT_EQ((*run)->status, trace::RunStatus::Interrupted);
    EXPECT_FALSE((*run)->error.empty());
    ASSERT_EQ((*run)->requests.size(), 1U);
    const auto& tokens = (*run)->requests[0].tokens;
    ASSERT_GT(tokens.size(), 300U);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        ASSERT_EQ(tokens[i].index, static_cast<std::int32_t>(i));
    }
    const std::int64_t lost = killedAt - (*run)->header.epochNs - tokens.back().tNs;
    EXPECT_LT(lost, 1'000'000'000) << "ns between the last token stored and the kill";
    EXPECT_GE((*run)->spans.size(), tokens.size() * 19);
    EXPECT_GE((*run)->deviceActivities.size(), tokens.size() * 2 - 2);
    EXPECT_EQ((*run)->deviceNames.size(), 100U);
}

TEST(Crash, AFullDiskIsReportedAndTheRunStaysWholeInMemory) {
    const test::ScratchFolder folder;
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{200'000, 200'000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        auto store = RunStore::open(folder.file("runs.db"));
        if (!store) ::_exit(2);
        RunData small = test::makeRun(1, 2);
        small.header.id = "11111111111111111111111111111111";
        if (!(*store)->save(small)) ::_exit(3);
        RecorderSettings settings;
        settings.store = *store;
        auto recorder = Recorder::create(settings);
        recorder->runStarted(test::makeRun().header);
        for (int i = 0; i < 60'000; ++i) {
            trace::Span span;
            span.tStartNs = 1'000'000'000 + i * 9'999'991LL;
            span.tEndNs = span.tStartNs + i * 7'777;
            span.bytes = static_cast<std::uint64_t>(i) * 1'234'567;
            recorder->span(span);
        }
        recorder->flush();
        if (recorder->storeError().empty()) ::_exit(4);
        if (recorder->snapshot()->spans.size() != 60'000) ::_exit(5);
        std::fprintf(stderr, "full disk: %s\n", recorder->storeError().c_str());
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    // What was stored before is still there and readable.
    const auto store = RunStore::open(folder.file("runs.db"));
    ASSERT_TRUE(store) << store.error().toString();
    const auto run = (*store)->load("1111");
    ASSERT_TRUE(run) << run.error().toString();
    RunData small = test::makeRun(1, 2);
    small.header.id = "11111111111111111111111111111111";
    test::expectSame(small, **run);
}

TEST(Crash, ARecordedRunReopensAsItWas) {
    const test::ScratchFolder folder;
    auto store = RunStore::open(folder.file("runs.db"));
    ASSERT_TRUE(store);
    RecorderSettings settings;
    settings.store = *store;
    settings.saveIntervalMs = 10;
    auto recorder = Recorder::create(settings);
    const RunData model = test::makeRun(2, 90);
    recorder->runStarted(model.header);
    for (const auto& lane : model.lanes) recorder->laneReady(lane);
    for (const auto& request : model.requests) {
        trace::RequestRecord started = request.record;
        started.finish = trace::FinishReason::None;
        recorder->requestStarted(started);
        for (const auto& token : request.tokens) {
            recorder->token(token);
            if (token.index % 30 == 0) std::this_thread::sleep_for(milliseconds(5));
        }
        recorder->requestFinished(request.record);
    }
    for (const auto& span : model.spans) recorder->span(span);
    recorder->runFinished(trace::RunStatus::Finished, "");
    recorder->flush();
    EXPECT_EQ(recorder->storeError(), "");
    const auto live = recorder->snapshot();
    EXPECT_EQ(live->status, trace::RunStatus::Finished);
    EXPECT_EQ(live->spans.size(), model.spans.size());
    const auto loaded = (*store)->load(model.header.id);
    ASSERT_TRUE(loaded) << loaded.error().toString();
    test::expectSame(*live, **loaded);
}

}  // namespace lanescope::profiler
