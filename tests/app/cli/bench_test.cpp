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

TEST_F(CliBench, NothingToMeasureIsAUsageError) {
    EXPECT_TRUE(failsWith(cli({"bench", golden("llama_wide.Q4_0.gguf"), "-p", "0", "-n", "0"}), 2,
                          "nothing to measure"));
}

}  // namespace
}  // namespace lanescope::test
