// Device timing in the files of a run.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "profiler/analyse/device_links.h"
#include "profiler/export/export.h"
#include "tests/profiler/export/csv_reader.h"
#include "tests/profiler/make_run.h"
#include "tests/profiler/scratch_folder.h"

namespace lanescope::profiler {

using test::cellAt;
using test::readCsv;

namespace {

RunData deviceRun() {
    RunData run = test::makeRun(1, 3);
    test::addDeviceTiming(run);
    return run;
}

}  // namespace

TEST(DeviceLinks, FindTheSpanThatLaunched) {
    RunData run = deviceRun();
    run.deviceActivities.edit(0).graphNode = 5;  // labelled when captured, under another span
    run.deviceActivities.edit(0).op = static_cast<std::int16_t>(trace::Op::Down);
    run.deviceActivities.edit(1).tSpanNs += 1;  // no such span
    const auto spans = launchingSpans(run);
    ASSERT_EQ(spans.size(), run.deviceActivities.size());
    std::size_t found = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const auto& a = run.deviceActivities[i];
        if (spans[i] < 0) {
            EXPECT_EQ(a.kind, DeviceActivityKind::Memcpy) << i;
            continue;
        }
        ++found;
        const auto& span = run.spans[static_cast<std::size_t>(spans[i])];
        EXPECT_EQ(span.tStartNs, i == 1 ? a.tSpanNs - 1 : a.tSpanNs);
        EXPECT_TRUE(i == 0 || static_cast<std::int16_t>(span.op) == a.op) << i;
    }
    EXPECT_EQ(found, 24U);
}

