#include "tests/app/cli/process.h"

namespace lanescope::test {
namespace {

class CliServeSim : public CliTest {};

TEST_F(CliServeSim, PoliciesServeTheSameRequestsAndGiveTheSameTokens) {
    const CliResult r =
        cli({"serve-sim", golden("llama_wide.Q4_0.gguf"), "--arrivals", "burst:6", "--requests",
             "6", "--prompt-tokens", "4-40", "--output-tokens", "2-20", "--policy",
             "continuous,static,sequential", "--max-running", "4", "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    const auto j = r.json();
    EXPECT_EQ(j["sameTokens"], true);
    ASSERT_EQ(j["policies"].size(), 3U);
    for (const auto& policy : j["policies"]) {
        EXPECT_EQ(policy["finished"], 6);
        EXPECT_GT(policy["tps"].get<double>(), 0.0);
        EXPECT_EQ(policy["ttft"]["n"], 6);
        EXPECT_GT(policy["ttft"]["p95"].get<double>(), 0.0);
        EXPECT_GT(policy["itl"]["p50"].get<double>(), 0.0);
        EXPECT_GT(policy["occupancy"].get<double>(), 0.0);
        EXPECT_LE(policy["occupancy"].get<double>(), 1.0);
    }
    EXPECT_EQ(j["policies"][0]["outputTokens"], j["policies"][2]["outputTokens"]);
}

TEST_F(CliServeSim, OnePolicyHasItsFiguresAtTheRootAndATable) {
    const std::vector<std::string> args{"serve-sim",       golden("llama_wide.Q4_0.gguf"),
                                        "--arrivals",      "poisson:200",
                                        "--requests",      "5",
                                        "--prompt-tokens", "8",
                                        "--output-tokens", "4",
                                        "--kv-blocks",     "3"};
    auto asJson = args;
    asJson.emplace_back("--json");
    const CliResult r = cli(asJson);
    ASSERT_EQ(r.status, 0) << r.err;
    for (const char* key : {"tps", "ttft", "itl", "occupancy", "preemptions", "goodput"})
        EXPECT_TRUE(r.json().contains(key)) << key;
    EXPECT_EQ(r.json()["outputTokens"], 20);
    const CliResult table = cli(args);
    EXPECT_EQ(table.out.rfind("| policy |", 0), 0U) << table.out;
    EXPECT_NE(table.out.find("| continuous |"), std::string::npos) << table.out;
}

TEST_F(CliServeSim, WhatIsWrongIsOneLineWithAnExample) {
    const std::string model = golden("llama_wide.Q4_0.gguf");
    const std::vector<std::pair<std::vector<std::string>, int>> cases{
        {{"serve-sim", model, "--arrivals", "poisson:0"}, 2},
        {{"serve-sim", model, "--arrivals", "burst:2", "--prompt-tokens", "9-3"}, 2},
        {{"serve-sim", model, "--arrivals", "burst:2", "--policy", "fastest"}, 2},
        {{"serve-sim", model, "--arrivals", "/nowhere/load.jsonl"}, 3},
        {{"serve-sim", model}, 2},
    };
    for (const auto& [args, status] : cases) {
        const CliResult r = cli(args);
        EXPECT_EQ(r.status, status) << r.err;
        EXPECT_EQ(r.err.rfind("error: ", 0), 0U) << r.err;
        EXPECT_TRUE(r.out.empty()) << r.out;
    }
}

class CliKvMemory : public CliTest {};

TEST_F(CliKvMemory, TheTextbookFiguresComeOut) {
    const CliResult r = cli({"kv-memory", "--layers", "32", "--kv-heads", "32", "--head-dim", "128",
                             "--context", "4096", "--batch", "1", "--dtype", "fp32", "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    const auto j = r.json();
    EXPECT_EQ(j["bytesPerTokenPerLayer"], 32 * 1024);
    EXPECT_EQ(j["bytesPerToken"], 1024 * 1024);
    EXPECT_EQ(j["bytesPerSequence"], std::uint64_t{4} << 30U);
    EXPECT_EQ(j["total"], std::uint64_t{4} << 30U);
    EXPECT_NE(j["formula"].get<std::string>().find("= 1048576 bytes a token"), std::string::npos);
    const CliResult text = cli({"kv-memory", "--layers", "32", "--kv-heads", "8", "--head-dim",
                                "128", "--batch", "4", "--dtype", "int4"});
    EXPECT_NE(text.out.find("4 sequences"), std::string::npos) << text.out;
}

TEST_F(CliKvMemory, AShapeThatIsNotThereIsAskedFor) {
    const CliResult r = cli({"kv-memory", "--layers", "32"});
    EXPECT_EQ(r.status, 2);
    EXPECT_NE(r.err.find("--kv-heads"), std::string::npos) << r.err;
    EXPECT_EQ(cli({"kv-memory", golden("llama_wide.Q4_0.gguf"), "--dtype", "int8"}).status, 0);
}

}  // namespace
}  // namespace lanescope::test
