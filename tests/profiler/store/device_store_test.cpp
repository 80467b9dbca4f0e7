// Device timing on disk: stored, reopened, grown, refused when damaged; files from before it.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "profiler/store/codec.h"
#include "profiler/store/run_store.h"
#include "profiler/store/schema.h"
#include "tests/profiler/make_run.h"
#include "tests/profiler/same_run.h"
#include "tests/profiler/scratch_folder.h"

namespace lanescope::profiler {

using test::expectSame;

namespace {

RunData deviceRun(int nRepetitions = 2, int nTokens = 80) {
    RunData run = test::makeRun(nRepetitions, nTokens);
    test::addDeviceTiming(run);
    return run;
}

std::int64_t schemaOf(const std::string& path) {
    auto db = Database::open(path, Database::Mode::ReadOnly);
    EXPECT_TRUE(db);
    const auto version = db->queryInt("PRAGMA user_version");
    return version ? *version : -1;
}

void sql(const std::string& path, const std::string& statements) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
}

}  // namespace

TEST(DeviceStore, AReopenedRunHasEveryFieldOfItsDeviceTiming) {
    const test::ScratchFolder folder;
    RunData run = deviceRun();
    ASSERT_GT(run.deviceActivities.chunkCount(), 1U);
    auto& odd = run.deviceActivities.edit(3);
    odd.kind = DeviceActivityKind::Overhead;
    odd.tSpanNs = kUnknownNs;
    odd.name = odd.device = odd.context = odd.stream = -1;
    odd.bytes = odd.graphNode = UINT64_MAX;
    odd.correlation = UINT32_MAX;
    odd.grid = odd.block = {};
    odd.registersPerThread = odd.staticSharedBytes = odd.dynamicSharedBytes = 0;
    odd.occupancy = 0.0F;
    odd.op = odd.layer = odd.lane = -1;
    odd.request = odd.step = -1;
    run.deviceNames.push_back("");
    ASSERT_TRUE((*RunStore::open(folder.file("runs.db")))->save(run));
    const auto loaded = (*RunStore::open(folder.file("runs.db")))->load(run.header.id);
    ASSERT_TRUE(loaded) << loaded.error().toString();
    expectSame(run, **loaded);
}

TEST(DeviceStore, SavesWhatGrewAndChanged) {
    const test::ScratchFolder folder;
    const auto store = *RunStore::open(folder.file("runs.db"));
    RunData run = deviceRun();
    run.status = trace::RunStatus::Running;
    run.error.clear();
    ASSERT_TRUE(store->save(run));
    for (int i = 0; i < 1200; ++i) run.deviceActivities.push_back(run.deviceActivities.back());
    for (int i = 0; i < 100; ++i) run.deviceNames.push_back("more " + std::to_string(i));
    run.deviceSamples.push_back(run.deviceSamples[0]);
    run.deviceTiming.droppedRecords = 9;
    ASSERT_TRUE(store->save(run));
    expectSame(run, **store->load(run.header.id));
    run.deviceActivities.truncate(5);
    run.status = trace::RunStatus::Finished;
    ASSERT_TRUE(store->save(run));
    expectSame(run, **store->load(run.header.id));
    ASSERT_TRUE(store->exportRun(run.header.id, folder.file("one.lanescope")));
    const auto other = *RunStore::open(folder.file("other.db"));
    ASSERT_TRUE(other->importRun(folder.file("one.lanescope")));
    expectSame(run, **other->load(run.header.id));
}

// Runs from before device timing: nothing of them changes, and their file opens as it is.
TEST(DeviceStore, FilesOfTheFirstSchemaOpenAndBecomeTheSecondWhenWrittenTo) {
    const test::ScratchFolder folder;
    const std::string path = folder.file("runs.db");
    const RunData old = test::makeRun();
    ASSERT_TRUE((*RunStore::open(path))->save(old));
    sql(path, "PRAGMA user_version = 1");
    {
        const auto store = *RunStore::open(path);
        expectSame(old, **store->load(old.header.id));
    }
    EXPECT_EQ(schemaOf(path), 1) << "reading changes nothing";
    RunData run = deviceRun();
    run.header.id = "fedcba9876543210fedcba9876543210";
    const auto store = *RunStore::open(path);
    ASSERT_TRUE(store->save(run));
    EXPECT_EQ(schemaOf(path), kSchemaVersion);
    expectSame(old, **store->load(old.header.id));
    expectSame(run, **store->load(run.header.id));
}