TEST(DeviceLinks, SpansByTheDevicesClockAreFoundByLabelAndPlace) {
    // A step as the backend of a GPU records it: two norms in a layer, kernels a little beside
    // them, and the launch of the whole before them.
    RunData run;
    const auto span = [&run](std::int64_t start, std::int64_t end, trace::Op op, int layer) {
        trace::Span s;
        s.tStartNs = start;
        s.tEndNs = end;
        s.op = op;
        s.layer = static_cast<std::int16_t>(layer);
        s.lane = 0;
        s.request = 3;
        s.step = 5;
        run.spans.push_back(s);
    };
    span(1'000, 90'000, trace::Op::DecodeStep, -1);
    span(20'000, 30'000, trace::Op::Norm, 0);
    span(30'000, 50'000, trace::Op::Qkv, 0);
    span(50'000, 60'000, trace::Op::Norm, 0);
    const auto activity = [&run](std::int64_t start, std::int64_t end, trace::Op op, int layer) {
        DeviceActivity a;
        a.tStartNs = start;
        a.tEndNs = end;
        a.tSpanNs = 2'000;
        a.op = static_cast<std::int16_t>(op);
        a.layer = static_cast<std::int16_t>(layer);
        a.lane = 0;
        a.request = 3;
        a.step = 5;
        a.graphNode = 11;
        run.deviceActivities.push_back(a);
    };
    activity(10'000, 12'000, trace::Op::DecodeStep, -1);
    activity(21'500, 31'500, trace::Op::Norm, 0);
    activity(31'500, 40'000, trace::Op::Qkv, 0);
    activity(40'500, 51'500, trace::Op::Qkv, 0);
    activity(51'500, 61'500, trace::Op::Norm, 0);
    activity(62'000, 63'000, trace::Op::Down, 0);  // no such span
    EXPECT_EQ(launchingSpans(run), (std::vector<std::int64_t>{0, 1, 2, 2, 3, -1}));
    EXPECT_EQ(launchedBy(run, 2, 10), (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(launchedBy(run, 3, 10), (std::vector<std::int64_t>{4}));
    EXPECT_EQ(launchedBy(run, 0, 10).size(), 6U) << "a step has all of its kernels";
    EXPECT_EQ(launchedBy(run, 0, 2).size(), 2U);
}

TEST(DeviceTrace, HasTracksForStreamsAndArrowsFromEngineSpans) {
    const RunData run = deviceRun();
    const auto json = nlohmann::json::parse(exportTrace(run));
    std::map<std::string, int> threads;
    std::set<std::size_t> from, to;
    std::size_t kernels = 0, copies = 0, counters = 0;
    std::map<int, double> lastEnd;
    for (const auto& e : json["traceEvents"]) {
        ASSERT_TRUE(e["args"].is_object());
        if (e["ph"] == "s") from.insert(e["id"].get<std::size_t>());
        if (e["ph"] == "f") to.insert(e["id"].get<std::size_t>());
        if (e["pid"] != 2001) continue;
        if (e["name"] == "thread_name") threads[e["args"]["name"]] = e["tid"];
        if (e["ph"] == "C") ++counters;
        if (e["ph"] != "X") continue;
        kernels += e["cat"] == "kernel" ? 1 : 0;
        copies += e["cat"] == "memcpy" ? 1 : 0;
        EXPECT_GE(e["ts"].get<double>(), lastEnd[e["tid"]]) << "slices of a thread overlap";
        lastEnd[e["tid"]] = e["ts"].get<double>() + e["dur"].get<double>();
    }
    EXPECT_EQ(kernels, 24U);
    EXPECT_EQ(copies, 2U);
    EXPECT_EQ(counters, 5U) << "one sample has all figures, the other none";
    EXPECT_EQ(from, to);
    EXPECT_EQ(from.size(), 24U);
    EXPECT_TRUE(threads.contains("stream 7, context 1"));
    EXPECT_TRUE(threads.contains("stream 7, context 1, row 2")) << "kernels that overlap";
    EXPECT_TRUE(threads.contains("stream 9, context 1"));
    EXPECT_EQ(json["otherData"]["deviceTiming"]["droppedRecords"], 4);
}

TEST(DeviceCsv, HasARowForEachActivityAndGuardsNames) {
    const RunData run = deviceRun();
    const auto rows = readCsv(exportDeviceCsv(run));
    ASSERT_EQ(rows.size(), 1 + run.deviceActivities.size());
    for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
    EXPECT_EQ(cellAt(rows, 1, "kind"), "kernel");
    EXPECT_EQ(cellAt(rows, 1, "name"), "'=evil\"<b>|name");
    EXPECT_EQ(cellAt(rows, 2, "name"), "gemmKernel<bf16, 64>");
    EXPECT_EQ(cellAt(rows, 1, "grid"), "132x2x1");
    EXPECT_EQ(cellAt(rows, 1, "theoretical_occupancy"), "0.375");
    EXPECT_EQ(cellAt(rows, 1, "op"), "qkv");
    EXPECT_EQ(cellAt(rows, 11, "kind"), "memcpy");
    EXPECT_EQ(cellAt(rows, 11, "bytes"), "4096");
    EXPECT_EQ(cellAt(rows, 11, "op"), "");
    EXPECT_EQ(cellAt(rows, 11, "duration_us"), "2");
    EXPECT_EQ(readCsv(exportDeviceCsv({})).size(), 1U);
}

TEST(DeviceJson, HoldsEverythingAndIsNullWithoutDevices) {
    const RunData run = deviceRun();
    const auto json = nlohmann::json::parse(exportJson(run))["device"];
    EXPECT_EQ(json["timing"]["source"], "CUPTI 13.0");
    EXPECT_EQ(json["devices"][0]["computeCapability"], "9.0");
    EXPECT_EQ(json["names"].size(), 3U);
    ASSERT_EQ(json["activities"]["rows"].size(), run.deviceActivities.size());
    const auto& columns = json["activities"]["columns"];
    for (const auto& row : json["activities"]["rows"]) ASSERT_EQ(row.size(), columns.size());
    EXPECT_EQ(json["activities"]["rows"][0][7], "qkv");
    EXPECT_TRUE(json["activities"]["rows"][10][12].is_null()) << "no span known";
    EXPECT_EQ(json["samples"]["rows"][0][2], -1);
    EXPECT_TRUE(nlohmann::json::parse(exportJson(test::makeRun()))["device"].is_null());
}

TEST(DeviceReports, SayWhatTimingLostAndCostOrWhyThereIsNone) {
    RunData run = deviceRun();
    for (const std::string& report : {exportHtml(run), exportMarkdown(run)}) {
        EXPECT_NE(report.find("26 device activities recorded, 4 dropped, 2 without an engine span"),
                  std::string::npos);
    }
    run = test::makeRun();
    run.deviceTiming.unavailable = "no NVIDIA driver";
    EXPECT_NE(exportMarkdown(run).find("devices not timed: no NVIDIA driver"), std::string::npos);
    const auto trace = nlohmann::json::parse(exportTrace(run));
    EXPECT_EQ(trace["otherData"]["deviceTiming"]["unavailable"], "no NVIDIA driver");
}

TEST(DeviceReports, TheTableOfActivitiesIsWrittenBesideTheTokens) {
    const test::ScratchFolder folder;
    const auto paths = writeReports(deviceRun(), folder.path(), {ReportFormat::Csv});
    ASSERT_TRUE(paths);
    ASSERT_EQ(paths->size(), 3U);
    EXPECT_TRUE(paths->back().ends_with(".device.csv"));
}

}  // namespace lanescope::profiler
