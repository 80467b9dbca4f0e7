#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>

#include "profiler/export/export.h"
#include "profiler/export/text.h"
#include "tests/profiler/export/csv_reader.h"
#include "tests/profiler/make_run.h"
#include "tests/profiler/scratch_folder.h"

namespace lanescope::profiler {

using test::cellAt;
using test::makeRun;
using test::readCsv;

namespace {

struct GermanNumbers : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

std::string everything(const RunData& run) {
    return exportCsv(run) + exportSummaryCsv(run) + exportJson(run) + exportMarkdown(run) +
           exportTrace(run) + exportHtml(run) + compareMarkdown(run, run) + compareJson(run, run);
}

}  // namespace

TEST(Formats, AreReadFromAList) {
    const auto formats = parseFormats("html, csv,json,md,trace,csv");
    ASSERT_TRUE(formats);
    EXPECT_EQ(formats->size(), 5U);
    const auto unknown = parseFormats("html,xls");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, ErrorCode::Usage);
    EXPECT_NE(unknown.error().message.find("'xls'"), std::string::npos);
    EXPECT_FALSE(parseFormats(""));
}

TEST(Formats, DoNotDependOnTheLocale) {
    const RunData run = makeRun(3, 20);
    const std::string plain = everything(run);
    const std::locale before = std::locale::global(std::locale(std::locale(), new GermanNumbers));
    EXPECT_EQ(everything(run), plain);
    std::locale::global(before);
    for (const char* name :
         {"de_DE.UTF-8", "fr_FR.UTF-8", "pl_PL.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8"}) {
        if (std::setlocale(LC_ALL, name) == nullptr) continue;  // not installed
        EXPECT_EQ(everything(run), plain) << name;
    }
    std::setlocale(LC_ALL, "C");
}

