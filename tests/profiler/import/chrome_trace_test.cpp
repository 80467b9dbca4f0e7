// Good, cut and hostile trace files.

#include "profiler/import/chrome_trace.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "profiler/export/export.h"
#include "profiler/import/trace_events.h"
#include "tests/profiler/make_run.h"
#include "tests/profiler/scratch_folder.h"

namespace lanescope::profiler {
namespace {

std::shared_ptr<const ImportedTrace> good(std::string_view json, const TraceLimits& limits = {}) {
    auto trace = parseChromeTrace(json, "t.json", limits);
    EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().toString());
    return trace.ok() ? *trace : std::make_shared<ImportedTrace>();
}

std::string problem(std::string_view json, const TraceLimits& limits = {}) {
    auto trace = parseChromeTrace(json, "t.json", limits);
    return trace.ok() ? "" : trace.error().toString();
}

std::string nameOf(const ImportedTrace& trace, std::size_t i) {
    return trace.names[trace.events[i].name];
}

// As the PyTorch profiler writes them: ids that are texts, times since 1970, links.
const char* const kPyTorch = R"json({
  "schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "H", "totalGlobalMem": 1}],
  "displayTimeUnit": "ms", "traceEvents": [
  {"ph": "M", "name": "process_name", "pid": 77, "tid": 0, "args": {"name": "python"}},
  {"ph": "M", "name": "process_sort_index", "pid": 0, "tid": 0, "args": {"sort_index": 5000000}},
  {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7"}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 77, "tid": 77,
   "ts": 1700000000000100.125, "dur": 40.5, "args": {"External id": 9, "Input Dims": [[2, 3], []]}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 77, "tid": 77,
   "ts": 1700000000000110.000, "dur": 5, "args": {"External id": 9, "correlation": 41}},
  {"ph": "X", "cat": "kernel", "name": "ampere_sgemm", "pid": 0, "tid": 7,
   "ts": 1700000000000150.250, "dur": 20.125,
   "args": {"External id": 9, "correlation": 41, "stream": 7, "est. achieved occupancy %": 37,
            "grid": [1, 2, 3]}},
  {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "all",
   "ts": 1700000000000100, "dur": 100},
  {"ph": "s", "id": 41, "pid": 77, "tid": 77, "ts": 1700000000000110, "cat": "ac2g", "name": "ac2g"},
  {"ph": "f", "id": 41, "pid": 0, "tid": 7, "ts": 1700000000000150, "cat": "ac2g", "name": "ac2g"},
  {"ph": "i", "s": "g", "name": "Iteration", "pid": 77, "tid": 77, "ts": 1700000000000100},
  {"ph": "C", "name": "mem", "pid": 0, "ts": 1700000000000100, "args": {"bytes": 12}}
]})json";

