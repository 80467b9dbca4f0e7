// Activity records from buffers put together by hand: all kinds, cut at every byte, unknown kinds,
// impossible times; and the same buffers through CUPTI's own step function where it is installed.

#include "profiler/collect/cupti_records.h"

#include <gtest/gtest.h>

#include "profiler/collect/cupti_library.h"
#include "tests/profiler/collect/cupti_buffer.h"

namespace lanescope::profiler {

using cupti::Kind;
using cupti::parseRecords;
using test::CuptiBuffer;

namespace {

/// One of each kind that is read, and of each that is stepped over.
CuptiBuffer allKinds() {
    cupti::MemsetRecord set{};
    set.kind = static_cast<std::uint32_t>(Kind::Memset);
    set.bytes = 64;
    set.start = 500;
    set.end = 510;
    set.stream = UINT32_MAX;
    cupti::GraphTraceRecord graph{};
    graph.kind = static_cast<std::uint32_t>(Kind::GraphTrace);
    graph.start = 600;
    graph.end = 900;
    graph.correlation = 33;
    graph.stream = 7;
    CuptiBuffer buffer;
    buffer.add(test::deviceRecord())
        .addEmpty(static_cast<std::uint32_t>(Kind::Context), cupti::kContextRecordBytes)
        .addEmpty(static_cast<std::uint32_t>(Kind::Stream), cupti::kStreamRecordBytes)
        .addEmpty(static_cast<std::uint32_t>(Kind::Name), cupti::kNameRecordBytes)
        .addEmpty(static_cast<std::uint32_t>(Kind::Marker), cupti::kMarkerRecordBytes)
        .add(test::externalRecord(31, 5))
        .add(test::externalRecord(31, 99, 2))  // OpenACC's
        .addEmpty(static_cast<std::uint32_t>(Kind::Runtime), cupti::kApiRecordBytes)
        .addEmpty(static_cast<std::uint32_t>(Kind::Driver), cupti::kApiRecordBytes)
        .add(test::kernelRecord(100, 200, 31))
        .add(test::memcpyRecord(300, 400, 32, 8))
        .add(set)
        .add(test::overheadRecord(550, 560))
        .add(graph);
    return buffer;
}

std::shared_ptr<cupti::Library> installedCupti() {
    auto library = cupti::Library::open();
    return library ? *library : nullptr;
}

}  // namespace

TEST(CuptiRecords, AreReadWithAllTheirFields) {
    const auto parsed = parseRecords(allKinds().bytes());
    EXPECT_EQ(parsed.counts.records, 14U);
    EXPECT_EQ(parsed.counts.bad(), 0U);
    ASSERT_EQ(parsed.activities.size(), 5U);
    const auto& kernel = parsed.activities[0];
    EXPECT_EQ(kernel.activity.kind, DeviceActivityKind::Kernel);
    EXPECT_EQ(kernel.activity.tStartNs, 100);
    EXPECT_EQ(kernel.activity.tEndNs, 200);
    EXPECT_EQ(kernel.activity.correlation, 31U);
    EXPECT_EQ(kernel.activity.device, 0);
    EXPECT_EQ(kernel.activity.context, 1);
    EXPECT_EQ(kernel.activity.stream, 7);
    EXPECT_EQ(kernel.activity.grid, (std::array<std::int32_t, 3>{132, 1, 1}));
    EXPECT_EQ(kernel.activity.block, (std::array<std::int32_t, 3>{256, 1, 1}));
    EXPECT_EQ(kernel.activity.registersPerThread, 64);
    EXPECT_EQ(kernel.activity.staticSharedBytes, 1024);
    EXPECT_EQ(kernel.activity.dynamicSharedBytes, 32768);
    EXPECT_STREQ(kernel.kernelName, "_Z10gemmKernelIfEvPT_");
    const auto& copy = parsed.activities[1];
    EXPECT_EQ(copy.activity.kind, DeviceActivityKind::Memcpy);
    EXPECT_EQ(copy.activity.bytes, 4096U);
    EXPECT_STREQ(copy.fixedName, "Memcpy DtoD");
    EXPECT_EQ(parsed.activities[2].activity.kind, DeviceActivityKind::Memset);
    EXPECT_EQ(parsed.activities[2].activity.stream, -1) << "all bits set means none";
    EXPECT_EQ(parsed.activities[3].activity.kind, DeviceActivityKind::Overhead);
    EXPECT_STREQ(parsed.activities[3].fixedName, "buffer flush");
    EXPECT_EQ(parsed.activities[4].activity.kind, DeviceActivityKind::Graph);
    ASSERT_EQ(parsed.externalIds.size(), 1U) << "another library's are left alone";
    EXPECT_EQ(parsed.externalIds[0].correlation, 31U);
    EXPECT_EQ(parsed.externalIds[0].external, 5U);
    ASSERT_EQ(parsed.devices.size(), 1U);
    EXPECT_EQ(parsed.devices[0].facts.nSms, 132);
    EXPECT_EQ(parsed.devices[0].facts.computeMajor, 9);
    EXPECT_STREQ(parsed.devices[0].name, "NVIDIA H100");
}

TEST(CuptiRecords, CutAnywhereLoseOnlyTheCutOne) {
    const CuptiBuffer buffer = allKinds();
    const auto whole = parseRecords(buffer.bytes());
    std::uint64_t last = 0;
    for (std::size_t n = 0; n < buffer.bytes().size(); ++n) {
        const auto parsed = parseRecords(buffer.first(n));
        EXPECT_LE(parsed.counts.truncated, 1U);
        EXPECT_GE(parsed.counts.records, last);
        last = parsed.counts.records;
        EXPECT_EQ(parsed.counts.unknown, 0U);
        for (std::size_t i = 0; i < parsed.activities.size(); ++i) {
            EXPECT_EQ(parsed.activities[i].activity.tStartNs,
                      whole.activities[i].activity.tStartNs);
        }
    }
    EXPECT_EQ(parseRecords({}).counts.truncated, 0U);
}

TEST(CuptiRecords, AnUnknownKindEndsTheWalkAndIsCounted) {
    CuptiBuffer buffer;
    buffer.add(test::kernelRecord(100, 200, 1))
        .addEmpty(4711, 48)
        .add(test::kernelRecord(300, 400, 2));
    const auto parsed = parseRecords(buffer.bytes());
    EXPECT_EQ(parsed.activities.size(), 1U);
    EXPECT_EQ(parsed.counts.unknown, 1U);
    EXPECT_EQ(parsed.counts.bytesSkipped, 48 + sizeof(cupti::KernelRecord));
    CuptiBuffer zero;
    zero.addEmpty(0, 8);
    EXPECT_EQ(parseRecords(zero.bytes()).counts.unknown, 1U);
}

TEST(CuptiRecords, WithoutATimeOrEndingBeforeTheirStartAreCountedAndLeftOut) {
    CuptiBuffer buffer;
    buffer.add(test::kernelRecord(0, 0, 1))
        .add(test::kernelRecord(200, 100, 2))
        .add(test::kernelRecord(100, UINT64_MAX, 3))
        .add(test::kernelRecord(100, 100, 4));
    const auto parsed = parseRecords(buffer.bytes());
    EXPECT_EQ(parsed.counts.badTimes, 3U);
    ASSERT_EQ(parsed.activities.size(), 1U);
    EXPECT_EQ(parsed.activities[0].activity.correlation, 4U);
}

TEST(CuptiRecords, OutOfOrderAreKeptAndCounted) {
    CuptiBuffer buffer;
    buffer.add(test::kernelRecord(500, 600, 1))
        .add(test::memcpyRecord(100, 200, 2))
        .add(test::kernelRecord(700, 800, 3));
    const auto parsed = parseRecords(buffer.bytes());
    EXPECT_EQ(parsed.activities.size(), 3U);
    EXPECT_EQ(parsed.counts.outOfOrder, 1U);
    EXPECT_EQ(parsed.counts.bad(), 0U);
}

TEST(CuptiRecords, ImpossibleSizesAreClampedToWhatARunStores) {
    auto record = test::kernelRecord(1, 2, 1);
    record.grid[1] = -5;
    record.dynamicShared = INT32_MIN;
    record.device = UINT32_MAX;
    const auto parsed = parseRecords(CuptiBuffer().add(record).bytes());
    EXPECT_EQ(parsed.activities[0].activity.grid[1], 0);
    EXPECT_EQ(parsed.activities[0].activity.dynamicSharedBytes, 0);
    EXPECT_EQ(parsed.activities[0].activity.device, -1);
}

TEST(CuptiRecords, AStepFunctionThatMisbehavesIsCaught) {
    const CuptiBuffer buffer = allKinds();
    auto* begin = const_cast<std::uint8_t*>(buffer.bytes().data());
    // Success without a record, the same record for ever, a record behind the end, an error.
    EXPECT_EQ(parseRecords(buffer.bytes(), [](auto*, auto, void**) { return 0; }).counts.bad(), 1U);
    const auto stuck = parseRecords(buffer.bytes(), [begin](auto*, auto, void** r) {
        *r = begin;
        return 0;
    });
    EXPECT_EQ(stuck.counts.records, 1U);
    EXPECT_EQ(stuck.counts.truncated, 1U);
    const auto outside = parseRecords(buffer.bytes(), [begin](auto*, std::size_t size, void** r) {
        *r = begin + size - 2;
        return 0;
    });
    EXPECT_EQ(outside.counts.truncated, 1U);
    EXPECT_EQ(parseRecords(buffer.bytes(), [](auto*, auto, void**) { return 21; }).counts.unknown,
              1U);
}

// CUPTI's own walk needs no driver; both must find the same.
TEST(CuptiRecords, AgreeWithCuptisOwnWalk) {
    const auto library = installedCupti();
    if (library == nullptr) GTEST_SKIP() << "no CUPTI here";
    const CuptiBuffer buffer = allKinds();
    const auto ours = parseRecords(buffer.bytes());
    const auto theirs = parseRecords(buffer.bytes(), library->api().nextRecord);
    EXPECT_EQ(theirs.counts.records, ours.counts.records);
    EXPECT_EQ(theirs.counts.bad(), 0U);
    EXPECT_EQ(theirs.activities.size(), ours.activities.size());
    EXPECT_EQ(theirs.externalIds.size(), ours.externalIds.size());
    for (std::size_t n = 0; n <= buffer.bytes().size(); n += 8) {
        const auto a = parseRecords(buffer.first(n));
        const auto b = parseRecords(buffer.first(n), library->api().nextRecord);
        EXPECT_EQ(a.counts.records, b.counts.records) << n;
    }
    CuptiBuffer unknown;
    unknown.add(test::kernelRecord(1, 2, 1)).addEmpty(4711, 48);
    EXPECT_EQ(parseRecords(unknown.bytes(), library->api().nextRecord).counts.unknown, 1U);
}

}  // namespace lanescope::profiler
