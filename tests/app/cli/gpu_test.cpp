// `gpu` on a machine without one; with the emulated device:
// tests/engine/backend/gpu_script_test.sh.

#include "tests/app/cli/process.h"

namespace lanescope::test {
namespace {

class CliGpu : public CliTest {};

TEST_F(CliGpu, OptionsThatAreNotThereAreUsageErrors) {
    EXPECT_TRUE(failsWith(cli({"gpu", "--opps"}), 2, "--opps"));
    EXPECT_TRUE(failsWith(cli({"gpu", "--device", "first", "--ops"}), 2, "--device"));
}

TEST_F(CliGpu, OpsNeedADevice) {
    const std::vector<std::string> noPlugin{"LANESCOPE_CUDA_PLUGIN=" + path("absent.so")};
    EXPECT_TRUE(failsWith(cli({"gpu", "--ops", "--json"}, noPlugin), 4,
                          "cuda: this installation has no CUDA plugin"));
    EXPECT_TRUE(failsWith(cli({"gpu", "--bench"}, noPlugin), 4, "cuda: "));
}

TEST_F(CliGpu, HelpNamesWhatCanBeAsked) {
    const CliResult r = cli({"gpu", "--help"});
    EXPECT_EQ(r.status, 0);
    for (const char* option : {"--device", "--ops", "--bench", "--json"})
        EXPECT_NE(r.out.find(option), std::string::npos) << option;
}

}  // namespace
}  // namespace lanescope::test
