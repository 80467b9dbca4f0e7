#include "profiler/store/run_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "profiler/analyse/roofline.h"
#include "tests/profiler/make_run.h"
#include "tests/profiler/same_run.h"
#include "tests/profiler/scratch_folder.h"

namespace lanescope::profiler {

using test::expectSame;
using test::makeRun;

namespace {

std::shared_ptr<RunStore> openAt(const std::string& path) {
    auto store = RunStore::open(path);
    EXPECT_TRUE(store) << store.error().toString();
    return store ? *store : nullptr;
}

/// A run with everything odd in it.
RunData oddRun() {
    RunData run = makeRun(2, 150);  // tokens over more than one chunk
    run.header.name = "odd \xF0\x9F\xA6\x99 \"name\" \xFF\xFE";
    run.error = std::string("a\0b", 3);
    auto& request = run.requests.edit(1);
    request.record.finish = trace::FinishReason::Cancelled;
    request.record.warmup = true;
    request.record.promptTokens = {-1, 0, std::numeric_limits<std::int32_t>::max()};
    auto& token = request.tokens.edit(100);
    token.logProbability = -std::numeric_limits<float>::infinity();
    token.entropy = std::nanf("7");
    token.kvBytes = UINT64_MAX;
    token.top.clear();
    for (int i = 0; i < 3000; ++i) {
        trace::Span span;
        span.tStartNs = 1'000'000'000LL * i;
        span.tEndNs = span.tStartNs + 77;
        span.bytes = UINT64_MAX - static_cast<std::uint64_t>(i);
        span.op = static_cast<trace::Op>(i % trace::kOpCount);
        span.layer = static_cast<std::int16_t>(i % 30);
        run.spans.push_back(span);
    }
    return run;
}

}  // namespace

TEST(RunStore, AReopenedRunEqualsTheSavedSnapshotFieldByField) {
    const test::ScratchFolder folder;
    const RunData run = oddRun();
    {
        const auto store = openAt(folder.file("runs.db"));
        ASSERT_TRUE(store->save(run));
    }
    const auto store = openAt(folder.file("runs.db"));
    const auto loaded = store->load(run.header.id);
    ASSERT_TRUE(loaded) << loaded.error().toString();
    expectSame(run, **loaded);
}

// A run says what its machine could do at most; runs from before roofs were stored still open.
TEST(RunStore, TheRoofStaysWithTheRunAndOldRunsHaveNone) {
    const test::ScratchFolder folder;
    RunData old = makeRun();
    RunData run = makeRun();
    run.header.id = "fedcba9876543210fedcba9876543210";
    run.header.machineJson =
        R"({"cpu":"Example CPU","roofs":[{"threads":2,"isa":"avx2","readGBps":24.125,)"
        R"("int8Gops":480.5,"fp32Gflops":120.25}]})";
    run.lanes[0].settingsJson = R"({"threads":2,"int8":["qkv","head"]})";
    {
        const auto store = openAt(folder.file("runs.db"));
        ASSERT_TRUE(store->save(old));
        ASSERT_TRUE(store->save(run));
    }
    const auto store = openAt(folder.file("runs.db"));
    const auto with = store->load(run.header.id);
    ASSERT_TRUE(with) << with.error().toString();
    expectSame(run, **with);
    const LaneRoof lane = laneRoof(**with, 0);
    EXPECT_EQ(lane.roof, (Roof{2, "avx2", 24.125, 480.5, 120.25}));
    EXPECT_EQ(lane.peakOf(trace::Op::Head), Peak::Int8);
    const auto without = store->load(old.header.id);
    ASSERT_TRUE(without) << without.error().toString();
    EXPECT_FALSE(laneRoof(**without, 0).roof.known());
}

TEST(RunStore, SavesWhatGrewChangedAndShrank) {
    const test::ScratchFolder folder;
    const auto store = openAt(folder.file("runs.db"));
    RunData run = makeRun(1, 70);
    run.status = trace::RunStatus::Running;
    run.error.clear();
    ASSERT_TRUE(store->save(run));
    expectSame(run, **store->load(run.header.id));

    auto request = run.requests[1];
    for (int i = 0; i < 100; ++i) request.tokens.push_back(request.tokens[0]);
    run.requests.replace(1, request);
    run.requests.push_back(request);
    for (int i = 0; i < 2000; ++i) run.spans.push_back(run.spans[0]);
    ASSERT_TRUE(store->save(run));
    expectSame(run, **store->load(run.header.id));

    run.spans.truncate(5);
    run.requests.truncate(2);
    request.tokens.truncate(3);
    run.requests.replace(1, request);
    run.kvEvents.clear();
    run.status = trace::RunStatus::Finished;
    ASSERT_TRUE(store->save(run));
    expectSame(run, **store->load(run.header.id));

    // Another program, which has not seen the earlier saves, brings it up to date as well.
    run.spans.truncate(2);
    ASSERT_TRUE(openAt(folder.file("runs.db"))->save(run));
    expectSame(run, **store->load(run.header.id));
}

TEST(RunStore, ListsNewestFirstAndFindsByPrefix) {
    const test::ScratchFolder folder;
    const auto store = openAt(folder.file("runs.db"));
    RunData run = makeRun();
    ASSERT_TRUE(store->save(run));
    run.header.id = "01ffffffffffffffffffffffffffffff";
    run.header.startedUnixMs += 1000;
    run.header.name = "second";
    ASSERT_TRUE(store->save(run));
    const auto all = store->list();
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), 2U);
    EXPECT_EQ((*all)[0].name, "second");
    EXPECT_EQ((*all)[0].nLanes, 2);
    EXPECT_EQ((*all)[0].nRequests, 4);
    EXPECT_EQ((*all)[0].lanes, "A tiny | B tiny");
    EXPECT_EQ((*all)[0].status, trace::RunStatus::Finished);
    EXPECT_EQ((*store->load("01f"))->header.name, "second");
    const auto ambiguous = store->load("01");
    ASSERT_FALSE(ambiguous);
    EXPECT_NE(ambiguous.error().message.find("more than one"), std::string::npos);
    EXPECT_EQ(store->load("zz").error().code, ErrorCode::Usage);
    EXPECT_FALSE(store->load("%")) << "a prefix is not a pattern";
}

