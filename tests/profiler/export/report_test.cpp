#include <gtest/gtest.h>

#include <cstdlib>

#include "profiler/export/export.h"
#include "profiler/export/summary.h"
#include "profiler/store/run_store.h"
#include "tests/profiler/make_run.h"
#include "tests/profiler/scratch_folder.h"

namespace lanescope::profiler {

using test::makeRun;

TEST(HtmlReport, HasEverySectionAndNoOutsideAddress) {
    RunData run = makeRun(3, 24);
    auto& request = run.requests.edit(1);
    request.tokens.edit(5).token = 9999;
    request.tokens.edit(5).piece = " other";
    const std::string html = exportHtml(run);
    for (const char* part : {"Example CPU",
                             "Summary",
                             "baseline",
                             "Lane B is slower than baseline A",
                             "Per-token latency",
                             "KV memory",
                             "Where the time goes",
                             "attention",
                             "Answers",
                             "differs from baseline at token 5",
                             "<mark> other",
                             "Effective settings",
                             "kv int3 is unknown, fp16 used",
                             "How to make this run again",
                             "lanescope-cli run plan.json",
                             "3 spans and 0 events dropped",
                             "overhead est.",
                             "prefers-color-scheme:dark",
                             " ± ",
                             "n=3",
                             "est. 3.8 MiB"}) {
        EXPECT_NE(html.find(part), std::string::npos) << part;
    }
    for (const char* part : {"http:", "https:", "//", "<script", "<link", "url(", "@import"}) {
        EXPECT_EQ(html.find(part), std::string::npos) << part;
    }
    if (const char* keep = std::getenv("LANESCOPE_KEEP_REPORT")) test::writeAll(keep, html);
}

TEST(HtmlReport, OfAReopenedRunIsTheSame) {
    const test::ScratchFolder folder;
    const RunData run = makeRun(2, 30);
    auto store = RunStore::open(folder.file("runs.db"));
    ASSERT_TRUE((*store)->save(run));
    EXPECT_EQ(exportHtml(**(*store)->load(run.header.id)), exportHtml(run));
}

TEST(Summary, TakesTheBaselineThePlanNames) {
    RunData run = makeRun();
    EXPECT_EQ(baselineOf(run), 0U);
    run.header.planJson = R"({"baseline":"B"})";
    EXPECT_EQ(baselineOf(run), 1U);
    run.header.planJson = R"({"baseline":7})";
    EXPECT_EQ(baselineOf(run), 0U);
    run.header.planJson = R"({"baseline":"Z"})";
    EXPECT_EQ(baselineOf(run), 0U);
}

TEST(Summary, NamesLanesThatFailed) {
    RunData run = makeRun(1);
    run.lanes[1].error = "needs 5.1 GiB, 3.2 GiB free";
    run.requests.edit(0).record.finish = trace::FinishReason::Error;
    const auto summary = summarise(run);
    ASSERT_EQ(summary.warnings.size(), 2U);
    EXPECT_NE(summary.warnings[0].find("1 of 1 requests failed"), std::string::npos);
    EXPECT_NE(summary.warnings[1].find("could not run: needs 5.1 GiB"), std::string::npos);
}

}  // namespace lanescope::profiler