TEST(Csv, NumbersReadBackToTheLastBit) {
    for (const double v :
         {1234.5, 0.001, 1e-09, 123456789.25, -0.5, 0.0, 1.0 / 3.0, 1e308, 5e-324}) {
        const std::string cell = text::csvNumber(v);
        EXPECT_EQ(std::strtod(cell.c_str(), nullptr), v) << cell;
        EXPECT_EQ(cell.find(','), std::string::npos);
    }
    EXPECT_EQ(text::csvNumber(-0.5), "-0.5") << "a negative number stays a number";
    EXPECT_EQ(text::csvNumber(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(Csv, HasARowForEachToken) {
    const RunData run = makeRun(2, 5);
    const auto rows = readCsv(exportCsv(run));
    ASSERT_EQ(rows.size(), 1U + 4 * 5);
    for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
    EXPECT_EQ(cellAt(rows, 1, "time_ms"), "20");
    EXPECT_EQ(cellAt(rows, 1, "itl_ms"), "") << "the first token has no gap before it";
    EXPECT_EQ(cellAt(rows, 2, "itl_ms"), "10");
    EXPECT_EQ(cellAt(rows, 6, "lane"), "B");
    EXPECT_EQ(cellAt(rows, 1, "log_probability"), "-0.5");
    const auto lanes = readCsv(exportSummaryCsv(run));
    ASSERT_EQ(lanes.size(), 3U);
    EXPECT_EQ(lanes[1].size(), lanes[0].size());
    EXPECT_EQ(cellAt(lanes, 1, "ttft_ms"), "20.5");
    EXPECT_EQ(cellAt(lanes, 2, "output_tokens"), "10");
}

TEST(Json, HoldsEverythingAndIsStrict) {
    RunData run = makeRun(1, 3);
    auto& token = run.requests.edit(0).tokens.edit(1);
    token.logProbability = -std::numeric_limits<float>::infinity();
    token.entropy = std::numeric_limits<float>::quiet_NaN();
    run.header.name = "broken \xFF utf-8";
    const auto json = nlohmann::json::parse(exportJson(run));
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["status"], "finished");
    EXPECT_EQ(json["plan"]["name"], "kv formats");
    EXPECT_EQ(json["machine"]["cores"], 2);
    EXPECT_EQ(json["lanes"][1]["stats"]["ttftMs"]["n"], 1);
    EXPECT_TRUE(json["lanes"][1]["stats"]["ttftMs"]["sd"].is_null());
    ASSERT_EQ(json["requests"].size(), 2U);
    ASSERT_EQ(json["requests"][0]["tokens"].size(), 3U);
    EXPECT_TRUE(json["requests"][0]["tokens"][1]["logProbability"].is_null());
    EXPECT_TRUE(json["requests"][0]["tokens"][1]["entropy"].is_null());
    EXPECT_EQ(json["requests"][0]["finishReason"], "length");
    EXPECT_EQ(json["spans"]["rows"].size(), run.spans.size());
    EXPECT_EQ(json["spans"]["rows"][0].size(), json["spans"]["columns"].size());
    EXPECT_EQ(json["kvEvents"].size(), 2U);
    EXPECT_EQ(json["overhead"]["droppedSpans"], 3);
}

TEST(Json, OfAnEmptyRunIsValidInEveryFormat) {
    const RunData empty;
    EXPECT_TRUE(nlohmann::json::accept(exportJson(empty)));
    EXPECT_TRUE(nlohmann::json::accept(exportTrace(empty)));
    EXPECT_TRUE(nlohmann::json::accept(compareJson(empty, empty)));
    EXPECT_EQ(readCsv(exportCsv(empty)).size(), 1U);
    EXPECT_NE(exportMarkdown(empty).find("No lane has run"), std::string::npos);
    EXPECT_NE(exportHtml(empty).find("No lane has run"), std::string::npos);
    EXPECT_NE(compareMarkdown(empty, makeRun()).find("no lanes to compare"), std::string::npos);
}

TEST(Trace, HasOneProcessALaneAndKeepsNanoseconds) {
    RunData run = makeRun(1, 3);
    trace::Span copy;  // zero long: no infinite bandwidth
    copy.tStartNs = copy.tEndNs = 1'700'000'000'000'000'001;
    copy.bytes = 64;
    copy.lane = 1;
    run.spans.push_back(copy);
    const auto json = nlohmann::json::parse(exportTrace(run));
    std::set<int> pids;
    std::size_t spans = 0;
    bool exact = false;
    for (const auto& event : json["traceEvents"]) {
        ASSERT_TRUE(event["args"].is_object());
        pids.insert(event["pid"].get<int>());
        if (event.value("cat", "") != "op") continue;
        ++spans;
        exact = exact || event["args"]["startNs"] == 1'700'000'000'000'000'001;
        if (event["dur"] == 0.0) {
            EXPECT_TRUE(event["args"]["GB/s"].is_null());
        }
    }
    EXPECT_EQ(spans, run.spans.size());
    EXPECT_EQ(pids, (std::set<int>{1, 2}));
    EXPECT_TRUE(exact);
}

TEST(Markdown, ShowsMeansAgainstTheBaseline) {
    RunData run = makeRun(3, 10);
    run.header.planJson = R"({"baseline":"B"})";
    const std::string md = exportMarkdown(run);
    EXPECT_NE(md.find("B tiny (baseline)"), std::string::npos);
    EXPECT_NE(md.find("better"), std::string::npos);
    EXPECT_NE(md.find(" ± "), std::string::npos);
    EXPECT_EQ(md.find("slower than baseline"), std::string::npos);
    run.header.planJson = "not json";
    EXPECT_NE(exportMarkdown(run).find("Lane B is slower than baseline A: decode"),
              std::string::npos);
}

TEST(Compare, PairsLanesByNameAndMarksNoise) {
    const RunData before = makeRun(3, 10);
    RunData after = before;
    std::swap(after.lanes[0].name, after.lanes[1].name);  // now index 0 is called B
    const auto json = nlohmann::json::parse(compareJson(before, after));
    ASSERT_EQ(json["lanes"].size(), 2U);
    EXPECT_EQ(json["lanes"][0]["before"], "B");
    EXPECT_EQ(json["lanes"][0]["after"], "B");
    EXPECT_EQ(json["lanes"][0]["slower"], false) << "the old B took 1.5 times as long";
    EXPECT_EQ(json["lanes"][1]["slower"], true);
    EXPECT_EQ(json["sameMachine"], true);
    const auto same = nlohmann::json::parse(compareJson(before, before));
    for (const auto& delta : same["lanes"][0]["deltas"]) {
        EXPECT_TRUE(delta["verdict"] == "within noise" || delta["verdict"] == "not comparable");
    }
    EXPECT_EQ(same["lanes"][0]["answers"]["same"], 1);
    // Roofs are measured anew now and then: the machine stays the same.
    after.header.machineJson =
        R"({"cpu":"Example CPU","cores":2,"roofs":[{"threads":2,"readGBps":24.0}]})";
    EXPECT_EQ(nlohmann::json::parse(compareJson(before, after))["sameMachine"], true);
    EXPECT_NE(exportHtml(after).find("at most 24.0 GB/s"), std::string::npos);
    after.header.machineJson = R"({"cpu":"other"})";
    const std::string md = compareMarkdown(before, after);
    EXPECT_NE(md.find("machines that differ"), std::string::npos);
    EXPECT_NE(md.find("Slower than before"), std::string::npos);
}

TEST(WriteReports, WritesEachFormatUnderTheRunsName) {
    const test::ScratchFolder folder;
    RunData run = makeRun();
    run.header.name = "../../etc/kv: formats é";
    const auto paths =
        writeReports(run, folder.file("new/inner"), *parseFormats("html,csv,json,md,trace"));
    ASSERT_TRUE(paths) << paths.error().toString();
    EXPECT_EQ(paths->size(), 6U) << "csv makes two files";
    EXPECT_EQ(paths->front(), folder.file("new/inner/etc-kv-formats.html"));
    for (const auto& path : *paths) EXPECT_GT(std::filesystem::file_size(path), 100U);
    EXPECT_FALSE(writeReports(run, "/proc/none", {ReportFormat::Html}));
}

TEST(WriteReports, AFullDiskLeavesNothingHalfWritten) {
    const test::ScratchFolder folder;
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{2000, 2000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const auto written = writeReports(makeRun(), folder.path(), {ReportFormat::Json});
        ::_exit(!written && written.error().code == ErrorCode::Io ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace lanescope::profiler