TEST(DeviceStore, ARunWithoutDevicesHasTheFormOfTheFirstSchema) {
    const RunData run = test::makeRun();
    RunData with = run;
    with.deviceTiming.unavailable = "no NVIDIA driver";
    EXPECT_LT(codec::encodeHead(run).size() + 16, codec::encodeHead(with).size());
    const auto head = codec::decodeHead(codec::encodeHead(with));
    ASSERT_TRUE(head);
    EXPECT_EQ(head->run.deviceTiming.unavailable, "no NVIDIA driver");
}

TEST(DeviceStore, MissingPartsAreNoticed) {
    const test::ScratchFolder folder;
    const std::string path = folder.file("good.lanescope");
    const RunData run = deviceRun();
    {
        const auto store = *RunStore::open(folder.file("source.db"));
        ASSERT_TRUE(store->save(run));
        ASSERT_TRUE(store->exportRun(run.header.id, path));
    }
    for (const char* statement :
         {"DELETE FROM part WHERE kind = 4 AND idx = 0", "DELETE FROM part WHERE kind = 5",
          "DELETE FROM part WHERE kind = 6", "UPDATE part SET kind = 7 WHERE kind = 4"}) {
        const std::string copy = folder.file("copy");
        test::writeAll(copy, test::readAll(path));
        sql(copy, statement);
        const auto loaded = (*RunStore::open(copy))->load(run.header.id);
        ASSERT_FALSE(loaded) << statement;
        EXPECT_NE(loaded.error().message.find("is damaged"), std::string::npos);
    }
    RunData nameless = run;
    nameless.deviceNames.truncate(1);
    const auto store = *RunStore::open(folder.file("source.db"));
    ASSERT_TRUE(store->save(nameless));
    const auto loaded = store->load(run.header.id);
    ASSERT_FALSE(loaded) << "a name that is not in the table";
    EXPECT_NE(loaded.error().message.find("name 1 of 1"), std::string::npos);
}

TEST(DeviceCodec, RefusesEveryCutAndEveryFlippedBitOfABlob) {
    const RunData run = deviceRun(1, 3);
    for (const std::string& blob : {codec::encodeDeviceActivities(run.deviceActivities, 0),
                                    codec::encodeDeviceNames(run.deviceNames, 0),
                                    codec::encodeDeviceSamples(run.deviceSamples, 0)}) {
        for (std::size_t n = 0; n < blob.size(); ++n) {
            std::string flipped = blob;
            flipped[n] = static_cast<char>(flipped[n] ^ (1 << (n % 8)));
            for (const std::string& bad : {blob.substr(0, n), flipped}) {
                DeviceActivityList activities;
                DeviceNameList names;
                DeviceSampleList samples;
                EXPECT_FALSE(codec::decodeDeviceActivities(bad, activities)) << n;
                EXPECT_FALSE(codec::decodeDeviceNames(bad, names)) << n;
                EXPECT_FALSE(codec::decodeDeviceSamples(bad, samples)) << n;
            }
        }
    }
}

TEST(DeviceCodec, ChecksEnumsAndRanges) {
    const RunData run = deviceRun(1, 1);
    auto refused = [&run](auto&& change) {
        DeviceActivityList list = run.deviceActivities;
        change(list.edit(0));
        DeviceActivityList back;
        return !codec::decodeDeviceActivities(codec::encodeDeviceActivities(list, 0), back);
    };
    EXPECT_FALSE(refused([](DeviceActivity&) {}));
    EXPECT_TRUE(refused([](DeviceActivity& a) { a.kind = static_cast<DeviceActivityKind>(5); }));
    EXPECT_TRUE(refused([](DeviceActivity& a) { a.op = trace::kOpCount; }));
    EXPECT_TRUE(refused([](DeviceActivity& a) { a.lane = 1024; }));
    EXPECT_TRUE(refused([](DeviceActivity& a) { a.layer = -2; }));
    EXPECT_TRUE(refused([](DeviceActivity& a) { a.name = -2; }));
    EXPECT_TRUE(refused([](DeviceActivity& a) { a.tEndNs = INT64_MAX; }));
    EXPECT_TRUE(refused([](DeviceActivity& a) { a.occupancy = 1.5F; }));
    EXPECT_TRUE(refused([](DeviceActivity& a) { a.grid[1] = -1; }));
}

TEST(DeviceCodec, AnActivityTakesFewBytes) {
    const RunData run = deviceRun(4, 100);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < run.deviceActivities.chunkCount(); ++i) {
        bytes += codec::encodeDeviceActivities(run.deviceActivities, i).size();
    }
    EXPECT_LT(bytes, run.deviceActivities.size() * sizeof(DeviceActivity) / 2);
}

}  // namespace lanescope::profiler