TEST(RunStore, RenamesAndRemoves) {
    const test::ScratchFolder folder;
    const auto store = openAt(folder.file("runs.db"));
    RunData run = makeRun();
    ASSERT_TRUE(store->save(run));
    ASSERT_TRUE(store->rename(run.header.id, "better name"));
    ASSERT_TRUE(store->save(run)) << "saving again keeps the given name";
    EXPECT_EQ((*store->load(run.header.id))->header.name, "better name");
    ASSERT_TRUE(store->remove(run.header.id));
    EXPECT_TRUE(store->list()->empty());
    EXPECT_FALSE(store->remove(run.header.id));
    EXPECT_FALSE(store->rename("nope", "x"));
    ASSERT_TRUE(store->save(run)) << "a removed run can be stored again";
    EXPECT_EQ(store->list()->size(), 1U);
}

TEST(RunStore, TwoProgramsUseOneHistory) {
    const test::ScratchFolder folder;
    const auto one = openAt(folder.file("runs.db"));
    const auto two = openAt(folder.file("runs.db"));
    RunData run = makeRun();
    run.status = trace::RunStatus::Running;
    ASSERT_TRUE(one->save(run));
    ASSERT_EQ(two->list()->size(), 1U);
    EXPECT_EQ((*two->list())[0].status, trace::RunStatus::Running);
    ASSERT_TRUE(two->remove(run.header.id));
    run.spans.push_back({});
    ASSERT_TRUE(one->save(run)) << "removed elsewhere while it runs: stored whole again";
    expectSame(run, **two->load(run.header.id));
}

TEST(RunStore, ExportsOneRunAsAFileAndReadsItBack) {
    const test::ScratchFolder folder;
    const auto store = openAt(folder.file("runs.db"));
    const RunData run = oddRun();
    ASSERT_TRUE(store->save(run));
    const std::string path = folder.file("one.lanescope");
    const auto exported = store->exportRun(run.header.id, path);
    ASSERT_TRUE(exported) << exported.error().toString();
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
    ASSERT_TRUE(store->exportRun(run.header.id, path)) << "replaces an older export";

    const auto other = openAt(folder.file("other.db"));
    const std::string before = test::readAll(path);
    const auto id = other->importRun(path);
    ASSERT_TRUE(id) << id.error().toString();
    EXPECT_EQ(*id, run.header.id);
    expectSame(run, **other->load(*id));
    EXPECT_TRUE(other->importRun(path)) << "once more changes nothing";
    EXPECT_EQ(other->list()->size(), 1U);
    EXPECT_EQ(test::readAll(path), before) << "reading leaves the file as it is";

    expectSame(run, **openAt(path)->load(run.header.id));
    EXPECT_FALSE(std::filesystem::exists(path + "-wal")) << "opening it makes no companions";
    EXPECT_FALSE(store->exportRun(run.header.id, folder.file("runs.db")));
    EXPECT_FALSE(store->exportRun(run.header.id, folder.path())) << "a folder is in the way";
    EXPECT_FALSE(store->exportRun(run.header.id, folder.file("no/such/folder.lanescope")));
    EXPECT_FALSE(other->importRun(folder.file("missing.lanescope")));
}

TEST(RunStore, StoresOnlyWhatIsNewWhileARunGrows) {
    const test::ScratchFolder folder;
    const auto store = openAt(folder.file("runs.db"));
    RunData run = makeRun(1, 4);
    run.status = trace::RunStatus::Running;
    for (int i = 0; i < 200'000; ++i) run.spans.push_back(run.spans[0]);
    ASSERT_TRUE(store->save(run));
    const auto size = [&] { return std::filesystem::file_size(folder.file("runs.db-wal")); };
    const auto before = size();
    for (int i = 0; i < 10; ++i) {
        run.spans.push_back(run.spans[0]);
        ASSERT_TRUE(store->save(run));
    }
    EXPECT_LT(size() - before, before / 2) << "ten small saves cost less than half of the big one";
}

}  // namespace lanescope::profiler
