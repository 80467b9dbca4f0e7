// Texts from models, prompts and files that try to be something else: cases C80, C81 and C83 of the
// shared case set (skipped where it is absent).

#include <gtest/gtest.h>

#include <cstdlib>
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

/// The parsed case file, or null when the set is not there.
nlohmann::json caseFile(const std::string& name) {
    const char* shared = std::getenv("LANESCOPE_SHARED");
    const std::string base = shared != nullptr ? shared : LANESCOPE_SOURCE_DIR "/../shared";
    const std::string text = test::readAll(base + "/cases/" + name);
    return text.empty() ? nlohmann::json() : nlohmann::json::parse(text);
}

bool guarded(const std::string& cell) {
    return cell.empty() || std::string("=+-@\t\r").find(cell.front()) == std::string::npos;
}

RunData runWith(const std::string& text) {
    RunData run = makeRun(1, 2);
    run.header.name = run.lanes[0].model = run.lanes[0].name = text;
    run.lanes[0].error = run.lanes[0].modelPath = text;
    run.header.command = run.header.planJson = run.header.machineJson = text;
    auto& request = run.requests.edit(0);
    request.record.promptText = request.record.text = request.record.error = text;
    request.tokens.edit(0).piece = text;
    return run;
}

}  // namespace

TEST(HostileText, NoCellIsTakenForAFormula) {
    const auto cells = caseFile("C81/hostile_cells.json");
    if (cells.is_null()) GTEST_SKIP() << "shared cases are not here";
    ASSERT_GE(cells.size(), 10U);
    for (const auto& item : cells) {
        const auto text = item["text"].get<std::string>();
        const RunData run = runWith(text);
        const auto rows = readCsv(exportCsv(run));
        ASSERT_EQ(rows.size(), 5U) << text;
        for (const auto& row : rows) ASSERT_EQ(row.size(), rows[0].size()) << text;
        for (const char* column : {"model", "lane", "piece"}) {
            const std::string cell = cellAt(rows, 1, column);
            EXPECT_TRUE(guarded(cell)) << cell;
            if (text.find('\r') == std::string::npos) {
                EXPECT_EQ(cell, guarded(text) ? text : "'" + text);
            }
        }
        EXPECT_EQ(cellAt(rows, 1, "log_probability"), "-0.5") << "numbers stay numbers";
        const auto lanes = readCsv(exportSummaryCsv(run));
        for (const char* column : {"run_name", "model", "error"}) {
            EXPECT_TRUE(guarded(cellAt(lanes, 1, column)));
        }
        const auto json = nlohmann::json::parse(exportJson(run));
        EXPECT_EQ(json["lanes"][0]["model"], text) << "JSON keeps the text";
        EXPECT_EQ(json["requests"][0]["tokens"][0]["piece"], text);
    }
}

TEST(HostileText, NumbersAndQuotesOfTheLocaleCase) {
    const auto data = caseFile("C80/numbers.json");
    if (data.is_null()) GTEST_SKIP() << "shared cases are not here";
    for (const auto& value : data["values"]) {
        const double v = value.get<double>();
        EXPECT_EQ(std::strtod(text::csvNumber(v).c_str(), nullptr), v);
    }
    const auto note = data["row"]["note"].get<std::string>();
    EXPECT_EQ(text::csvText(note), "\"say \"\"hi\"\"\nnext line\"");
    const auto rows = readCsv(exportCsv(runWith(note)));
    EXPECT_EQ(cellAt(rows, 1, "model"), note);
    EXPECT_EQ(text::csvText(data["row"]["model"].get<std::string>()), "\"a,b\"");
}

TEST(HostileText, TheTraceStaysStrictJsonWhateverTheNames) {
    const auto data = caseFile("C83/names.json");
    if (data.is_null()) GTEST_SKIP() << "shared cases are not here";
    for (const auto& item : data["event_names"]) {
        const auto name = item.get<std::string>();
        const RunData run = runWith(name);
        const std::string text = exportTrace(run);
        for (const char c : text) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
        const auto trace = nlohmann::json::parse(text);
        // Names 2 x 4 + order 2 x 1, requests 2, tokens 4, spans 20, KV events 2.
        EXPECT_EQ(trace["traceEvents"].size(), 2U * 4 + 2 + 4 + run.spans.size() + 2);
        bool found = false;
        for (const auto& event : trace["traceEvents"]) {
            ASSERT_TRUE(event["args"].is_object());
            found = found || (event.value("cat", "") == "token" && event["name"] == name);
        }
        EXPECT_TRUE(found) << name;
    }
}

TEST(HostileText, NothingInHtmlEscapesItsPlace) {
    for (const std::string evil :
         {"<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</pre></style><b>",
          "'onclick='x", "&lt;b&gt;", "ctrl\x01\x1f", "cut \xE4\xB8", "\xED\xA0\x80"}) {
        const std::string html = exportHtml(runWith(evil));
        EXPECT_EQ(html.find("<script"), std::string::npos);
        EXPECT_EQ(html.find("<img"), std::string::npos);
        EXPECT_EQ(html.find("<b>"), std::string::npos);
        EXPECT_EQ(html.find("'onclick"), std::string::npos);
        EXPECT_EQ(html.find('\x01'), std::string::npos);
        EXPECT_EQ(text::validUtf8(html), html) << "the file is UTF-8";
        const std::string md = exportMarkdown(runWith(evil));
        EXPECT_EQ(md.substr(0, md.find("```")).find("<script"), std::string::npos);
    }
    EXPECT_EQ(text::html("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST(HostileText, BrokenUtf8IsReplacedByteByByte) {
    EXPECT_EQ(text::validUtf8("a\xFF"), "a\xEF\xBF\xBD");
    EXPECT_EQ(text::validUtf8("\xE4\xB8\xAD\xF0\x9F\xA6\x99"), "\xE4\xB8\xAD\xF0\x9F\xA6\x99");
    EXPECT_EQ(text::validUtf8("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "overlong";
    EXPECT_EQ(text::validUtf8("\xF4\x90\x80\x80").size(), 12U) << "above U+10FFFF";
}

}  // namespace lanescope::profiler