TEST(ChromeTrace, ReadsWhatThePyTorchProfilerWrites) {
    const auto trace = good(kPyTorch);
    ASSERT_EQ(trace->events.size(), 4U);
    ASSERT_EQ(trace->tracks.size(), 3U);
    EXPECT_EQ(trace->processes[trace->tracks.back().process].id, "0") << "the device is put last";
    EXPECT_EQ(trace->tracks.back().name, "stream 7");
    const auto& kernel = trace->events.back();
    EXPECT_EQ(nameOf(*trace, 3), "ampere_sgemm");
    EXPECT_TRUE(kernel.device);
    EXPECT_EQ(kernel.tStartNs, 50'250) << "nanoseconds are kept, though the times are since 1970";
    EXPECT_EQ(kernel.tEndNs - kernel.tStartNs, 20'125);
    EXPECT_FLOAT_EQ(kernel.occupancy, 0.37F);
    ASSERT_EQ(trace->links.size(), 3U) << "the op, the call and the kernel are tied";
    EXPECT_EQ(trace->links.front().first, trace->links.back().first);
    EXPECT_EQ(trace->notShown.at("i"), 1U);
    EXPECT_EQ(trace->notShown.at("C"), 1U);
    EXPECT_FALSE(trace->notShown.contains("s")) << "flows are left out in silence";
    EXPECT_FALSE(trace->cutOff);
}

TEST(ChromeTrace, PairsBeginAndEnd) {
    const auto trace = good(R"([
      {"ph":"B","name":"outer","pid":1,"tid":1,"ts":10},
      {"ph":"B","name":"inner","pid":1,"tid":1,"ts":12.5},
      {"ph":"B","name":"other thread","pid":1,"tid":2,"ts":11},
      {"ph":"E","pid":1,"tid":1,"ts":14},
      {"ph":"E","name":"outer","pid":1,"tid":1,"ts":20},
      {"ph":"E","pid":1,"tid":1,"ts":21},
      {"ph":"B","name":"open","pid":1,"tid":1,"ts":30},
      {"ph":"X","name":"last","pid":1,"tid":1,"ts":40,"dur":10}])");
    ASSERT_EQ(trace->events.size(), 5U);
    EXPECT_EQ(nameOf(*trace, 0), "outer");
    EXPECT_EQ(trace->events[0].tStartNs, 0);
    EXPECT_EQ(trace->events[0].tEndNs, 10'000);
    EXPECT_EQ(nameOf(*trace, 1), "inner");
    EXPECT_EQ(trace->events[1].tEndNs, 4'000);
    EXPECT_EQ(trace->events[2].tEndNs, 40'000) << "what never ended lasts as long as its thread";
    EXPECT_EQ(trace->unclosed, 2U);
    EXPECT_EQ(trace->unopened, 1U);
}

TEST(ChromeTrace, OurOwnExportComesBack) {
    const RunData run = test::makeRun();
    const auto trace = good(exportTrace(run));
    std::size_t requests = 0, ops = 0;
    for (std::size_t i = 0; i < trace->events.size(); ++i) {
        const std::string& category = trace->names[trace->events[i].category];
        requests += category == "request" ? 1 : 0;
        ops += category == "op" ? 1 : 0;
    }
    EXPECT_EQ(requests, run.requests.size());
    EXPECT_EQ(ops, run.spans.size());
}

TEST(ChromeTrace, WrittenPieceByPieceIsTheSameText) {
    const test::ScratchFolder folder;
    const RunData run = test::makeRun();
    const std::string path = folder.file("t.json");
    ASSERT_TRUE(writeTrace(run, path).ok());
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(text, exportTrace(run));
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
    EXPECT_FALSE(writeTrace(run, folder.file("no/such/folder/t.json")).ok());
}

TEST(ChromeTrace, CompressedFilesAndCutOnesAreReadAsFarAsTheyGo) {
    const test::ScratchFolder folder;
    const std::string path = folder.file("t.json.gz");
    std::string big = "[";
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i)
        big += R"({"ph":"X","name":"e)" + std::to_string(random()) + R"(","pid":1,"tid":1,"ts":)" +
               std::to_string(i) + R"(,"dur":1},)";
    big.back() = ']';
    gzFile gz = gzopen(path.c_str(), "wb");
    ASSERT_EQ(gzwrite(gz, big.data(), static_cast<unsigned>(big.size())),
              static_cast<int>(big.size()));
    gzclose(gz);
    TraceReading reading;
    auto whole = readChromeTrace(path, {}, &reading);
    ASSERT_TRUE(whole.ok()) << whole.error().toString();
    EXPECT_EQ((*whole)->events.size(), 20'000U);
    EXPECT_GT(reading.fraction.load(), 0.5);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    auto half = readChromeTrace(path);
    ASSERT_TRUE(half.ok()) << half.error().toString();
    EXPECT_GT((*half)->events.size(), 1'000U);
    EXPECT_LT((*half)->events.size(), 20'000U);
    EXPECT_TRUE((*half)->cutOff);
    reading.cancel = true;
    const auto stopped = readChromeTrace(path, {}, &reading);
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
    EXPECT_FALSE(readChromeTrace(folder.file("none.json")).ok());
}

TEST(ChromeTrace, AFileThatEndsInTheMiddleGivesWhatItHas) {
    const std::string whole(kPyTorch);
    for (std::size_t n = whole.size() - 1; n > 900; n -= 37) {
        auto trace = parseChromeTrace(whole.substr(0, n), "t.json");
        if (trace.ok()) {
            EXPECT_GE((*trace)->events.size(), 1U);
        } else {
            EXPECT_EQ(trace.error().code, ErrorCode::BadInput);
        }
    }
    const auto cut = good(R"([{"ph":"X","name":"a","ts":1,"dur":2},{"ph":"X","na)");
    EXPECT_EQ(cut->events.size(), 1U);
    EXPECT_TRUE(cut->cutOff);
    EXPECT_TRUE(good("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2},")->cutOff)
        << "the format allows a list without its end";
}

TEST(ChromeTrace, SaysWhatIsWrong) {
    EXPECT_NE(problem("").find("cannot be read"), std::string::npos);
    EXPECT_NE(problem("nonsense").find("at byte"), std::string::npos) << problem("nonsense");
    EXPECT_NE(problem(R"({"schema": 1, "lanes": []})").find("no list of events"),
              std::string::npos);
    EXPECT_NE(problem("[]").find("no event"), std::string::npos);
    EXPECT_NE(problem(R"([{"ph":"X","name":"x"}])").find("no event"), std::string::npos);
    EXPECT_NE(problem(R"([{"ph":"X","ts":1,"dur":1} oops])").find("at byte"), std::string::npos)
        << "not at its end: damaged, not cut";
}

TEST(ChromeTrace, LeavesOutTimesThatAreNone) {
    const auto trace = good(R"([
      {"ph":"X","name":"fine","ts":"5.5","dur":1},
      {"ph":"X","name":"text","ts":"soon","dur":1},
      {"ph":"X","name":"huge","ts":1e300,"dur":1},
      {"ph":"X","name":"long","ts":1,"dur":99999999999999999999},
      {"ph":"X","name":"negative","ts":1,"dur":-1},
      {"ph":"X","name":"none","dur":1}])");
    EXPECT_EQ(trace->events.size(), 1U);
    EXPECT_EQ(trace->broken, 5U);
}

TEST(ChromeTrace, LimitsHoldWithAClearMessage) {
    TraceLimits limits;
    limits.maxEvents = 2;
    const auto two =
        good(R"([{"ph":"X","ts":1,"dur":1},{"ph":"X","ts":2,"dur":1},{"ph":"X","ts":3,"dur":1}])",
             limits);
    EXPECT_EQ(two->events.size(), 2U);
    EXPECT_EQ(two->overLimit, 2U);

    std::string deep = R"([{"ph":"X","ts":1,"dur":1,"args":)";
    for (int i = 0; i < 100'000; ++i) deep += "[";
    EXPECT_NE(problem(deep).find("nested deeper than 64"), std::string::npos);

    limits = {};
    limits.bytes.maxTextBytes = 1 << 16;
    const std::string longText =
        R"([{"ph":"X","ts":1,"dur":1,"name":")" + std::string(200'000, 'x');
    EXPECT_NE(problem(longText, limits).find("longer than"), std::string::npos);
    // Escaped quotes do not end a text.
    std::string escaped = R"([{"ph":"X","ts":1,"dur":1,"name":")";
    for (int i = 0; i < 60'000; ++i) escaped += "x\\\"";
    EXPECT_NE(problem(escaped, limits).find("longer than"), std::string::npos);

    limits = {};
    limits.bytes.maxBytes = 1 << 16;
    EXPECT_NE(problem("[" + std::string(200'000, ' '), limits).find("larger than"),
              std::string::npos);

    limits = {};
    limits.maxTracks = 3;
    std::string many = "[";
    for (int i = 0; i < 10; ++i)
        many += R"({"ph":"X","ts":1,"dur":1,"pid":1,"tid":)" + std::to_string(i) + "},";
    many.back() = ']';
    EXPECT_NE(problem(many, limits).find("more than 3 threads"), std::string::npos);

    limits = {};
    limits.maxOpenEvents = 4;
    std::string open = "[";
    for (int i = 0; i < 10; ++i) open += R"({"ph":"B","ts":1,"pid":1,"tid":1},)";
    open.back() = ']';
    EXPECT_NE(problem(open, limits).find("open at once"), std::string::npos);
}

TEST(ChromeTrace, DamagedFilesNeverEndInAnythingButAResult) {
    std::mt19937 random(7);
    for (int trial = 0; trial < 3'000; ++trial) {
        std::string text = kPyTorch;
        for (int change = 0; change < 3 && !text.empty(); ++change) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0:
                    text[at] = static_cast<char>(random());
                    break;
                case 1:
                    text.erase(at, random() % 40);
                    break;
                case 2:
                    text.insert(at, text.substr(random() % text.size(), random() % 60));
                    break;
                default:
                    text.resize(at + 1);
            }
        }
        const auto trace = parseChromeTrace(text, "t.json");
        if (!trace.ok()) continue;
        for (const TraceEvent& e : (*trace)->events) {
            ASSERT_GE(e.tStartNs, 0);
            ASSERT_GE(e.tEndNs, e.tStartNs);
            ASSERT_LT(e.name, (*trace)->names.size());
            ASSERT_LT(e.track, (*trace)->tracks.size());
        }
    }
}

TEST(MicrosToNs, IsExact) {
    EXPECT_EQ(microsToNs("1700000000000123.456"), 1'700'000'000'000'123'456);
    EXPECT_EQ(microsToNs("0.0015"), 1);
    EXPECT_EQ(microsToNs("-2.5"), -2'500);
    EXPECT_EQ(microsToNs("1e3"), 1'000'000);
    EXPECT_EQ(microsToNs("1.5e3"), 1'500'000);
    EXPECT_EQ(microsToNs("12"), 12'000);
    for (const char* bad : {"", "-", ".", "1.2.3", "abc", "1e400", "99999999999999999999", "nan"})
        EXPECT_FALSE(microsToNs(bad).has_value()) << bad;
}

}  // namespace
}  // namespace lanescope::profiler
