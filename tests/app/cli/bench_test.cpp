#include <map>
#include <string>

#include "tests/app/cli/process.h"

namespace lanescope::test {
namespace {

class CliBench : public CliTest {};

TEST_F(CliBench, EveryTestHasSpeedAndWork) {
    const CliResult r = cli({"bench", golden("llama_wide.Q4_0.gguf"), "-p", "16,32", "-n", "8",
                             "--depth", "0,16", "-r", "3", "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    const auto j = r.json();
    ASSERT_EQ(j.size(), 4U);
    std::vector<std::string> names;
    for (const auto& row : j) {
        names.push_back(row["test"]);
        EXPECT_GT(row["tps"]["mean"].get<double>(), 0.0);
        EXPECT_GE(row["tps"]["sd"].get<double>(), 0.0);
        EXPECT_EQ(row["tps"]["n"], 3);
        EXPECT_GT(row["gbps"].get<double>(), 0.0);
        EXPECT_GT(row["gflops"].get<double>(), 0.0);
        EXPECT_GT(row["mbu"].get<double>(), 0.0);
        EXPECT_GT(row["mfu"].get<double>(), 0.0);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"pp16", "pp32", "tg8", "tg8@d16"}));
}

TEST_F(CliBench, TheTableIsMarkdown) {
    const CliResult r =
        cli({"bench", golden("llama_wide.Q4_0.gguf"), "-p", "0", "-n", "4", "-r", "2"});
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.out.rfind("| model |", 0), 0U) << r.out;
    EXPECT_NE(r.out.find("| tg4 |"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find(" ± "), std::string::npos) << r.out;
    EXPECT_EQ(r.out.find("pp"), std::string::npos);
}

TEST_F(CliBench, SequencesDecodeTogether) {
    const CliResult r = cli({"bench", golden("llama_wide.Q4_K_M.llama_quantize.gguf"), "-p", "0",
                             "-n", "4", "-b", "1,3", "--depth", "0,20", "-r", "2", "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    std::vector<std::string> names;
    for (const auto& row : r.json()) names.push_back(row["test"]);
    EXPECT_EQ(names, (std::vector<std::string>{"tg4", "tg4x3", "tg4@d20", "tg4x3@d20"}));
}

TEST_F(CliBench, OpsAreHeldAgainstTheRoof) {
    const std::vector<std::string> args{
        "bench", golden("llama_wide.Q4_0.gguf"), "-p", "16", "-n", "8", "-r", "1", "--ops"};
    std::vector<std::string> asJson = args;
    asJson.emplace_back("--json");
    const CliResult r = cli(asJson);
    ASSERT_EQ(r.status, 0) << r.err;
    const auto j = r.json();
    ASSERT_EQ(j.size(), 2U);
    for (const auto& row : j) {
        EXPECT_EQ(row["droppedSpans"], 0);
        double share = 0.0;
        std::map<std::string, nlohmann::json> ops;
        for (const auto& op : row["ops"]) {
            share += op["share"].get<double>();
            EXPECT_GT(op["count"].get<int>(), 0);
            EXPECT_GT(op["totalMs"].get<double>(), 0.0);
            ops[op["op"]] = op;
        }
        EXPECT_NEAR(share, 1.0, 1e-9);
        for (const char* name : {"qkv", "attention", "gate+up", "down", "head"}) {
            ASSERT_TRUE(ops.contains(name)) << name;
            EXPECT_GT(ops[name]["gbps"].get<double>(), 0.0) << name;
            EXPECT_GT(ops[name]["gflops"].get<double>(), 0.0) << name;
            EXPECT_GT(ops[name]["ofRoof"].get<double>(), 0.0) << name;
            EXPECT_TRUE(ops[name]["limit"] == "memory" || ops[name]["limit"] == "arithmetic");
        }
        EXPECT_EQ(ops["qkv"]["peak"], "int8");
        EXPECT_EQ(ops["attention"]["peak"], "fp32");
    }
    // A pass of 16 tokens and one of 8 steps: spans of the timed part only.
    EXPECT_FALSE(j[0].contains("traceCost"));
    EXPECT_EQ(j[1]["traceCost"]["n"], 5);
    EXPECT_GT(j[1]["traceCost"]["untracedMs"].get<double>(), 0.0);
    EXPECT_EQ(j[1]["ops"].back()["count"], 8) << j[1]["ops"].back().dump();

    const CliResult text = cli(args);
    ASSERT_EQ(text.status, 0) << text.err;
    EXPECT_NE(text.out.find("| op | count | ms | share | GB/s | GFLOP/s | of roof | limit |"),
              std::string::npos);
    EXPECT_NE(text.out.find("| attention |"), std::string::npos);
    EXPECT_NE(text.out.find("trace costs "), std::string::npos) << text.out;
    EXPECT_NE(text.out.find(" % of decode time"), std::string::npos) << text.out;
}

TEST_F(CliBench, NothingToMeasureIsAUsageError) {
    EXPECT_TRUE(failsWith(cli({"bench", golden("llama_wide.Q4_0.gguf"), "-p", "0", "-n", "0"}), 2,
                          "nothing to measure"));
}

}  // namespace
}  // namespace lanescope::test
