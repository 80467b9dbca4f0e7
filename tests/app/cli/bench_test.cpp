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

class CliPerplexity : public CliTest {
  protected:
    const std::string m_model = golden("llama_wide.Q4_K_M.llama_quantize.gguf");
    std::string text() {
        std::string words;
        for (int i = 0; i < 60; ++i)
            words += "the theory of the thing is " + std::to_string(i) + " ";
        write("text.txt", words);
        return path("text.txt");
    }
};

TEST_F(CliPerplexity, TheExactPathIsItsOwnReferenceAndTheFastOneIsNear) {
    const auto exact = cli({"perplexity", m_model, "--file", text(), "--ctx", "64", "--exact",
                            "--against", m_model, "--json"});
    ASSERT_EQ(exact.status, 0) << exact.err;
    const auto e = exact.json();
    EXPECT_EQ(e["kld"]["max"], 0.0);
    EXPECT_EQ(e["top1"], 1.0);
    EXPECT_GT(e["tokens"], 31);
    const auto fast = cli(
        {"perplexity", m_model, "--file", text(), "--ctx", "64", "--against", m_model, "--json"});
    ASSERT_EQ(fast.status, 0) << fast.err;
    const auto f = fast.json();
    EXPECT_GT(f["kld"]["mean"].get<double>(), 0.0);
    EXPECT_LT(f["kld"]["mean"].get<double>(), 0.05);
    EXPECT_NEAR(f["ppl"].get<double>() / e["ppl"].get<double>(), 1.0, 0.05);
    const auto alone = cli({"perplexity", m_model, "--file", text(), "--ctx", "64"});
    EXPECT_EQ(alone.out.rfind("perplexity ", 0), 0U) << alone.out;
}

TEST_F(CliPerplexity, WhatCannotBeScoredSaysWhy) {
    write("short.txt", "hello");
    EXPECT_TRUE(failsWith(cli({"perplexity", m_model, "--file", path("short.txt")}), 3, "window"));
    EXPECT_TRUE(failsWith(cli({"perplexity", m_model, "--file", path("none.txt")}), 3, "none.txt"));
    EXPECT_TRUE(failsWith(cli({"perplexity", m_model, "--file", text(), "--ctx", "64", "--against",
                               golden("llama_tied.F16.gguf")}),
                          2, "vocabularies"));
}

TEST_F(CliBench, NothingToMeasureIsAUsageError) {
    EXPECT_TRUE(failsWith(cli({"bench", golden("llama_wide.Q4_0.gguf"), "-p", "0", "-n", "0"}), 2,
                          "nothing to measure"));
}

}  // namespace
}  // namespace lanescope::test
